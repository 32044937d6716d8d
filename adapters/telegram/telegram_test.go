package telegram

import (
	"strings"
	"testing"
	"time"

	"gpuadvisor/adapters/adaptertest"
)

const (
	person = 42
	group  = -1000000000077
)

func TestChat(t *testing.T) {
	t.Parallel()
	adaptertest.TestChat(t, func(t *testing.T) adaptertest.Rig {
		f := newFake(t)
		chat := f.chat(f.config())
		member := func(id int64) adaptertest.Person {
			return adaptertest.Person{
				Key:  chat.key(group, 0, id),
				Say:  func(text string) { f.say(group, id, "@"+fakeName+" "+text) },
				Pick: func(n int) { f.pick(group, id, n) },
			}
		}
		return adaptertest.Rig{
			Chat: chat, Key: chat.key(person, 0, person),
			Say:  func(text string) { f.say(person, person, text) },
			Pick: func(n int) { f.pick(person, person, n) },
			Seen: func() string { return f.seen(person) },
			Room: []adaptertest.Person{member(51), member(52)},
			Throttle: func(d time.Duration) {
				f.breakWith(fault{method: "sendMessage", times: 1, status: 429, body: apiError(429, "Too Many Requests: retry after 1", `"retry_after":1`)})
			},
			Break: func(broken bool) {
				if f.mend(); broken {
					f.breakWith(fault{method: "*", times: 1e6, status: 502, body: "<html>Bad Gateway at /bot" + fakeToken + "</html>"})
				}
			},
			Secrets: []string{fakeToken, strings.TrimPrefix(fakeToken, "123456:")},
		}
	})
}
