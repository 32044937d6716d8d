package vram

// Params counts the parameters of a transformer from its shape, in billions: the
// vocabulary matrices, attention, and every expert of the MLPs. Norms and biases
// are left out, which is under 0.1 %. It is 0 without a shape.
func (m Model) Params() float64 {
	s, ok := m.shape()
	if !ok {
		return 0
	}
	attention := s.hidden * (2*s.qwidth + 2*s.kvwidth)
	if m.MLA != nil {
		attention = latentAttention(&m, &s)
	}
	mlp := s.matrices * s.hidden * s.expertFFN
	total := s.vocabulary() + s.layers*(attention+mlp)
	if dense := min(count(m.DenseLayers), s.layers); dense > 0 && m.Experts > 0 {
		total += dense * s.matrices * s.hidden * (count(m.FFN) - s.expertFFN)
	}
	return max(0, total) / billion
}

// latentAttention is the parameters of one layer of multi-head latent attention:
// queries through their own low rank, keys and values through the cached one.
func latentAttention(m *Model, s *shape) float64 {
	l := m.MLA
	rope, nope, value := count(l.QKRopeHeadDim), count(l.QKNopeHeadDim), count(l.VHeadDim)
	queries := s.hidden * s.heads * (nope + rope)
	if rank := count(l.QLoraRank); rank > 0 {
		queries = rank * (s.hidden + s.heads*(nope+rope))
	}
	latent := count(l.KVLoraRank)
	return queries + s.hidden*(latent+rope) + latent*s.heads*(nope+value) + s.heads*value*s.hidden
}
