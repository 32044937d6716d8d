package vram

// The cache of keys and values. It is exact arithmetic: what a layer keeps of
// one token, times tokens, times sequences.

const (
	kvBits      = 16.0 // of one cached number, unless said
	linearState = 256  // numbers that a linear-attention layer keeps per hidden unit; fitted on Qwen3-Next: 32 heads of 128×128 at hidden 2048
)

// kv returns the bytes of cache for batch sequences of tokens each.
func (s *shape) kv(tokens, batch, bits float64) float64 {
	size := bits / 8
	if s.latent > 0 {
		return s.layers * s.latent * size * tokens * batch
	}
	kept := s.fullLayers*tokens + s.winLayers*min(tokens, s.window)
	state := s.linLayers * s.hidden * linearState * 2
	return (2*s.kvwidth*size*kept + state) * batch
}
