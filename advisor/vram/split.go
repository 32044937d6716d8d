package vram

// split returns the parts of one of n cards.
func (p *parts) split(s *settings, x sharing, n int, out *parts) {
	*out = *p
	if sharded := n > 1 && (x.zero == 3 || x.fsdp); !sharded && !s.offload.weights {
		out.gatherLayer, out.gatherHead = 0, 0 // whoever has all weights gathers none
	}
	if n <= 1 {
		s.alone(out)
		return
	}
	k := float64(n)
	switch {
	case x.clip:
		out.clip(k)
	case s.domain == image || s.domain == video:
		if x.context {
			out.kept /= k
		} else {
			s.stages(out, x, k)
		}
	case s.domain == cv || s.domain == audio:
		s.stages(out, x, k)
	case !s.trained:
		s.answering(out, x, n)
	default:
		s.learning(out, x, n)
	}
}

// alone handles what one card can leave to the host.
func (s *settings) alone(p *parts) {
	if s.trained && s.offload.weights && s.domain == llm {
		s.hostWeights(p)
	}
}

// hostWeights keeps weights, gradients and optimizer in host memory: the card
// sees a few layers at a time.
func (s *settings) hostWeights(p *parts) {
	p.weights, p.gradients, p.optimizer, p.step = 0, 0, 0, 0
}

// answering divides a model that answers.
func (s *settings) answering(p *parts, x sharing, n int) {
	if x.data {
		return
	}
	k := float64(n)
	p.weights = (p.weights-min(2*p.repeated, p.weights))/k + min(p.repeated, p.weights/2)
	if s.shape.latent > 0 && !x.layers { // each card of a tensor split needs the whole latent
		return
	}
	if p.kvDivisor > 0 && !x.layers {
		k = min(k, p.kvDivisor)
	}
	p.kv /= k
}

// learning divides a model that learns.
func (s *settings) learning(p *parts, x sharing, n int) {
	if x.tensorAll {
		x.tensor = n
	}
	if x.pipelineAll {
		x.pipeline = n
	}
	if t := max(x.tensor, 1) * max(x.pipeline, 1) * max(x.expert, 1); t > 1 {
		s.megatron(p, x)
		return
	}
	k := float64(n)
	switch {
	case x.zero == 3 || x.fsdp:
		p.weights /= k
		s.shareStates(p, k, true)
		if x.zero == 3 {
			p.gathered = min(stage3Live, 2*s.params)
		}
		if p.step > 0 {
			p.step = 8*min(s.params/k, subGroup) + stepBuckets
		}
		if s.offload.weights {
			s.hostWeights(p)
		}
	case x.zero > 0:
		s.shareStates(p, k, x.zero == 2)
		if x.zero == 2 && s.full() {
			p.gathered = min(stage2Bucket, 2*s.params)
		}
	}
}

// shareStates divides optimizer, and gradients when asked.
func (s *settings) shareStates(p *parts, k float64, gradients bool) {
	p.optimizer /= k
	p.adapters = p.adapters/4 + p.adapters*3/4/k
	if gradients {
		p.gradients /= k
	}
	p.step /= k
}

// megatron divides by tensor, pipeline and expert parallelism: a stage of the
// pipeline keeps the activations of as many micro-batches as there are
// stages, so only the tensor degree divides those.
func (s *settings) megatron(p *parts, x sharing) {
	t, stages, experts := float64(max(x.tensor, 1)), float64(max(x.pipeline, 1)), float64(max(x.expert, 1))
	all := t * stages * experts
	p.weights /= all
	p.gradients /= all
	p.optimizer /= all
	p.adapters /= all
	p.kept /= t
	p.layer /= t
	p.logits /= t
}

// stages divides the states of a model that is no language model.
func (s *settings) stages(p *parts, x sharing, k float64) {
	if !s.trained {
		return
	}
	switch {
	case x.zero == 3 || x.fsdp:
		p.weights /= k
		s.shareStates(p, k, true)
		p.gathered = min(stage3Live, 2*s.params)
	case x.zero > 0:
		s.shareStates(p, k, x.zero == 2)
		p.gathered = min(stage2Bucket, 2*s.params)
	}
	if s.offload.weights {
		p.optimizer, p.gradients = 0, 0
	}
}

// clip divides a video pipeline by full sharding and sequence parallelism.
// Decoding is not divided: fitted on Wan2.1's table, which is a/n + b to
// within 2 % from 2 to 8 cards.
func (p *parts) clip(k float64) {
	p.weights /= k
	p.kept = (p.kept-min(0.2*p.unshared, p.kept))/k + p.unshared
}
