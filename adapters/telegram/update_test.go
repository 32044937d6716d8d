package telegram

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-telegram/bot/models"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

// nowhere is a Bot API that agrees to everything.
type nowhere struct{}

func (nowhere) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		io.Copy(io.Discard, r.Body)
	}
	body := `{"ok":true,"result":true}`
	if strings.HasSuffix(r.URL.Path, "/getFile") {
		body = apiError(400, "Bad Request: invalid file_id", "")
	}
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}}, nil
}

// offline is a chat that is served without a network.
func offline(t testing.TB, change func(*Config)) *Chat {
	c := (&fake{url: "http://nowhere.invalid"}).config()
	if change != nil {
		change(&c)
	}
	chat, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	chat.web.client.Transport = nowhere{}
	chat.me.Store(&models.User{ID: fakeID, Username: fakeName})
	closing := chat.intake.open(context.Background(), func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
		respond(ctx, echo(m))
	})
	t.Cleanup(closing)
	return chat
}

// FuzzUpdate: whatever an update holds, it is dealt with, without a panic, and
// whoever it makes us hear is somebody.
func FuzzUpdate(f *testing.F) {
	for _, seed := range []string{
		`{"update_id":1}`, `{"update_id":1,"message":null}`, `null`, `{}`, `"x"`, updateOf(1, "hello"),
		`{"update_id":1,"message":{"message_id":1,"chat":{"id":-5,"type":"group"},"from":{"id":7},"text":"你好 /gpu@Fake_GPU_bot 微调","entities":[{"type":"bot_command","offset":3,"length":17}]}}`,
		`{"update_id":1,"message":{"message_id":1,"chat":{"id":-5,"type":"supergroup"},"sender_chat":{"id":-5},"text":"/gpu","entities":[{"type":"bot_command","offset":-1,"length":99},{"type":"mention","offset":0,"length":0}]}}`,
		`{"update_id":1,"edited_message":{"message_id":1,"chat":{"id":5,"type":"private"},"from":{"id":5},"text":"x"}}`,
		`{"update_id":1,"message":{"message_id":1,"chat":{"id":5,"type":"private"},"from":{"id":5},"document":{"file_id":"a","file_size":5}}}`,
		`{"update_id":1,"message":{"message_id":1,"chat":{"id":5,"type":"private"},"from":{"id":5},"photo":[]}}`,
		`{"update_id":1,"callback_query":{"id":"9","from":{"id":5},"message":{"message_id":1,"chat":{"id":5}},"data":"q5.1.0.a=b"}}`,
		`{"update_id":1,"callback_query":{"id":"9","from":{"id":5},"inline_message_id":"x","data":"k-zz.1"}}`,
		`{"update_id":1,"inline_query":{"id":"9","from":{"id":5},"query":"显存 7B"}}`,
		`{"update_id":1,"my_chat_member":{"chat":{"id":-5},"new_chat_member":{"status":"kicked"}}}`,
		`{"update_id":1,"message":{"chat":{"id":-5},"migrate_to_chat_id":-1000}}`,
	} {
		f.Add([]byte(seed))
	}
	chat := offline(f, func(c *Config) {
		c.Moved = func(from, to adapters.Owner) {}
		c.Gone = func(adapters.Owner, bool) {}
	})
	f.Fuzz(func(t *testing.T, raw []byte) {
		u, ok := chat.decode(json.RawMessage(raw))
		if !ok {
			return
		}
		one := &task{update: u, leave: func() {}}
		chat.lane(u)
		chat.treat(t.Context(), one, func(ctx context.Context, m advisor.Message, respond adapters.Respond) {
			if m.Key == "" || m.Actor.ID == "" || m.Actor.ID == "0" || m.ID == "" {
				t.Errorf("update %s became the message %+v of nobody", raw, m)
			}
			if err := respond(ctx, echo(m)); err != nil {
				t.Errorf("respond: %v", err)
			}
		})
	})
}
