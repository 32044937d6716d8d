package adapters

import (
	"strings"

	"gpuadvisor/advisor"
)

// InRoom is the same conversation in another room of the same chat.
func InRoom(k advisor.Key, room Owner) advisor.Key {
	p, r := strings.Split(string(k), ":"), strings.Split(string(room), ":")
	if len(p) != 5 || len(r) != 4 || r[0] != "room" {
		return k
	}
	p[2] = r[3]
	return advisor.Key(strings.Join(p, ":"))
}
