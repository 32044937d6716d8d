package vram

// storedWeights returns the bytes of the parameters of a language model on the
// card. wide is the bytes of an embedding parameter that quantisation leaves
// alone: 2, or 4 where k-bit preparation upcasts it.
func (s *settings) storedWeights(wide float64) float64 {
	if s.job.WeightBytes > 0 {
		return float64(min(s.job.WeightBytes, most))
	}
	plain := 2 * s.params
	vocabulary := min(s.shape.vocabulary(), s.params)
	switch p := s.precision; {
	case p.gguf:
		return min(s.params*p.bits/8, plain)
	case !p.quant:
		return s.params * p.bits / 8
	case p.id == "fp8" && s.shape.tied: // the checkpoint carries a second, 16-bit head
		return min((s.params-vocabulary)*p.bits/8+2*wide*vocabulary, plain)
	default:
		return min((s.params-vocabulary)*p.bits/8+wide*vocabulary, plain)
	}
}
