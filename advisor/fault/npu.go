package fault

import (
	"regexp"
	"strings"
)

// npu-smi info of Ascend: two rows per chip,
//
//	| NPU   Name    | Health       | Power(W)   Temp(C)          Hugepages-Usage(page) |
//	| Chip  Phy-ID  | Bus-Id       | AICore(%)  Memory-Usage(MB) HBM-Usage(MB)         |
//
// An A3 board lists two chips; the second prints "-" for the power. Boards
// without HBM (310P) have the memory column only.
var (
	npuWords   = regexp.MustCompile(`npu-smi|NPU +Name|Chip +(?:Device|Phy-ID)? *\| *Bus-Id|AICore\(%\)`)
	npuVersion = regexp.MustCompile(`npu-smi\s+(\S+)\s+Version:\s*(\S+)`)
	npuName    = regexp.MustCompile(`^\s*(\d{1,3})\s+(\S*[A-Za-z]\S*|\d{3}\S+)\s*$`)
	npuChip    = regexp.MustCompile(`^\s*(\d{1,3})(?:\s+(\d{1,3}|NA|-))?\s*$`)
	npuPair    = regexp.MustCompile(`(\d+)\s*/\s*(\d+)`)
	npuProcess = regexp.MustCompile(`^\s*(\d{1,3})\s+(\d{1,3})\s*$`)
)

// npuFrame reports whether a line belongs to a print of npu-smi.
func npuFrame(s string) bool {
	return (strings.Contains(s, "npu") || strings.Contains(s, "NPU") || strings.Contains(s, "Chip") || strings.Contains(s, "AICore")) && npuWords.MatchString(s)
}

func readNPU(p *Print, text []string) {
	found, inProcesses := false, false
	var at *GPU
	for _, s := range text {
		if m := groups(npuVersion, s); m != nil {
			found, p.Tool, p.Driver = true, "npu-smi", m[1]
			p.form(Table)
		}
		if npuFrame(s) {
			found, inProcesses = true, false
			continue
		}
		cells := cellsOf(s)
		if !found || cells == nil {
			continue
		}
		switch {
		case strings.Contains(s, "Process id"):
			inProcesses = true
		case strings.Contains(s, "No running processes"):
			p.NoneShown = true
		case inProcesses:
			p.npuProcess(cells)
		case len(cells) == 3:
			at = p.npuRow(at, cells)
		}
	}
}

// npuRow reads one of the two rows of a chip and returns the chip that waits
// for its second.
func (p *Print) npuRow(at *GPU, cells []string) *GPU {
	if m := groups(npuName, cells[0]); m != nil {
		p.Tool = "npu-smi"
		p.form(Table)
		p.GPUs = append(p.GPUs, GPU{Index: whole(m[0]), Name: m[1], Health: strings.TrimSpace(cells[1])})
		g := &p.GPUs[len(p.GPUs)-1]
		f := strings.Fields(cells[2])
		if len(f) > 1 {
			g.PowerW, g.TempC = figure(f[0]), figure(f[1])
		}
		return g
	}
	if at == nil || !npuChip.MatchString(cells[0]) {
		return at
	}
	at.BusID = pickBus(cells[1])
	if f := strings.Fields(cells[2]); len(f) > 0 {
		at.UtilPct = figure(f[0])
	}
	for _, m := range npuPair.FindAllStringSubmatch(cells[2], 3) {
		if total := whole(m[2]); total != nil && *total > 0 {
			at.UsedMiB, at.TotalMiB = whole(m[1]), total
		}
	}
	return nil
}

func pickBus(s string) string {
	s = strings.TrimSpace(s)
	if strings.Count(s, ":") == 2 {
		return s
	}
	return ""
}

func (p *Print) npuProcess(cells []string) {
	if len(cells) < 4 {
		return
	}
	m := groups(npuProcess, cells[0])
	if m == nil {
		return
	}
	p.Processes = append(p.Processes, Process{
		GPU: whole(m[0]), PID: strings.TrimSpace(cells[1]), Type: "C", Name: strings.TrimSpace(cells[2]), MemMiB: whole(cells[3]),
	})
}
