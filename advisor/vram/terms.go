package vram

// parts are the bytes of one copy of a job on one card, before anything is
// shared out, and the few facts that sharing needs.
type parts struct {
	weights     float64 // resident weights of every part of the model
	repeated    float64 // the part of weights that a split repeats: one vocabulary matrix
	kv          float64
	kept        float64 // activations kept from forward to backward, or read at once
	layer       float64 // activations of one layer in flight
	logits      float64
	gradients   float64
	optimizer   float64
	adapters    float64 // weights, gradients and optimizer of the adapters
	step        float64 // scratch of the optimizer step
	once        float64 // paid once per card, whatever is shared
	gathered    float64 // buffers of a sharded run
	gatherLayer float64 // two layers that a fully sharded run has whole while it computes one
	gatherHead  float64 // the head, whole while logits are computed
	reserve     float64 // share that the allocator keeps beyond what is used; torch's own count leaves it out
	context     float64 // CUDA context and libraries of one card
	kvDivisor   float64 // most cards that can divide the cache; 0 is any number
	unshared    float64 // of a clip: decoding and gathering that every card does for itself
	sequential  bool    // layer and logits are never there together
	together    bool    // gradients and activations are there together (accumulation)
}

// fill writes down the parts of a resolved job.
func (s *settings) fill(p *parts) {
	*p = parts{}
	switch {
	case !s.ok:
	case s.domain == image || s.domain == video:
		s.diffusion(p)
	case s.domain == cv:
		s.vision(p)
	case s.domain == audio:
		s.speech(p)
	case s.trained:
		s.training(p)
	default:
		s.inference(p)
	}
}

// tally is the bytes of one card at the worst instant.
type tally struct {
	weights, kv, activations, logits, gradients, optimizer, adapters, context float64

	load float64 // resident before the first step, context included
	slop float64 // part of activations that the allocator holds and does not use
}

func (t *tally) peak() float64 {
	return t.weights + t.kv + t.activations + t.logits + t.gradients + t.optimizer + t.adapters + t.context
}

// tally adds up the parts at the worst instant. Activations, logits, gradients
// and the optimizer's scratch are rarely there at the same time, so each is
// counted as far as it is present at the peak.
func (p *parts) tally(t *tally) {
	*t = tally{
		weights: p.weights, kv: p.kv, optimizer: p.optimizer, adapters: p.adapters, context: p.context,
		activations: p.kept, logits: p.logits, gradients: p.gradients,
	}
	switch {
	case !p.sequential:
		t.activations += p.layer + max(p.gatherLayer, p.gatherHead)
	case p.logits+p.gatherHead >= p.layer+p.gatherLayer:
		t.activations += p.gatherHead
	default:
		t.logits = 0
		t.activations += p.layer + p.gatherLayer
	}
	p.instants(t)
	t.activations += p.once + p.gathered
	t.load = p.weights + p.adapters/4 + p.context
	t.slop = p.reserve * (t.peak() - p.context)
	t.activations += t.slop
}

// instants weighs backward against the optimizer step. Gradients grow while
// activations go, so without accumulation only what the activations have more
// than the gradients counts; the step needs its scratch when they are gone.
func (p *parts) instants(t *tally) {
	moving := t.activations + t.logits
	above := moving
	if !p.together {
		above = max(moving-p.gradients, 0)
	}
	if p.step > 0 {
		t.optimizer += smoothMax(p.step, above) - above
	}
	if above == moving || moving == 0 {
		return
	}
	if above > 0 && p.step == 0 { // the peak is where backward starts
		t.gradients = 0
		return
	}
	t.activations *= above / moving
	t.logits *= above / moving
}
