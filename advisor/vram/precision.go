package vram

import "strings"

// precision is how weights are stored.
type precision struct {
	id    string
	bits  float64 // per weight, scales and zero points included
	quant bool    // embedding and head stay in 16 bits
	gguf  bool    // one figure for the whole file, embedding included
	part  bool    // only the denoiser of a pipeline
	both  bool    // the note says that the text encoders are quantised too
}

// precisions are the names in use. The fractions are the scales: an int4 group
// of 128 carries 16 bits of scale and zero (4.16), NF4 a 32-bit absmax per 64
// weights (4.5), double quantisation of those 0.127 (Dettmers et al., QLoRA,
// arXiv 2305.14314); GPTQ in 8 bits 8.2, bitsandbytes int8 8.06 (row scales);
// MXFP4 8 bits per 32 (4.25, OCP MX 1.0). GGUF: measured bits per weight of
// llama.cpp's quantize table.
var precisions = map[string]precision{
	"fp64": {bits: 64}, "fp32": {bits: 32}, "32-bit": {bits: 32}, "tf32": {bits: 32}, "float32": {bits: 32},
	"bf16": {bits: 16}, "fp16": {bits: 16}, "f16": {bits: 16}, "16-bit": {bits: 16}, "half": {bits: 16}, "amp": {bits: 16}, "float16": {bits: 16}, "bfloat16": {bits: 16},

	"fp8": {bits: 8.06, quant: true}, "fp8wo": {bits: 8.06, quant: true}, "fp8dq": {bits: 8.06, quant: true},
	"int8": {bits: 8.06, quant: true}, "8-bit": {bits: 8.06, quant: true}, "int8wo": {bits: 8.06, quant: true}, "gptq-int8": {bits: 8.2, quant: true},
	"fp6":  {bits: 6.06, quant: true},
	"int4": {bits: 4.25, quant: true}, "4-bit": {bits: 4.5, quant: true}, "int4wo": {bits: 4.5, quant: true}, "hqq-4bit": {bits: 4.5, quant: true},
	"gptq-int4": {bits: 4.16, quant: true}, "gptq": {bits: 4.16, quant: true}, "awq": {bits: 4.16, quant: true}, "awq-int4": {bits: 4.16, quant: true},
	"fp4": {bits: 4.5, quant: true}, "nf4": {bits: 4.5, quant: true}, "nf4-dq": {bits: 4.127, quant: true}, "fp4-dq": {bits: 4.127, quant: true},
	"mxfp4": {bits: 4.25, quant: true}, "nvfp4": {bits: 4.5, quant: true},
	"int3": {bits: 3.25, quant: true}, "3-bit": {bits: 3.25, quant: true}, "int2": {bits: 2.3, quant: true}, "2-bit": {bits: 2.3, quant: true},

	"q2_k": {bits: 3.0, gguf: true}, "q3_k_s": {bits: 3.5, gguf: true}, "q3_k_m": {bits: 3.91, gguf: true}, "q3_k_l": {bits: 4.22, gguf: true},
	"q4_0": {bits: 4.55, gguf: true}, "q4_1": {bits: 5.0, gguf: true}, "q4_k_s": {bits: 4.58, gguf: true}, "q4_k_m": {bits: 4.85, gguf: true},
	"q5_0": {bits: 5.54, gguf: true}, "q5_k_s": {bits: 5.54, gguf: true}, "q5_k_m": {bits: 5.7, gguf: true},
	"q6_k": {bits: 6.57, gguf: true}, "q8_0": {bits: 8.5, gguf: true},
	"iq2_xxs": {bits: 2.3, gguf: true}, "iq2_xs": {bits: 2.5, gguf: true}, "iq2_m": {bits: 2.9, gguf: true}, "iq3_xxs": {bits: 3.3, gguf: true},
	"iq3_m": {bits: 3.7, gguf: true}, "iq4_xs": {bits: 4.3, gguf: true}, "iq4_nl": {bits: 4.6, gguf: true},
}

// readPrecision reads a precision as people and tables write it: "bf16",
// "fp16/bf16", "int8wo (DiT only)", "nf4 (DiT + T5)". ok is false when no part
// of it is a known name.
func readPrecision(s string) (precision, bool) {
	if p, ok := precisions[s]; ok {
		p.id = s
		return p, true
	}
	s = strings.ToLower(strings.TrimSpace(s))
	name := s
	if i := strings.IndexAny(s, " /(,"); i > 0 {
		name = s[:i]
	}
	p, ok := precisions[name]
	if !ok {
		return precision{}, false
	}
	p.id = name
	p.part = strings.Contains(s, "only")
	p.both = !p.part && (strings.Contains(s, "t5") || strings.Contains(s, "encoder"))
	return p, true
}
