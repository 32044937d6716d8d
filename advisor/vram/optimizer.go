package vram

import "strings"

// optimizer is the bytes of one trained parameter beside the weights.
type optimizer struct {
	id        string
	gradients float64
	states    float64
}

// optimizers: AdamW in mixed precision keeps a 32-bit master copy and two
// moments beside 16-bit gradients (Rajbhandari et al., ZeRO, arXiv 1910.02054);
// pure 16-bit keeps two 16-bit moments (torchtune, PEFT's full fine-tune row);
// 8-bit Adam two 8-bit moments, paged ones move to the host under pressure
// (Dettmers et al., arXiv 2110.02861).
var optimizers = map[string]optimizer{
	"adamw":        {"adamw", 2, 12},
	"adam":         {"adamw", 2, 12},
	"adamw-master": {"adamw", 2, 12},
	"adamw-fp32":   {"adamw", 2, 12},
	"adamw-bf16":   {"adamw-bf16", 2, 4},
	"adamw8bit":    {"adamw8bit", 2, 2},
	"paged8bit":    {"paged8bit", 2, 0},
	"sgd":          {"sgd", 2, 8},
	"lion":         {"lion", 2, 8},
	"muon":         {"muon", 2, 8},
	"adafactor":    {"adafactor", 2, 4},
}

// readOptimizer reads an optimizer by name, or by the words in a longer note.
func readOptimizer(s string) (optimizer, bool) {
	if o, ok := optimizers[s]; ok {
		return o, true
	}
	s = strings.ToLower(s)
	has := func(w string) bool { return strings.Contains(s, w) }
	switch {
	case has("paged"):
		return optimizers["paged8bit"], true
	case has("8bit") || has("8-bit"):
		return optimizers["adamw8bit"], true
	case has("adafactor"):
		return optimizers["adafactor"], true
	case has("lion"):
		return optimizers["lion"], true
	case has("muon"):
		return optimizers["muon"], true
	case has("sgd"):
		return optimizers["sgd"], true
	case has("adam"):
		return optimizers["adamw"], true
	}
	return optimizers["adamw"], false
}
