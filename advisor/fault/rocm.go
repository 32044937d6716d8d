package fault

import (
	"regexp"
	"strings"
)

// rocm-smi prints one row per device. Columns came and went, the outer ones
// stayed: the index first; GPU%, VRAM%, the power cap and the performance level
// last. In between the temperature ends in "c" or "°C" and the power in "W".
// Memory is a share only; --showmeminfo and --showproductname add lines of
// "GPU[0] : key : value".
var (
	rocmWords  = regexp.MustCompile(`ROCm System Management Interface|ROCM-SMI|VRAM% +GPU%`)
	rocmRow    = regexp.MustCompile(`^\s*(\d{1,3})\s+(.*\S)\s+(\d+%|N/A|Unknown)\s+(\d+%|N/A|Unknown)\s*$`)
	rocmTemp   = regexp.MustCompile(`(?:^|\s)([\d.]+)\s?°?[cC](?:\s|$)`)
	rocmPower  = regexp.MustCompile(`(?:^|\s)([\d.]+)\s?W(?:\s|$)`)
	rocmDevice = regexp.MustCompile(`\b(0x[0-9a-fA-F]{4})\b`)
	rocmPair   = regexp.MustCompile(`^\s*GPU\[(\d{1,3})\]\s*:\s*([^:]+?)\s*:\s*(.+?)\s*$`)
	rocmName   = regexp.MustCompile(`^\s*((?:AMD|Radeon|Instinct)\b.*?)\s*$`)
)

func readROCm(p *Print, text []string) {
	found := false
	var at *GPU
	for _, s := range text {
		if strings.Contains(s, "ROC") && rocmWords.MatchString(s) || strings.Contains(s, "VRAM%") {
			found = true
			p.Tool = "rocm-smi"
			p.form(Table)
			continue
		}
		if strings.Contains(s, "GPU[") {
			m := groups(rocmPair, s)
			if m == nil {
				continue
			}
			p.Tool = "rocm-smi"
			p.gpu(whole(m[0]), "").rocmValue(m[1], m[2])
			continue
		}
		if !found || cellsOf(s) != nil {
			continue
		}
		if m := groups(rocmRow, s); m != nil {
			at = p.gpu(whole(m[0]), "")
			at.rocm(m[1], m[2], m[3])
		} else if m := groups(rocmName, s); m != nil && at != nil {
			at.setName(m[0])
			at = nil
		}
	}
}

func (g *GPU) rocm(middle, vram, util string) {
	g.UsedPct, g.UtilPct = figure(vram), figure(util)
	if m := groups(rocmTemp, middle); m != nil {
		g.TempC = figure(m[0])
	}
	watts := rocmPower.FindAllStringSubmatch(middle, -1)
	if len(watts) > 0 {
		g.PowerW = figure(watts[0][1])
	}
	f := strings.Fields(middle)
	last := f[len(f)-1]
	if strings.HasSuffix(last, "W") && len(watts) > 1 {
		g.CapW = figure(last)
	}
	g.NoPowerCap = last == "Unsupported"
	if m := groups(rocmDevice, middle); m != nil {
		g.DeviceID = strings.ToLower(m[0])
	}
	if strings.Contains(middle, "CPX") || strings.Contains(middle, "DPX") || strings.Contains(middle, "QPX") {
		g.MIG = true // partitioned: one device of the list is a part of a board
	}
}

func (g *GPU) rocmValue(key, value string) {
	bytes := func() *int {
		v := figure(value)
		if v == nil {
			return nil
		}
		return new(int(*v / (1 << 20)))
	}
	switch strings.ToLower(key) {
	case "vram total memory (b)":
		g.TotalMiB = bytes()
	case "vram total used memory (b)":
		g.UsedMiB = bytes()
	case "card series", "card model", "market name":
		g.setName(value)
	case "gpu id", "device id":
		g.DeviceID = strings.ToLower(value)
	case "gpu use (%)":
		g.UtilPct = figure(value)
	case "temperature (sensor junction) (c)", "temperature (sensor edge) (c)":
		set(&g.TempC, figure(value))
	}
}

// amd-smi prints a frame of two columns, two rows per device:
//
//	| BDF              GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
//	| GPU  HIP-ID  OAM-ID  Mode | GFX-Uti    Fan               Mem-Usage |
var (
	amdVersion = regexp.MustCompile(`AMD-SMI\s+(\S+).*?amdgpu version:\s*(\S+)`)
	amdName    = regexp.MustCompile(`^\s*([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F])\s+(\S.*?)\s*$`)
	amdHot     = regexp.MustCompile(`([\d.]+)\s?°C\s+(\d+|N/A)\s+(?:([\d.]+)|N/A)/(?:([\d.]+)|N/A) ?W`)
	amdIndex   = regexp.MustCompile(`^\s*(\d{1,3})\s+(?:\d+|N/A)\s+(?:\d+|N/A)\s+(\S+)`)
	amdUse     = regexp.MustCompile(`^\s*(\d+) ?%.*?(\d+)/(\d+) ?MB`)
)

func readAMD(p *Print, text []string) {
	found := false
	var at *GPU
	for _, s := range text {
		if !found && strings.Contains(s, "AMD-SMI") {
			if m := groups(amdVersion, s); m != nil {
				found, p.Tool, p.Version, p.Driver = true, "amd-smi", m[0], m[1]
				p.form(Table)
			}
			continue
		}
		cells := cellsOf(s)
		if !found || len(cells) != 2 {
			continue
		}
		if m := groups(amdName, cells[0]); m != nil {
			at = p.gpu(nil, m[0])
			at.setName(m[1])
			if h := groups(amdHot, cells[1]); h != nil {
				at.TempC, at.Uncorrect, at.PowerW, at.CapW = figure(h[0]), whole(h[1]), figure(h[2]), figure(h[3])
			}
		} else if m := groups(amdIndex, cells[0]); m != nil && at != nil {
			at.Index = whole(m[0])
			if u := groups(amdUse, cells[1]); u != nil {
				at.UtilPct, at.UsedMiB, at.TotalMiB = figure(u[0]), whole(u[1]), whole(u[2])
			}
			at = nil
		}
	}
}
