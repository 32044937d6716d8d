package text

import "testing"

func TestSlips(t *testing.T) {
	s := NewSlips([]string{"lora", "qlora", "mistral", "inference", "training", "deploy", "sft", "qwen2"}, []string{"trainings"})
	for _, c := range []struct{ in, want string }{
		{"lorra", "lora"}, {"loraa", "lora"}, {"lroa", "lora"}, {"qlroa", "qlora"}, {"qloora", "qlora"},
		{"mistal", "mistral"}, {"mistrall", "mistral"}, {"infernece", "inference"}, {"inferrence", "inference"}, {"infrence", "inference"},
		{"trainning", "training"}, {"depoly", "deploy"}, {"deplyo", "deploy"},
		{"lora", ""}, {"flora", ""}, {"lore", ""}, {"loran", ""}, {"olra", ""}, {"raining", ""}, {"trainings", ""}, {"employ", ""},
		{"sfft", ""}, {"qwen22", ""}, {"", ""}, {"inferenceinference", ""},
	} {
		got, ok := s.Meant(c.in)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Meant(%q) = %q, %v, want %q", c.in, got, ok, c.want)
		}
	}
}
