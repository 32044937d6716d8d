package fault

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Print is what a print of nvidia-smi, npu-smi, rocm-smi or amd-smi says. What
// it does not say is absent: nil, or "".
type Print struct {
	Tool      string // nvidia-smi npu-smi rocm-smi amd-smi, "" when nothing was recognised
	Forms     []Form
	Version   string // of the tool, when it differs from the driver's (WSL) or is all there is
	Driver    string
	CUDA      string // "12.4", or as printed: "N/A", "ERR!"
	GPUs      []GPU
	Processes []Process
	NoneShown bool      // the print says that no process was found
	Troubles  []Trouble // messages instead of a print, or beside it
	Frame     int       // width of the frame in characters; 0 when there is none
	Windows   bool      // WDDM or WSL: the desktop uses the card too
}

// Form is a kind of print.
type Form string

// The forms.
const (
	Table Form = "table" // the frame
	List  Form = "list"  // nvidia-smi -L
	CSV   Form = "csv"   // --query-gpu … --format=csv
	Query Form = "query" // nvidia-smi -q
)

// GPU is one device of a print.
type GPU struct {
	Index      *int
	Name       string // as printed, with "..." when the frame cut it; "" not given
	BusID      string
	DeviceID   string // PCI device id ("0x74a1"), where no name is printed
	TotalMiB   *int
	UsedMiB    *int
	UsedPct    *float64 // where only a share is printed
	UtilPct    *float64
	TempC      *float64
	PowerW     *float64
	CapW       *float64
	Perf       string // P0 … P12
	Display    string // On Off
	ECC        string // the ECC column, or the ECC mode
	Uncorrect  *int   // uncorrectable memory errors since the driver started
	MIG        bool
	Slices     []Slice
	Health     string   // npu-smi
	Errors     []string // fields that print ERR! or Unknown Error
	RemapWait  bool     // a row remap or page retirement waits for a reset
	RemapFail  bool     // rows could not be remapped
	Throttle   []string // hw-thermal hw-power-brake hw-slowdown sw-thermal
	PCIeGen    *int
	PCIeGenMax *int
	Lanes      *int
	LanesMax   *int
	Unlicensed bool
	NoPowerCap bool // rocm-smi: "Unsupported", as an integrated GPU prints
}

// Slice is a MIG instance.
type Slice struct {
	Profile  string // "3g.40gb", "" when the print gives only sizes
	TotalMiB *int
	UsedMiB  *int
}

// Process is a line of the process list.
type Process struct {
	GPU    *int
	PID    string
	Type   string // C G C+G M+C, "" when not printed
	Name   string
	MemMiB *int
}

// Trouble is a message of the tool that stands for a state of the machine.
type Trouble string

// The troubles.
const (
	TroubleMismatch Trouble = "driver-mismatch"   // library and kernel module differ
	TroubleNoDriver Trouble = "driver-not-loaded" // the module does not answer
	TroubleLost     Trouble = "gpu-lost"          // one card does not answer
	TroubleNone     Trouble = "no-devices"        // driver without cards
	TroubleNoTool   Trouble = "no-tool"           // the command does not exist
	TroubleNVML     Trouble = "nvml-unknown"      // the container lost its devices
	TroubleBlocked  Trouble = "blocked"           // permissions, or the operating system says no
)

// The wording is the tools' own and fixed; the state is what it means.
var troubles = []struct {
	re    *regexp.Regexp
	state Trouble
}{
	{regexp.MustCompile(`(?i)driver/library version mismatch`), TroubleMismatch},
	{regexp.MustCompile(`(?i)couldn'?t communicate with the nvidia driver|driver not loaded|dcmi (?:module|model) initialized? failed|driver not initialized|ROCk module is NOT loaded`), TroubleNoDriver},
	{regexp.MustCompile(`(?i)gpu is lost|unable to determine the device handle`), TroubleLost},
	{regexp.MustCompile(`(?i)no devices were found|no supported gpus? (?:was|were )?found|nvidia gpu not found|no amd gpus? (?:specified|found|detected)`), TroubleNone},
	{regexp.MustCompile(`(?i)(?:nvidia|npu|rocm|amd)-smi'?:? (?:command )?not found|command '?(?:nvidia|npu|rocm|amd)-smi'? not found|(?:nvidia|npu|rocm|amd)-smi: no such file|'(?:nvidia|npu|rocm|amd)-smi' is not recognized|(?:nvidia|npu|rocm|amd)-smi: 未找到命令|(?:nvidia|npu|rocm|amd)-smi.{0,4}(?:不是内部或外部命令|executable file not found)|无法将.{0,3}(?:nvidia|npu|rocm|amd)-smi`), TroubleNoTool},
	{regexp.MustCompile(`(?i)failed to initialize nvml: (?:unknown error|not found|n/a|uninitialized)`), TroubleNVML},
	{regexp.MustCompile(`(?i)blocked by the operating system|failed to initialize nvml: insufficient permissions`), TroubleBlocked},
}

// troubleWords are a quick look before the slow ones.
var troubleWords = []string{"mismatch", "communicate", "Loaded", "loaded", "initialize", "is lost", "handle for", "found", "-smi", "blocked by"}

// Read reads a print. Other text around it does not disturb; a paste may hold
// several forms of the same machine, and they complete each other.
func Read(print string) Print {
	all, _ := lines(print)
	text := make([]string, len(all))
	for i, l := range all {
		text[i] = l.text
	}
	var p Print
	if slices.ContainsFunc(text, npuFrame) {
		readNPU(&p, text)
	} else {
		readFrame(&p, text)
		readList(&p, text)
		readCSV(&p, text)
		readQuery(&p, text)
		readROCm(&p, text)
		readAMD(&p, text)
	}
	readTroubles(&p, text)
	return p
}

func readTroubles(p *Print, text []string) {
	for _, s := range text {
		if len(s) > 400 || !containsAny(s, troubleWords) || prose(s) {
			continue
		}
		for _, t := range troubles {
			if t.re.MatchString(s) && !slices.Contains(p.Troubles, t.state) {
				p.Troubles = append(p.Troubles, t.state)
			}
		}
	}
}

func (p *Print) form(f Form) {
	if !slices.Contains(p.Forms, f) {
		p.Forms = append(p.Forms, f)
	}
}

// gpu returns the device with this index and bus id, a new one if need be. A
// later sample of the same device goes into the same place.
func (p *Print) gpu(index *int, bus string) *GPU {
	for i := range p.GPUs {
		g := &p.GPUs[i]
		if bus != "" && g.BusID != "" {
			if shortPCI(g.BusID) == shortPCI(bus) {
				return g
			}
			continue
		}
		if index != nil && g.Index != nil && *g.Index == *index {
			return g
		}
	}
	p.GPUs = append(p.GPUs, GPU{Index: index, BusID: bus})
	return &p.GPUs[len(p.GPUs)-1]
}

// cut reports whether the frame had no room for the name.
func (g GPU) cut() bool { return strings.HasSuffix(g.Name, "...") }

// setName keeps the longer of two spellings: -L and CSV complete what a frame cut.
func (g *GPU) setName(name string) {
	if name == "" || g.Name != "" && !g.cut() {
		return
	}
	g.Name = name
}

func (g *GPU) failed(field string) {
	if !slices.Contains(g.Errors, field) {
		g.Errors = append(g.Errors, field)
	}
}

func (g *GPU) throttled(reason string) {
	if !slices.Contains(g.Throttle, reason) {
		g.Throttle = append(g.Throttle, reason)
	}
}

// broken is how the tools print a field that the driver could not read.
func broken(s string) bool {
	return strings.Contains(s, "ERR!") || strings.Contains(s, "Unknown Error") || strings.Contains(s, "GPU is lost") || strings.Contains(s, "requires reset")
}

var firstNumber = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// figure returns the first number in a field, or nil.
func figure(s string) *float64 {
	v, err := strconv.ParseFloat(firstNumber.FindString(s), 64)
	if err != nil {
		return nil
	}
	return &v
}

// whole is figure for counts and MiB.
func whole(s string) *int {
	v := figure(s)
	if v == nil || *v > 1e9 || *v < -1e9 {
		return nil
	}
	return new(int(*v))
}

// groups is FindStringSubmatch without the whole match; nil when nothing matches.
func groups(re *regexp.Regexp, s string) []string {
	m := re.FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	return m[1:]
}
