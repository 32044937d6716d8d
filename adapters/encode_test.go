package adapters_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"gpuadvisor/adapters"
	"gpuadvisor/advisor"
)

func TestConversationForm(t *testing.T) {
	c := advisor.Conversation{Schema: advisor.Schema, Lang: "zh", Asked: "method", Settled: []string{"model"}, Turns: 3, At: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)}
	c.Facts.Task = advisor.Say("finetune")
	c.Past = []advisor.Kept{advisor.Keep(advisor.Step{Asked: "task"}), advisor.Keep(advisor.Step{Facts: c.Facts})}
	b, err := adapters.EncodeConversation(c)
	if err != nil {
		t.Fatal(err)
	}
	got, err := adapters.DecodeConversation(b, 7)
	c.Version = 7
	if err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("decoded %+v, %v; want %+v", got, err, c)
	}
}

// TestOlderConversation: what an older schema wrote is raised to this one.
func TestOlderConversation(t *testing.T) {
	got, err := adapters.DecodeConversation([]byte(`{"lang":"en","turns":2}`), 4)
	want := advisor.Conversation{Schema: advisor.Schema, Version: 4, Lang: "en", Turns: 2}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("schema 0: got %+v, %v; want %+v", got, err, want)
	}
}

func TestRefusedConversation(t *testing.T) {
	for text, want := range map[string]error{
		`{"schema":1000}`: adapters.ErrNewer,
		``:                adapters.ErrForeign,
		`hello`:           adapters.ErrForeign,
		`[1]`:             adapters.ErrForeign,
		`{"facts":"x"}`:   adapters.ErrForeign,
		`{"schema":-1}`:   adapters.ErrForeign,
	} {
		if c, err := adapters.DecodeConversation([]byte(text), 1); !errors.Is(err, want) || !reflect.DeepEqual(c, advisor.Conversation{}) {
			t.Errorf("%s: got %+v, %v; want %v", text, c, err, want)
		}
	}
}
