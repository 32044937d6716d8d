package fault

import (
	"regexp"
	"strings"
)

// nvidia-smi -q: "key : value" under headings. A heading has no value. Chats
// drop the leading spaces, so the nearest heading above counts, not the indent.
var (
	queryGPU  = regexp.MustCompile(`^\s*GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f])\s*$`)
	queryPair = regexp.MustCompile(`^\s*([A-Z][A-Za-z0-9 ./_()\-]*?)\s*:\s*(.*)$`)
)

// querySections are headings that give the same key different meanings.
var querySections = map[string]bool{
	"FB Memory Usage": true, "BAR1 Memory Usage": true, "Conf Compute Protected Memory Usage": true, "Utilization": true,
	"Temperature": true, "Power Readings": true, "GPU Power Readings": true, "GPU Memory Power Readings": true, "Module Power Readings": true,
	"MIG Mode": true, "MIG Device": true, "MIG Devices": true, "ECC Mode": true, "Ecc Mode": true, "ECC Errors": true, "Ecc Errors": true,
	"Volatile": true, "Aggregate": true, "Aggregate Uncorrectable SRAM Sources": true, "Remapped Rows": true, "Retired Pages": true,
	"Clocks Throttle Reasons": true, "Clocks Event Reasons": true, "Clocks Event Reasons Counters": true, "Processes": true,
	"GPU Link Info": true, "PCIe Generation": true, "Link Width": true, "Clocks": true, "Max Clocks": true, "PCI": true,
	"Driver Model": true, "Applications Clocks": true, "Encoder Stats": true, "FBC Stats": true, "Inforom Version": true, "GPU Reset Status": true,
	"vGPU Software Licensed Product": true, "Fabric": true, "Accounting Mode": true, "GPU Operation Mode": true,
	"GPU Ceiling Power Limit": true, "GPU Base Power": true, "Power Samples": true, "GPU Utilization Samples": true, "Bridge Chip": true,
}

func readQuery(p *Print, text []string) {
	q := query{p: p}
	for _, s := range text {
		if len(s) > 300 || cellsOf(s) != nil {
			continue
		}
		q.line(s)
	}
}

// query walks the lines of nvidia-smi -q.
type query struct {
	p       *Print
	at      *GPU
	section string
	inMIG   bool // between "MIG Devices" and the next key of the whole card
	process *Process
}

func (q *query) line(s string) {
	if !strings.Contains(s, ":") {
		if t := strings.TrimSpace(s); querySections[t] {
			q.title(t)
		}
		return
	}
	if m := groups(queryGPU, s); m != nil {
		q.p.Tool = "nvidia-smi"
		q.p.form(Query)
		q.at = q.p.gpu(nil, m[0])
		q.section, q.inMIG = "", false
		return
	}
	if m := groups(queryPair, s); m != nil {
		q.pair(m[0], strings.TrimSpace(m[1]))
	}
}

func (q *query) title(t string) {
	q.section = t
	if t == "MIG Devices" || t == "MIG Device" {
		q.inMIG = true
		if t == "MIG Device" && q.at != nil {
			q.at.MIG = true
			q.at.Slices = append(q.at.Slices, Slice{})
		}
	}
}

// pair reads one "key : value".
func (q *query) pair(key, value string) {
	if querySections[key] && (value == "N/A" || value == "None") {
		q.section = ""
		return
	}
	switch key {
	case "Driver Version", "DRIVER version":
		if q.p.Driver == "" {
			q.p.Driver = csvValue(value)
		}
		return
	case "KMD Version", "KMD version":
		q.p.Driver = value
		return
	case "CUDA Version", "CUDA UMD Version", "CUDA version", "CUDA UMD version":
		if v := csvValue(value); q.p.CUDA == "" && v != "" && v != "Not Found" {
			q.p.CUDA = v
		}
		return
	}
	if q.inMIG && (key == "Accounting Mode" || key == "Serial Number" || key == "Fan Speed" || key == "Performance State") {
		q.inMIG = false
	}
	if q.card(key, value) {
		return
	}
	if g := q.at; g != nil && g.queryValue(q, key, value) {
		q.p.form(Query)
	}
}

// card finds the device that a key begins or continues. A paste of a part of
// -q may have no "GPU 0000…" line: the first key that only -q has opens one.
func (q *query) card(key, value string) bool {
	switch key {
	case "Product Name":
		if q.at == nil || q.at.Name != "" && !q.at.cut() && q.at.Name != value {
			q.open()
		}
		q.p.form(Query)
		q.at.setName(value)
		return true
	case "Total", "Pending", "HW Slowdown", "HW Thermal Slowdown", "GPU Current Temp", "License Status", "DRAM Uncorrectable", "Power Draw", "Current":
		if q.at == nil && q.section != "" {
			q.open()
		}
	}
	return false
}

func (q *query) open() {
	if q.p.Tool == "" {
		q.p.Tool = "nvidia-smi"
	}
	if len(q.p.GPUs) == 1 && q.at == nil {
		q.at = &q.p.GPUs[0]
		return
	}
	q.p.GPUs = append(q.p.GPUs, GPU{})
	q.at = &q.p.GPUs[len(q.p.GPUs)-1]
}

// queryValue stores one value of a device and reports whether it knew the key.
func (g *GPU) queryValue(q *query, key, value string) bool {
	v := csvValue(value)
	switch q.section {
	case "FB Memory Usage":
		return g.queryMemory(q, key, v)
	case "Utilization":
		if key == "Gpu" || key == "GPU" {
			set(&g.UtilPct, figure(v))
			return true
		}
		return false
	case "MIG Mode":
		if key == "Current" {
			g.MIG = g.MIG || v == "Enabled"
			return true
		}
	case "ECC Mode", "Ecc Mode":
		if key == "Current" && v != "" {
			g.ECC = v
			return true
		}
	case "Volatile":
		if strings.Contains(key, "Uncorrectable") || key == "Double Bit" || key == "Device Memory" {
			if n := whole(v); n != nil && strings.Contains(key, "Uncorrectable") {
				sum := *n
				if g.Uncorrect != nil {
					sum += *g.Uncorrect
				}
				g.Uncorrect = &sum
			}
			return true
		}
		return false
	case "Aggregate", "Aggregate Uncorrectable SRAM Sources", "GPU Memory Power Readings", "Module Power Readings", "BAR1 Memory Usage":
		if !strings.Contains(key, "Repair Pending") && key != "Unrepairable Memory" {
			return false
		}
	case "PCIe Generation":
		return linkValue(key, v, &g.PCIeGen, &g.PCIeGenMax)
	case "Link Width":
		return linkValue(key, strings.TrimSuffix(v, "x"), &g.Lanes, &g.LanesMax)
	}
	return g.queryPlain(q, key, v)
}

func linkValue(key, v string, now, most **int) bool {
	switch key {
	case "Current":
		set(now, whole(v))
	case "Max":
		set(most, whole(v))
	default:
		return false
	}
	return true
}

func (g *GPU) queryMemory(q *query, key, v string) bool {
	total, used := &g.TotalMiB, &g.UsedMiB
	if q.inMIG && len(g.Slices) > 0 {
		s := &g.Slices[len(g.Slices)-1]
		total, used = &s.TotalMiB, &s.UsedMiB
	}
	switch key {
	case "Total":
		set(total, whole(v))
	case "Used":
		set(used, whole(v))
	default:
		return false
	}
	return true
}

// queryPlain reads keys that mean the same under every heading.
func (g *GPU) queryPlain(q *query, key, v string) bool {
	switch key {
	case "GPU Current Temp":
		set(&g.TempC, figure(v))
	case "Power Draw", "Average Power Draw", "Instantaneous Power Draw":
		if g.PowerW == nil || key != "Instantaneous Power Draw" {
			set(&g.PowerW, figure(v))
		}
	case "Power Limit", "Current Power Limit", "Enforced Power Limit":
		set(&g.CapW, figure(v))
	case "Performance State":
		g.Perf = v
	case "Display Active":
		g.Display = map[string]string{"Enabled": "On", "Disabled": "Off"}[v]
	case "Pending":
		g.RemapWait = g.RemapWait || v == "Yes"
	case "Pending Page Blacklist", "Channel Repair Pending", "TPC Repair Pending":
		g.RemapWait = g.RemapWait || v == "Yes"
	case "Remapping Failure Occurred", "Unrepairable Memory":
		g.RemapFail = g.RemapFail || v == "Yes"
	case "HW Thermal Slowdown":
		g.active(v, "hw-thermal")
	case "HW Power Brake Slowdown":
		g.active(v, "hw-power-brake")
	case "HW Slowdown":
		g.active(v, "hw-slowdown")
	case "SW Thermal Slowdown":
		g.active(v, "sw-thermal")
	case "License Status":
		g.Unlicensed = g.Unlicensed || strings.HasPrefix(v, "Unlicensed")
	default:
		return q.processKey(key, v)
	}
	return true
}

func (g *GPU) active(v, reason string) {
	if v == "Active" {
		g.throttled(reason)
	}
}

// processKey reads the process list at the end of a device.
func (q *query) processKey(key, v string) bool {
	switch key {
	case "Process ID":
		q.p.Processes = append(q.p.Processes, Process{PID: v})
		q.process = &q.p.Processes[len(q.p.Processes)-1]
		return true
	case "Type", "Name", "Used GPU Memory":
		if q.process == nil {
			return false
		}
	default:
		return false
	}
	switch key {
	case "Type":
		q.process.Type = v
	case "Name":
		q.process.Name = v
	case "Used GPU Memory":
		q.process.MemMiB = whole(v)
	}
	return true
}
