package fault

import "testing"

// signatures are a few of each tier, enough for every rule of the ranking. The
// real ones are knowledge and live with the rules, where they prove themselves.
var signatures = []Signature{
	{ID: "xid-79", Layer: Hardware, Sub: "fell-off-bus", Tier: 1, Action: Swap, Xids: []int{79}, Vanishes: true},
	{ID: "gone", Layer: Hardware, Sub: "fell-off-bus", Tier: 1, Action: Swap, Match: []string{`fallen off the bus`}, Vanishes: true},
	{ID: "xid-48", Layer: Hardware, Sub: "ecc", Tier: 1, Action: Swap, Xids: []int{48}},
	{ID: "nvlink5", Layer: Hardware, Sub: "nvlink", Tier: 1, Action: Swap, Xids: []int{149}},
	{ID: "killed", Layer: HostMemory, Sub: "killed", Tier: 2, Action: Resize, Match: []string{`(?i)exit ?code\s*:\s*-9\b`, `Out of memory: Killed process`}},
	{ID: "disk", Layer: Disk, Sub: "full", Tier: 2, Action: Resize, Match: []string{`(?i)No space left on device`}, Near: []string{`shared memory segment`, `posix_fallocate`}},
	{ID: "shm", Layer: Image, Sub: "shm-small", Tier: 2, Action: Fix, Match: []string{`posix_fallocate.*No space left`, `shared memory segment`}},
	{ID: "arch", Layer: Image, Sub: "arch", Tier: 4, Action: Fix, Match: []string{`(?i)no kernel image is available`}},
	{ID: "oom", Layer: User, Sub: "oom", Tier: 5, Action: Resize, Match: []string{`\bCUDA out of memory`}, Needs: OOMPlain},
	{ID: "oom-held", Layer: User, Sub: "oom-held", Tier: 5, Action: Fix, Match: []string{`\bCUDA out of memory`}, Needs: OOMHeld},
	{ID: "cublas-full", Layer: User, Sub: "oom", Tier: 5, Action: Resize, Match: []string{`CUBLAS_STATUS_NOT_INITIALIZED`}, Needs: CardFull},
	{ID: "assert", Layer: User, Sub: "index", Tier: 5, Action: Fix, Match: []string{`device-side assert`}},
	{ID: "port", Layer: User, Sub: "port", Tier: 5, Action: Fix, Match: []string{`Address already in use`}},
	{ID: "xid-43", Layer: User, Sub: "reset", Tier: 5, Action: Fix, Xids: []int{43}},
	{ID: "model-key", Layer: Model, Sub: "arch-unknown", Tier: 5, Action: Fix, Match: []string{`KeyError: 'qwen`}},
	{ID: "dtype", Layer: Model, Sub: "dtype", Tier: 5, Action: Fix, Match: []string{`expected scalar type \w+ but found`}},
	{ID: "safetensors", Layer: Model, Sub: "file", Tier: 5, Action: Fix, Match: []string{`MetadataIncompleteBuffer`}},
	{ID: "visible", Layer: User, Sub: "visible", Tier: 5, Action: Fix, Match: []string{`No CUDA GPUs`}, With: []string{`CUDA_VISIBLE_DEVICES`}},
	{ID: "invisible", Layer: Driver, Sub: "none", Tier: 6, Action: Fix, Match: []string{`No CUDA GPUs`}, Absent: []string{`CUDA_VISIBLE_DEVICES`}},
	{ID: "exception", Layer: User, Sub: "code", Tier: 6, Action: Fix, Last: true, Match: []string{`\b(?:Value|Key)Error: `}},
	{ID: "wrapper", Layer: User, Sub: "arguments", Tier: 6, Action: Fix, Match: []string{`unrecognized arguments`}},
	{ID: "nccl-timeout", Layer: None, Sub: "consequence", Tier: 7, Action: Ask, Match: []string{`Watchdog caught collective`}},
	{ID: "child", Layer: None, Sub: "consequence", Tier: 7, Action: Ask, Match: []string{`ChildFailedError`, `first observed failure`}},
	{ID: "cublas", Layer: None, Sub: "consequence", Tier: 7, Action: Ask, Match: []string{`CUBLAS_STATUS_`}},
	{ID: "xid-45", Layer: None, Sub: "consequence", Tier: 7, Action: Ask, Xids: []int{45, 154}},
}

func newBook(t testing.TB) *Book {
	t.Helper()
	book, problems := New(signatures)
	for _, p := range problems {
		t.Fatalf("signature %s: %s: found %s, want %s", p.ID, p.Field, p.Found, p.Want)
	}
	return book
}

// cards stand in for the catalogue.
var cards = map[string]Stock{
	"NVIDIA GeForce RTX 4090":     {MiB: []int{24564, 23028}, CapW: 450, MinCUDA: "11.8"},
	"NVIDIA GeForce RTX 4090 D":   {MiB: []int{24564, 23028}, CapW: 425, MinCUDA: "11.8"},
	"NVIDIA GeForce RTX 4090 ...": {MiB: []int{24564, 23028}, CapW: 425, MinCUDA: "11.8"},
	"NVIDIA A100-SXM...":          {MiB: []int{40960, 81920}, CapW: 400, MinCUDA: "11.0"},
	"A100-PCIE-40GB":              {MiB: []int{40960, 40536}, CapW: 250, MinCUDA: "11.0"},
	"NVIDIA A40":                  {MiB: []int{46068}, CapW: 300, MinCUDA: "11.1"},
	"A40":                         {MiB: []int{46068}, CapW: 300, MinCUDA: "11.1"},
	"H100":                        {MiB: []int{81559}, CapW: 700, MinCUDA: "11.8"},
	"Tesla V100-SXM2-16GB":        {MiB: []int{16384, 16160}, CapW: 300, MinCUDA: "9.0"},
	"910B4":                       {MiB: []int{32768}},
}

var known = Known{
	Card:     func(name string) (Stock, bool) { s, ok := cards[name]; return s, ok },
	Branches: []Branch{{470, "11.4"}, {535, "12.2"}, {580, "13.0"}, {610, "13.3"}},
	Devices:  map[string]string{"0x740f": "MI210", "0x74a1": "MI300X"},
}
