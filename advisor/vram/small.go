package vram

import "math"

// Convolutional networks and speech models: small weights, sized by a fit.
const (
	contextVision = 1.0 * GiB // context, cuDNN and data loader of a training run

	// One 640×640 picture between forward and backward in mixed precision:
	// 0.058 GiB × (millions of parameters)^0.62. Fitted on AutoBatch rows of
	// YOLOv8; the same curve gives ResNet-50's published figures at 224×224.
	//
	// A whole run of a detector can take twice that (cv-trn-022, 2.8 GiB where
	// this gives 1.35). AutoBatch profiles forward and backward without a loss;
	// in training the assigner of YOLOv8 takes some 40 to 150 bytes for each
	// picture × labelled object × anchor (ultralytics pull request 25240, issue
	// 492: 1.6 GB at 10 objects a picture, 21.7 at 1000), and the largest batch
	// sets what stays reserved. That grows with objects, which nobody says and
	// no published figure gives, and otherwise with batch × area as this does:
	// so many of them that the run at 8 × 704² comes within 35 % put the profile
	// at 16 × 480², nearly as many pixels, 39 % too high.
	picture      = 0.058 * GiB
	pictureGrows = 0.62
	pictureSide  = 640
	visionBase   = 0.15 * GiB
	inferShare   = 0.35 // of the same, when nothing is kept for backward

	// Whisper large-v2 in four programs: weights + 1.5 GiB, and 0.22 GiB for
	// each further stream (faster-whisper README, RTX 3070 Ti).
	speechBase   = 1.3 * GiB
	speechStream = 0.22 * GiB
	speechTrain  = 1.0 * GiB // one clip of training; our own guess
)

// vision fills the parts of an image classifier, detector or segmenter.
func (s *settings) vision(p *parts) {
	p.context = contextVision
	area := s.w * s.h / (pictureSide * pictureSide)
	per := picture * math.Pow(s.params/1e6, pictureGrows) * area
	if s.precision.bits > 16 {
		per *= s.precision.bits / 16
	}
	p.together = true
	if !s.trained {
		p.weights = s.params * s.precision.bits / 8
		p.once = visionBase
		p.kept = inferShare * per * s.batch
		return
	}
	p.weights = 4 * s.params // 32-bit weights, autocast computes
	p.gradients = 4 * s.params
	p.optimizer = 8 * s.params
	p.once = visionBase
	p.kept = per * s.batch
}

// speech fills the parts of a model that hears or speaks.
func (s *settings) speech(p *parts) {
	p.weights = s.params * s.precision.bits / 8
	p.context = contextInference
	p.once = speechBase - contextInference
	p.kept = speechStream * s.batch
	if !s.trained {
		return
	}
	p.context = contextTraining
	p.together = true
	p.kept = speechTrain * s.batch
	if s.full() {
		s.states(p)
		return
	}
	p.adapters = adapterBytes * 0.02 * s.params // adapters train about 2 %
}
