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

// BenchmarkConversation is one with as many steps behind it as are kept.
func BenchmarkConversation(b *testing.B) {
	c := advisor.Conversation{Schema: advisor.Schema, Lang: "zh", Options: []string{"data_gb=5", "data_gb=50"}, Turns: 5, At: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)}
	c.Facts.Task, c.Facts.DurationHours = advisor.Say("finetune"), advisor.Say(advisor.Range{Lo: 24, Hi: 48})
	c.Facts.GPUNamed = advisor.Say([]advisor.Named{{Card: "rtx-4090", As: "4090", N: 2}})
	for range 12 {
		c.Past = append(c.Past, advisor.Keep(advisor.Step{Facts: c.Facts, Asked: "method"}))
	}
	data, err := adapters.EncodeConversation(c)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			adapters.EncodeConversation(c)
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			adapters.DecodeConversation(data, 1)
		}
	})
}
