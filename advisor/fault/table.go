package fault

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The frame of nvidia-smi. Each device has two rows, three since drivers know
// MIG; the columns are the same from driver 367 to 610:
//
//	| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
//	| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
//	|                               |                      |               MIG M. |
//
// Only the widths changed (79 characters, 89 since 530, 91 since 550), and in
// 610 the words of the first line.
var (
	frameHead    = regexp.MustCompile(`NVIDIA-SMI\s+v?(\d[\d.]*)`)
	frameDriver  = regexp.MustCompile(`(?:Driver|KMD) Version\s*:\s*(\d[\w.]*)`)
	frameCUDA    = regexp.MustCompile(`CUDA (?:UMD )?Version\s*:\s*(\d+\.\d+|N/A|ERR!|Not Found)`)
	frameBorder  = regexp.MustCompile(`^\s*\+-{20,}[-+]*\+$`)
	frameBus     = regexp.MustCompile(`\b([0-9A-Fa-f]{4,8}:[0-9A-Fa-fxX]{2}:[0-9A-Fa-fxX]{2}\.[0-9A-Fa-f])\s*(On|Off|N/A|ERR!)?`)
	frameName    = regexp.MustCompile(`^\s*(\d{1,3})\s+(\S.*?)(?:\s+(On|Off|N/A|ERR!|WDDM|TCC|MCDM|Enabled|Disabled))?\s*$`)
	frameMemory  = regexp.MustCompile(`(\d+|N/A|ERR!)\s*Mi?B\s*/\s*(\d+|N/A|ERR!)\s*Mi?B`)
	frameTemp    = regexp.MustCompile(`(?:^|\s)(\d{1,3})\s?C\b`)
	framePerf    = regexp.MustCompile(`\b(P\d{1,2})\b`)
	framePower   = regexp.MustCompile(`(?:([\d.]+)\s?W|N/A|ERR!|Off|Unknown Error)\s*/\s*(?:([\d.]+)\s?W|N/A|ERR!|Unknown Error)`)
	frameUtil    = regexp.MustCompile(`^\s*(\d{1,3})\s?%`)
	frameMIG     = regexp.MustCompile(`^\s*(\d+)\s+(\d+|N/A)\s+(\d+|N/A)\s+(\d+)\s*$`)
	frameProcess = regexp.MustCompile(`^\s*(\d{1,3})\s+(?:(?:\d+|N/A)\s+(?:\d+|N/A)\s+)?(\d+|N/A|-)\s+(C\+G|M\+C|C|G|M)\s+(.*?)\s*(?:(\d+)\s?MiB|N/A|Unknown Error)?\s*$`)
)

// section is the part of the frame that a row belongs to.
type section int

const (
	devices section = iota
	slicesOfMIG
	processes
)

func readFrame(p *Print, text []string) {
	var at *GPU // the device whose second and third row come next
	row, part := 0, devices
	for _, s := range text {
		if strings.Contains(s, "NVIDIA-SMI") && strings.Contains(s, "Version") && frameHead.MatchString(s) {
			p.head(s)
			part = devices
			continue
		}
		if p.Frame == 0 && strings.Contains(s, "+----") && frameBorder.MatchString(s) {
			p.Frame = utf8.RuneCountInString(strings.TrimSpace(s))
		}
		cells := cellsOf(s)
		if cells == nil {
			continue
		}
		switch {
		case strings.HasPrefix(strings.TrimSpace(cells[0]), "MIG devices"):
			part = slicesOfMIG
		case strings.HasPrefix(strings.TrimSpace(cells[0]), "Processes"):
			part = processes
		case strings.Contains(s, "No running processes found"):
			p.NoneShown = true
		case part == processes && len(cells) == 1:
			p.processRow(cells[0])
		case part == slicesOfMIG && len(cells) > 1:
			p.sliceRow(cells)
		case len(cells) < 2 || strings.Contains(cells[0], "Name"):
			p.Windows = p.Windows || strings.Contains(s, "TCC/WDDM") || strings.Contains(s, "Driver-Model")
		default:
			if g := p.nameRow(cells); g != nil {
				at, row, part = g, 1, devices
			} else if at != nil && row < 3 {
				row = at.nextRow(cells, row)
			}
		}
	}
	if p.Version != "" && p.Driver != "" && p.Version != p.Driver {
		// the tool of Linux beside the driver of Windows
		p.Windows = p.Windows || strings.Count(p.Driver, ".") == 1 && strings.Split(p.Version, ".")[0] != strings.Split(p.Driver, ".")[0]
	}
}

func (p *Print) head(s string) {
	p.Tool = "nvidia-smi"
	p.form(Table)
	p.Version = frameHead.FindStringSubmatch(s)[1]
	if m := groups(frameDriver, s); m != nil {
		p.Driver = m[0]
	}
	if m := groups(frameCUDA, s); m != nil {
		p.CUDA = m[0]
	}
}

// cellsOf splits a row of a frame; nil for other lines.
func cellsOf(s string) []string {
	s = strings.TrimSpace(s)
	if len(s) < 3 || s[0] != '|' {
		return nil
	}
	s = strings.TrimSuffix(s[1:], "|")
	if strings.Trim(s, "-=+| ") == "" && strings.ContainsAny(s, "-=") {
		return nil
	}
	return strings.Split(s, "|")
}

// nameRow reads the first row of a device.
func (p *Print) nameRow(cells []string) *GPU {
	bus := groups(frameBus, cells[1])
	name := groups(frameName, cells[0])
	if bus == nil || name == nil {
		return nil
	}
	p.Tool = "nvidia-smi"
	p.form(Table)
	g := p.gpu(whole(name[0]), bus[0])
	g.setName(name[1])
	g.Display = bus[1]
	p.Windows = p.Windows || name[2] == "WDDM"
	if broken(cells[0]) {
		g.Name = "ERR!"
		g.failed("name")
	}
	if len(cells) > 2 {
		g.ECC = strings.TrimSpace(cells[2])
		if broken(g.ECC) {
			g.failed("ecc")
		} else {
			g.Uncorrect = whole(g.ECC)
		}
	}
	return g
}

// nextRow reads the second or third row and returns how many are read.
func (g *GPU) nextRow(cells []string, row int) int {
	if row == 1 && strings.Contains(cells[1], "/") || row == 1 && len(cells) > 2 && strings.TrimSpace(cells[1]) != "" {
		g.readingRow(cells)
		return 2
	}
	if row == 2 && len(cells) > 2 {
		g.MIG = strings.Contains(cells[2], "Enabled")
	}
	return 3
}

func (g *GPU) readingRow(cells []string) {
	first := cells[0]
	if broken(first) {
		g.failed("readings")
	}
	g.TempC, g.PowerW, g.CapW, g.UtilPct, g.Perf = nil, nil, nil, nil, ""
	if m := groups(frameTemp, first); m != nil {
		g.TempC = figure(m[0])
	}
	if m := groups(framePerf, first); m != nil {
		g.Perf = m[0]
	}
	if m := groups(framePower, first); m != nil {
		g.PowerW, g.CapW = figure(m[0]), figure(m[1])
	}
	if m := groups(frameMemory, cells[1]); m != nil {
		g.UsedMiB, g.TotalMiB = whole(m[0]), whole(m[1])
	}
	if broken(cells[1]) {
		g.failed("memory")
	}
	if len(cells) > 2 {
		if m := groups(frameUtil, cells[2]); m != nil {
			g.UtilPct = figure(m[0])
		}
		if broken(cells[2]) {
			g.failed("util")
		}
	}
}

func (p *Print) sliceRow(cells []string) {
	ids, mem := groups(frameMIG, cells[0]), groups(frameMemory, cells[1])
	if ids == nil || mem == nil {
		return
	}
	g := p.gpu(whole(ids[0]), "")
	g.MIG = true
	g.Slices = append(g.Slices, Slice{UsedMiB: whole(mem[0]), TotalMiB: whole(mem[1])})
}

func (p *Print) processRow(cell string) {
	m := groups(frameProcess, cell)
	if m == nil {
		return
	}
	p.Processes = append(p.Processes, Process{
		GPU: whole(m[0]), PID: m[1], Type: m[2], Name: strings.TrimSpace(m[3]), MemMiB: whole(m[4]),
	})
}

// nvidia-smi -L: a line per card, a line per MIG instance under it.
var (
	listCard = regexp.MustCompile(`^\s*GPU (\d{1,3}):\s*(.+?)\s*\(UUID:`)
	listMIG  = regexp.MustCompile(`^\s*MIG (\d\S*)\s+Device\s+\d+\s*:`)
)

func readList(p *Print, text []string) {
	var at *GPU
	for _, s := range text {
		if !strings.Contains(s, "UUID:") {
			continue
		}
		if m := groups(listCard, s); m != nil {
			p.Tool = "nvidia-smi"
			p.form(List)
			at = p.gpu(whole(m[0]), "")
			at.setName(m[1])
			continue
		}
		if m := groups(listMIG, s); m != nil && at != nil {
			at.MIG = true
			at.Slices = append(at.Slices, Slice{Profile: m[0]})
		}
	}
}
