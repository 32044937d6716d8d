package vram

// shape is the skeleton of a transformer in the floats that the formulas
// multiply.
type shape struct {
	layers, hidden float64
	qwidth         float64 // query heads × head size
	kvwidth        float64 // key-value heads × head size
	heads, kvHeads float64
	ffn            float64 // width of the MLP that one token passes through
	vocab          float64
	matrices       float64 // of one MLP: 3 gated, 2 plain
	tied           bool

	window     float64 // tokens that a windowed layer keeps
	fullLayers float64 // layers that cache every token
	winLayers  float64 // layers that cache one window
	linLayers  float64 // layers that keep a fixed state
	latent     float64 // numbers cached per token and layer by latent attention
	expertFFN  float64 // width of all experts of a layer together, for adapters
}

// embedding is the parameters of one vocabulary matrix.
func (s *shape) embedding() float64 { return s.vocab * s.hidden }

// vocabulary is the parameters of embedding and head together.
func (s *shape) vocabulary() float64 {
	if s.tied {
		return s.embedding()
	}
	return 2 * s.embedding()
}

// layerParams is the parameters of one layer that a sharded run gathers at
// once: attention and the active MLP.
func (s *shape) layerParams() float64 {
	return s.hidden*(2*s.qwidth+2*s.kvwidth) + s.matrices*s.hidden*s.ffn
}

// shape reads the skeleton of a model in the catalogue; ok is false when it
// has none.
func (m *Model) shape() (shape, bool) {
	if m.Layers <= 0 || m.Hidden <= 0 {
		return shape{}, false
	}
	s := shape{
		layers: count(m.Layers), hidden: count(m.Hidden), heads: count(max(m.Heads, 1)), kvHeads: count(m.KVHeads),
		vocab: count(m.Vocab), matrices: 3, tied: m.Tied,
	}
	if s.kvHeads == 0 {
		s.kvHeads = s.heads
	}
	head := count(m.HeadDim)
	if head == 0 {
		head = s.hidden / s.heads
	}
	if m.PlainMLP {
		s.matrices = 2
	}
	s.qwidth, s.kvwidth = s.heads*head, s.kvHeads*head
	s.ffn, s.expertFFN = m.widths(s.hidden)
	if m.MLA != nil {
		s.latent = count(m.MLA.KVLoraRank) + count(m.MLA.QKRopeHeadDim)
	}
	m.attention(&s)
	return s, true
}

// widths returns the MLP width that one token passes through, and that of all
// experts together.
func (m *Model) widths(hidden float64) (active, all float64) {
	dense := count(m.FFN)
	if dense == 0 {
		dense = 4 * hidden
	}
	if m.Experts <= 0 {
		return dense, dense
	}
	expert := dense
	if m.MoEFFN > 0 {
		expert = count(m.MoEFFN)
	}
	shared := count(m.SharedExperts)
	active = expert * (count(max(m.ExpertsPerToken, 1)) + shared)
	all = expert * (count(m.Experts) + shared)
	if every := count(m.MoELayerEvery); every > 1 { // the other layers are dense
		active = active/every + dense*(every-1)/every
		all = all/every + dense*(every-1)/every
	}
	return active, all
}

// attention counts the layers by what they cache.
func (m *Model) attention(s *shape) {
	own := max(s.layers-count(m.KVSharedLayers), 1) // the rest reuses another layer's cache
	s.fullLayers = own
	every := count(m.FullAttentionEvery)
	if every == 0 || m.SlidingWindow <= 0 && !m.LinearAttention {
		return
	}
	s.fullLayers = max(own/every, 1)
	if m.LinearAttention {
		s.linLayers = own - s.fullLayers
		return
	}
	s.winLayers, s.window = own-s.fullLayers, count(m.SlidingWindow)
}

// typical are the shapes of well-known dense models by size, to size a model
// of which only the parameters are known. Rows between are interpolated, so a
// bigger model never has a smaller shape. Sources: config.json of Qwen2.5
// 0.5B to 72B, Llama 3.1 8B and 405B; the rows above 405B are extrapolated.
var typical = []struct{ paramsB, layers, hidden, qwidth, kvwidth, heads, kvHeads, ffn, vocab float64 }{
	{0.03, 6, 384, 384, 128, 6, 2, 1536, 30522},
	{0.11, 12, 768, 768, 128, 12, 2, 3072, 50000},
	{0.5, 24, 896, 896, 128, 14, 2, 4864, 110000},
	{1.5, 28, 1536, 1536, 256, 14, 2, 8960, 128000},
	{3, 32, 2560, 2560, 512, 24, 4, 10240, 130000},
	{8, 34, 4096, 4096, 1024, 32, 8, 14336, 140000},
	{14, 44, 5120, 5120, 1024, 40, 8, 15360, 150000},
	{32, 64, 5120, 5120, 1024, 40, 8, 27648, 152064},
	{72, 80, 8192, 8192, 1024, 64, 8, 29568, 152064},
	{405, 126, 16384, 16384, 1024, 128, 8, 53248, 152064},
	{2000, 160, 32768, 32768, 1024, 256, 8, 106496, 160000},
}

// typicalShape interpolates the table at a size in billions.
func typicalShape(paramsB float64) shape {
	t := typical
	i := 0
	for i < len(t)-2 && paramsB > t[i+1].paramsB {
		i++
	}
	a, b := t[i], t[i+1]
	x := min(max((paramsB-a.paramsB)/(b.paramsB-a.paramsB), 0), 1)
	at := func(lo, hi float64) float64 { return lo + x*(hi-lo) }
	s := shape{
		layers: at(a.layers, b.layers), hidden: at(a.hidden, b.hidden), qwidth: at(a.qwidth, b.qwidth), kvwidth: at(a.kvwidth, b.kvwidth),
		heads: at(a.heads, b.heads), kvHeads: at(a.kvHeads, b.kvHeads), ffn: at(a.ffn, b.ffn), vocab: at(a.vocab, b.vocab), matrices: 3,
	}
	s.expertFFN, s.fullLayers = s.ffn, s.layers
	s.tied = false
	return s
}
