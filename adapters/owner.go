package adapters

import (
	"strings"

	"gpuadvisor/advisor"
)

// Owner is whose settings and reminders these are: a person in one chat, or a
// room. A private room and the person in it are two owners.
type Owner string

// Key spells the key of a conversation. Empty parts are fine: a private chat
// has no thread.
func Key(chat, bot, room, thread, user string) advisor.Key {
	parts := []string{chat, bot, room, thread, user}
	for i, p := range parts {
		parts[i] = colon.Replace(p)
	}
	return advisor.Key(strings.Join(parts, ":"))
}

var colon = strings.NewReplacer("%", "%25", ":", "%3A")

// Person is the one whose conversation it is, in whatever room of that chat.
// A key that Key did not spell is a person of its own.
func Person(k advisor.Key) Owner {
	if p := strings.Split(string(k), ":"); len(p) == 5 {
		return Owner("person:" + p[0] + ":" + p[1] + ":" + p[4])
	}
	return Owner("person:" + k)
}

// Room is where the conversation takes place, with all threads. A key that Key
// did not spell is a room of its own.
func Room(k advisor.Key) Owner {
	if p := strings.Split(string(k), ":"); len(p) == 5 {
		return Owner("room:" + p[0] + ":" + p[1] + ":" + p[2])
	}
	return Owner("room:" + k)
}

// IsRoom tells rooms from persons.
func (o Owner) IsRoom() bool { return strings.HasPrefix(string(o), "room:") }

// InRoom is the same conversation in another room of the same chat.
func InRoom(k advisor.Key, room Owner) advisor.Key {
	p, r := strings.Split(string(k), ":"), strings.Split(string(room), ":")
	if len(p) != 5 || len(r) != 4 || r[0] != "room" {
		return k
	}
	p[2] = r[3]
	return advisor.Key(strings.Join(p, ":"))
}
