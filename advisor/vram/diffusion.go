package vram

import "math"

// Coefficients of picture and clip pipelines.
const (
	contextDiffusion = 0.5 * GiB

	// Decoding a picture sets its peak: bytes per output pixel. 16-channel
	// VAEs of the Flux and SD3 class run in 16 bits (fitted: diffusers-torchao
	// batches 1 to 16), those of UNet pipelines in 32 (fitted: HF blog on SDXL).
	decodeDiT  = 2000
	decodeUNet = 3600
	decodeClip = 760 // of a clip that is known to be decoded at once (CogVideoX, two sizes)

	// With parts of the pipeline in host memory the same decoding takes more,
	// presumably because faster algorithms find room: fitted on SDXL, CogVideoX
	// and ConsisID figures with and without offload.
	decodeModelOffload      = 1.45
	decodeSequentialOffload = 1.3
	tileSide                = 512 // pixels of one tile

	// Activations of a diffusion transformer while denoising, in hidden widths
	// of 2 bytes per token: a share for attention and rotary embedding and one
	// for the MLP (fitted: Wan 14B 38, Wan 1.3B 52, HunyuanVideo 47).
	attentionWidths = 26
	mlpWidths       = 4.5
	usualMLP        = 4 // MLP width in hidden widths when unknown

	// The same between forward and backward, with and without checkpointing
	// (fitted: cogvideox-factory).
	trainWidths     = 80
	trainWidthsKept = 640
	unetWidths      = 4 // a UNet works at higher resolution

	// Decoding and gathering that every card of a sharded clip does for
	// itself: bytes, and bytes per pixel of all frames (fitted: Wan2.1 table).
	clipOnce     = 1.7 * gb
	clipPerPixel = 262

	textTokens   = 512 // that go along with a picture
	tokenSide    = 16  // pixels of one token: VAE 8, patch 2
	tokenFrames  = 4
	blocksUsual  = 60 // of a transformer whose number of blocks is unknown (Qwen-Image, HunyuanVideo)
	swapUnknown  = 0.5
	quantLoading = 0.17 * GiB // loading and quantising beside the 16-bit pipeline (diffusers-torchao)

	// T5-XXL keeps its "wo" matrices in 32 bits under bitsandbytes: 24 layers
	// of 10,240 × 4,096 (Flux in NF4 loads 12.6 GiB, not 9.2).
	t5Wide                = 1.007 * billion
	t5Smallest, t5Largest = 4.5 * billion, 6 * billion
	nf4Extra              = 0.33 * gb
)

// components are the parameters of a pipeline by part.
type components struct {
	denoiser, encoder, other, vae float64
	single                        float64 // of several denoisers that take turns, one
}

// components reads the parts of a pipeline. What is unknown is guessed from
// the catalogue: small denoisers come with small encoders, which their figure
// includes; large ones bring a language model of about 0.6 of what exceeds
// 4 billion.
func (s *settings) components() (c components, convolutional bool) {
	for name, billions := range s.job.Model.Components {
		n := known(billions) * billion
		switch name {
		case "unet":
			convolutional = true
			c.denoiser += n
		case "dit":
			c.denoiser += n
		case "dit_per_expert":
			c.denoiser, c.single = max(s.params, n), n
		case "experts": // their number
		case "text_encoder":
			c.encoder += n
		case "vae":
			c.vae += n
		default:
			c.other += n
		}
	}
	if c.denoiser == 0 {
		c.denoiser = s.params
		s.assumed |= assumedEncoder
		c.encoder = max(0.6*(s.params-4*billion), 0)
		if s.domain == video {
			c.encoder = 5 * billion // T5-XXL or umT5-XXL in most of the catalogue
		}
	}
	if c.single == 0 {
		c.single = c.denoiser
	}
	return c, convolutional
}

// width is the hidden width of the denoiser, or that of a transformer of its
// size: parameters grow with its third power (Flux: 3,072 at 11.9 billion).
func (s *settings) width(c components) float64 {
	if h := count(s.job.Model.Hidden); h > 0 {
		return h
	}
	return 3072 * math.Cbrt(c.single/(11.9*billion))
}

// latentTokens is what the denoiser sees of one picture or clip.
func (s *settings) latentTokens() float64 {
	side, step := count(s.job.Model.TokenSide), count(s.job.Model.TokenFrames)
	if side == 0 {
		side = tokenSide
	}
	if step == 0 {
		step = tokenFrames
	}
	frames := math.Floor((s.frames-1)/step) + 1
	t := frames * (s.w / side) * (s.h / side)
	if s.domain == image {
		t += textTokens
	}
	return t
}

// widths is the activations of one token while denoising, in hidden widths.
func (s *settings) widths(hidden float64) float64 {
	if w := known(s.job.Model.ActWidths); w > 0 {
		return w
	}
	ratio := float64(usualMLP)
	if f := count(s.job.Model.FFN); f > 0 {
		ratio = f / hidden
	}
	return attentionWidths + mlpWidths*ratio
}

// decoding is the bytes of turning latents into pixels.
func (s *settings) decoding(convolutional bool) float64 {
	per := known(s.job.Model.VAEBytes)
	switch {
	case per > 0:
	case s.domain == video && s.job.DecodeBound:
		per = decodeClip
	case s.domain == image && convolutional:
		per = decodeUNet
	case s.domain == image:
		per = decodeDiT
	}
	area, batch := s.w*s.h, s.batch
	if s.offload.tiling {
		area = min(area, tileSide*tileSide)
		if s.domain == video {
			area = min(area, tileSide*tileSide/4)
		}
	}
	if s.offload.tiling || s.offload.slicing {
		batch = 1
	}
	return area * s.frames * batch * per
}

// stored is the bytes of n parameters of a pipeline at this precision.
func (s *settings) stored(n float64, quantised bool) float64 {
	if s.precision.bits > 16 || s.precision.quant && quantised || s.precision.gguf && quantised {
		return n * s.precision.bits / 8
	}
	return 2 * n
}

// diffusion fills the parts of a pipeline that makes pictures or clips.
func (s *settings) diffusion(p *parts) {
	c, convolutional := s.components()
	p.context = contextDiffusion
	p.unshared = clipOnce + clipPerPixel*s.w*s.h*s.frames
	if s.trained {
		s.diffusionTraining(p, c, convolutional)
		return
	}
	encoders := s.precision.quant && !s.precision.part || s.job.QuantiseAll
	denoiser := s.stored(c.denoiser, true) * s.swapped()
	encoder := s.stored(c.encoder, encoders)
	if s.nf4() && encoders && s.assumed&assumedEncoder == 0 && c.encoder > t5Smallest && c.encoder < t5Largest {
		encoder += t5Wide*(4-s.precision.bits/8) + nf4Extra
	}
	rest := s.stored(c.other, false) + s.stored(c.vae, false)
	if s.offload.encoder || s.job.Resident == "dit" {
		encoder = 0
	}
	if s.job.Resident == "dit" {
		rest = 0.6 * gb
	}
	hidden := s.width(c)
	denoising := s.batch * s.latentTokens() * 2 * hidden * s.widths(hidden)
	decoding := s.decoding(convolutional)
	if s.job.WeightsOnly {
		denoising, decoding = 0, 0
	}
	p.weights = denoiser + encoder + rest
	p.kept = max(denoising, decoding)
	s.offloadPipeline(p, c, denoiser*c.single/c.denoiser, encoder, rest, denoising, decoding)
	if s.job.LoadThenQuantise {
		loading := 2*(c.denoiser+c.encoder+c.other+c.vae) + quantLoading
		p.kept = max(p.kept, loading-p.weights)
	}
}

func (s *settings) nf4() bool { return s.precision.id == "nf4" || s.precision.id == "fp4" }

// offloadPipeline leaves one part at a time on the card, or one layer.
func (s *settings) offloadPipeline(p *parts, c components, denoiser, encoder, rest, denoising, decoding float64) {
	resident := p.weights + p.kept
	switch {
	case s.offload.model && s.nf4(): // 4-bit parts do not move
		p.weights = denoiser + encoder
		p.kept = max(denoising, rest+decoding*decodeModelOffload-p.weights)
		resident = min(resident, max(2*c.single+denoising, 2*c.encoder, rest+decoding*decodeModelOffload)) // nobody quantises to need more
	case s.offload.model || s.offload.weights && !s.offload.sequential:
		p.weights = max(denoiser, encoder)
		p.kept = max(denoiser+denoising, rest+decoding*decodeModelOffload, p.weights) - p.weights
	case s.offload.sequential:
		p.weights = max(denoiser, encoder) / blocksUsual * 2
		p.kept = max(denoising, decoding*decodeSequentialOffload)
	default:
		return
	}
	p.kept = min(p.kept, max(resident-p.weights, 0))
}

// swapped is the share of the denoiser that stays while blocks are swapped.
func (s *settings) swapped() float64 {
	blocks := count(s.job.Model.Layers)
	if blocks == 0 {
		blocks = blocksUsual
	}
	switch n := s.offload.blocks; {
	case n < 0:
		return swapUnknown
	case n > 0:
		return max(1-n/blocks, 1/blocks)
	}
	return 1
}

// diffusionTraining fills the parts of a denoiser that learns. Texts and
// pictures are encoded beforehand, as the usual trainers do; only what has no
// known parts keeps its guessed encoder.
func (s *settings) diffusionTraining(p *parts, c components, convolutional bool) {
	p.context = contextTraining
	p.together = true
	p.weights = s.stored(c.denoiser, true) * s.swapped()
	switch {
	case s.job.Resident == "all":
		p.weights += 2 * (c.encoder + c.other + c.vae)
	case s.assumed&assumedEncoder != 0:
		p.weights += 2 * c.encoder
	}
	hidden := s.width(c)
	widths := float64(trainWidths)
	if !s.checkpoint {
		widths = trainWidthsKept
	}
	if convolutional {
		widths *= unetWidths
	}
	p.kept = s.batch * s.latentTokens() * 2 * hidden * widths
	if s.full() {
		s.params = c.denoiser
		s.states(p)
		return
	}
	n := known(s.job.Trainable)
	if n == 0 {
		n = 1.5 * s.rank * c.denoiser / max(hidden, 1) // every linear layer of a transformer with 12 hidden² per layer
	}
	p.adapters = adapterBytes * min(n, mostAdapters*c.denoiser)
}
