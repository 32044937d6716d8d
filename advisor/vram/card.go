package vram

// Card is what the arithmetic needs to know of a GPU board. Facts come from
// the catalogue files, which carry their sources.
type Card struct {
	Vendor            string  `yaml:"vendor"`
	Arch              string  `yaml:"arch"`
	Class             string  `yaml:"class" rule:"enum=consumer|workstation|datacenter|domestic"` // consumer workstation datacenter domestic
	VRAMGB            float64 `yaml:"vram_gb" rule:"min=0"`                                       // on the sticker; 0 is unknown: listed, never advised
	SMIMiB            []int   `yaml:"smi_mib,omitempty,flow"`                                     // totals that nvidia-smi is known to show, MiB
	SMICapW           int     `yaml:"smi_cap_w,omitempty"`                                        // power cap it shows, watts
	BandwidthGBs      float64 `yaml:"bandwidth_gb_s,omitempty"`                                   // memory bandwidth, GB/s
	FP16TFLOPS        float64 `yaml:"fp16_tflops,omitempty"`                                      // dense
	FP64TFLOPS        float64 `yaml:"fp64_tflops,omitempty"`                                      // 0 is unknown
	BF16              bool    `yaml:"bf16"`                                                       // in hardware
	FP8               bool    `yaml:"fp8"`                                                        // in hardware
	RTCores           bool    `yaml:"rt_cores"`                                                   // for rendering
	NVLink            string  `yaml:"nvlink" rule:"enum=none|bridge|nvswitch"`                    // none bridge nvswitch
	NVLinkGBs         float64 `yaml:"nvlink_gb_s,omitempty"`                                      // both ways, GB/s
	TDPW              float64 `yaml:"tdp_w,omitempty"`                                            // watts
	ComputeCapability string  `yaml:"compute_capability,omitempty"`                               // NVIDIA only
	MinCUDA           string  `yaml:"min_cuda,omitempty"`                                         // oldest toolkit that builds for it
	Rentable          string  `yaml:"rentable" rule:"enum=common|some|rare|export-restricted"`    // common some rare export-restricted
	RentableAbroad    string  `yaml:"rentable_outside_cn,omitempty"`                              // where it differs outside China
}
