package vram

import "strings"

// sharing is how several cards divide one job.
type sharing struct {
	zero        int  // DeepSpeed stage 1, 2, 3
	fsdp        bool // PyTorch's full sharding: as stage 3
	data        bool // one copy on each card, or one copy and its own requests
	tensor      int  // cards that split every matrix; 0 is none
	pipeline    int  // cards that split the layers
	expert      int  // cards that split the experts
	layers      bool // whole layers on different cards, one after the other
	context     bool // every card holds the weights and a part of the sequence
	clip        bool // FSDP and sequence parallel of a video model
	tensorAll   bool // "tensor-parallel" without a number: over all cards
	pipelineAll bool
}

// readSharing reads words such as zero3, "zero2 x8", fsdp+ulysses/ring,
// pp2dp4tp1, device_map.
func readSharing(s string) sharing {
	var x sharing
	if s == "" {
		return x
	}
	s = strings.ToLower(s)
	has := func(w string) bool { return strings.Contains(s, w) }
	switch {
	case has("zero3") || has("zero-3") || has("zero 3"):
		x.zero = 3
	case has("zero2") || has("zero-2") || has("zero 2") || has("deepspeed"):
		x.zero = 2
	case has("zero"):
		x.zero = 1
	case has("ulysses") || has("ring"):
		x.clip = true
	case has("fsdp"):
		x.fsdp = true
	case has("context"):
		x.context = true
	case has("layer") || has("device_map"):
		x.layers = true
	case has("tensor"):
		x.tensorAll = true
	case has("pipeline"):
		x.pipelineAll = true
	case has("ddp") || has("data") || has("replica"):
		x.data = true
	}
	x.tensor, x.pipeline, x.expert = degree(s, "tp"), degree(s, "pp"), degree(s, "ep")
	if x.tensor+x.pipeline+x.expert == 0 && degree(s, "dp") > 0 {
		x.data = true
	}
	return x
}

// degree finds the number that follows a two-letter word: 4 in "pp2tp4".
func degree(s, word string) int {
	for i := 0; i+len(word) < len(s); i++ {
		if s[i:i+len(word)] != word || i > 0 && s[i-1] >= 'a' && s[i-1] <= 'z' {
			continue
		}
		n := 0
		for k := i + len(word); k < len(s) && s[k] >= '0' && s[k] <= '9' && n < 1<<16; k++ {
			n = 10*n + int(s[k]-'0')
		}
		if n > 0 {
			return n
		}
	}
	return 0
}

// offload is what leaves the card for host memory.
type offload struct {
	weights    bool    // parameters, fetched layer by layer
	optimizer  bool    // optimizer states
	model      bool    // whole parts of a pipeline, one on the card at a time
	sequential bool    // single layers of a pipeline
	encoder    bool    // the text encoder only
	tiling     bool    // the result is decoded tile by tile
	slicing    bool    // the results are decoded one by one
	blocks     float64 // swapped transformer blocks; -1 is an unknown number
	kept       float64 // share of the layers that stays on the card (llama.cpp -ngl); 0 is all
}

// readOffload reads words such as "optimizer cpu", "16 blocks cpu",
// "sequential cpu + VAE tiling", "57 of 57 layers".
func readOffload(s string) offload {
	var x offload
	if s == "" {
		return x
	}
	s = strings.ToLower(s)
	has := func(w string) bool { return strings.Contains(s, w) }
	x.tiling, x.slicing = has("tiling"), has("slicing")
	x.sequential = has("sequential") || has("layer-wise") || has("layerwise") || has("group")
	x.encoder = has("t5") || has("text encoder") || has("encoder cpu")
	x.model = !x.sequential && has("model")
	switch {
	case has("block"):
		if x.blocks = number(s); x.blocks == 0 {
			x.blocks = -1
		}
	case has(" of ") && has("layer"):
		if all := number(s[strings.Index(s, " of "):]); all > 0 {
			x.kept = min(number(s)/all, 1)
		}
	case has("optimizer") && !has("param") && !has("cpu ("):
		x.optimizer = true
	case has("param") || has("cpu") && !x.model && !x.sequential && !x.encoder || has("full"):
		x.weights, x.optimizer = true, true
	}
	return x
}

// number is the first whole number in s, 0 when there is none.
func number(s string) float64 {
	n, found := 0.0, false
	for i := 0; i < len(s) && n < 1e6; i++ {
		if c := s[i]; c >= '0' && c <= '9' {
			n, found = 10*n+float64(c-'0'), true
		} else if found {
			break
		}
	}
	return n
}
