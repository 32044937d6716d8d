package fault

import (
	"regexp"
	"strings"
)

// nvidia-smi --query-gpu=… --format=csv: a header that names the columns, then a
// row per card; the same for --query-compute-apps. With noheader the command
// line above the rows names the columns, if it was pasted too.
var (
	csvField   = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9_]*(?:\.[a-zA-Z0-9_]+)*)(?: \[[a-zA-Z%/]+\])?$`)
	csvCommand = regexp.MustCompile(`--query-(?:gpu|compute-apps)=["']?([a-zA-Z0-9_.,]+)`)
)

// csvKnown are fields that tell a header from a line of prose with commas.
var csvKnown = map[string]bool{
	"name": true, "gpu_name": true, "index": true, "uuid": true, "gpu_uuid": true, "driver_version": true, "kmd_version": true,
	"memory.total": true, "memory.used": true, "memory.free": true, "utilization.gpu": true, "temperature.gpu": true,
	"power.draw": true, "power.limit": true, "pci.bus_id": true, "gpu_bus_id": true, "pstate": true, "count": true,
	"pid": true, "process_name": true, "used_gpu_memory": true, "used_memory": true, "timestamp": true, "mig.mode.current": true,
	"fan.speed": true, "compute_cap": true, "serial": true, "ecc.mode.current": true,
}

func readCSV(p *Print, text []string) {
	var columns []string
	order := 0 // of the rows under one header, for prints without an index
	for _, s := range text {
		if c := csvHeader(s); c != nil {
			columns, order = c, 0
			continue
		}
		if columns == nil {
			continue
		}
		fields := csvFields(s)
		if len(fields) != len(columns) || cellsOf(s) != nil {
			if len(fields) > 1 || order > 0 {
				columns = nil
			}
			continue
		}
		p.csvRow(columns, fields, order)
		order++
	}
}

func csvFields(s string) []string {
	fields := strings.Split(s, ",")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
}

// csvHeader returns the columns that a line names, or nil.
func csvHeader(s string) []string {
	if strings.Contains(s, "--query-") {
		if m := groups(csvCommand, s); m != nil {
			return strings.Split(strings.Trim(m[0], ","), ",")
		}
	}
	if first, _, _ := strings.Cut(s, ","); len(first) > 64 || !csvField.MatchString(strings.TrimSpace(first)) {
		return nil
	}
	fields := csvFields(s)
	known := 0
	for i, f := range fields {
		m := groups(csvField, f)
		if m == nil {
			return nil
		}
		fields[i] = strings.ToLower(m[0])
		if csvKnown[fields[i]] {
			known++
		}
	}
	if known == 0 || len(fields) == 1 && !strings.Contains(s, ".") || known*4 < len(fields) && known < 3 {
		return nil
	}
	return fields
}

func (p *Print) csvRow(columns, fields []string, order int) {
	row := map[string]string{}
	for i, c := range columns {
		row[c] = fields[i]
	}
	p.Tool = "nvidia-smi"
	p.form(CSV)
	if _, process := row["pid"]; process {
		p.csvProcess(row)
		return
	}
	n := order
	if v := whole(row["index"]); v != nil {
		n = *v
	}
	g := p.gpu(&n, csvValue(pick(row, "pci.bus_id", "gpu_bus_id")))
	g.csv(row)
	if v := csvValue(pick(row, "kmd_version", "driver_version")); v != "" && p.Driver == "" {
		p.Driver = v
	}
}

func (p *Print) csvProcess(row map[string]string) {
	p.Processes = append(p.Processes, Process{
		PID: row["pid"], Name: csvValue(pick(row, "process_name", "name")), MemMiB: whole(csvValue(pick(row, "used_gpu_memory", "used_memory"))),
	})
}

// pick returns the first value that is there and not deprecated: driver 610
// prints "Deprecated, see …" in the old field.
func pick(row map[string]string, names ...string) string {
	for _, n := range names {
		if v, ok := row[n]; ok && !strings.HasPrefix(v, "Deprecated") {
			return v
		}
	}
	return ""
}

// csvValue removes the marks of a missing value: [N/A], [Not Supported], [Unknown Error].
func csvValue(s string) string {
	if s == "" || s[0] == '[' || s == "N/A" || strings.HasPrefix(s, "Deprecated") {
		return ""
	}
	return s
}

func (g *GPU) csv(row map[string]string) {
	value := func(names ...string) string { return csvValue(pick(row, names...)) }
	g.setName(value("name", "gpu_name"))
	set(&g.TotalMiB, whole(value("memory.total")))
	set(&g.UsedMiB, whole(value("memory.used")))
	set(&g.UtilPct, figure(value("utilization.gpu")))
	set(&g.TempC, figure(value("temperature.gpu")))
	set(&g.PowerW, figure(value("power.draw", "power.draw.instant", "power.draw.average")))
	set(&g.CapW, figure(value("power.limit", "enforced.power.limit")))
	set(&g.Uncorrect, whole(value("ecc.errors.uncorrected.volatile.total", "ecc.errors.uncorrected.volatile.dram")))
	set(&g.PCIeGen, whole(value("pcie.link.gen.current", "pcie.link.gen.gpucurrent")))
	set(&g.PCIeGenMax, whole(value("pcie.link.gen.max")))
	set(&g.Lanes, whole(value("pcie.link.width.current")))
	set(&g.LanesMax, whole(value("pcie.link.width.max")))
	if v := value("pstate"); v != "" {
		g.Perf = v
	}
	if v := value("ecc.mode.current"); v != "" {
		g.ECC = v
	}
	g.MIG = g.MIG || value("mig.mode.current") == "Enabled"
	g.RemapWait = g.RemapWait || yes(value("remapped_rows.pending")) || yes(value("retired_pages.pending"))
	g.RemapFail = g.RemapFail || yes(value("remapped_rows.failure"))
	g.csvThrottle(value)
	for _, f := range []string{"name", "memory.total", "memory.used", "temperature.gpu", "utilization.gpu"} {
		if broken(row[f]) {
			g.failed(f)
		}
	}
}

// Bits of clocks_event_reasons.active (nvml.h, nvmlClocksEventReasons).
const (
	reasonHWSlowdown = 0x08
	reasonSWThermal  = 0x20
	reasonHWThermal  = 0x40
	reasonPowerBrake = 0x80
)

func (g *GPU) csvThrottle(value func(...string) string) {
	var bits uint64
	if s, ok := strings.CutPrefix(strings.ToLower(value("clocks_event_reasons.active", "clocks_throttle_reasons.active")), "0x"); ok {
		for _, c := range s {
			d := strings.IndexRune("0123456789abcdef", c)
			if d < 0 {
				return
			}
			bits = bits<<4 | uint64(d)
		}
	}
	for _, r := range []struct {
		bit          uint64
		field, named string
	}{
		{reasonHWThermal, "hw_thermal_slowdown", "hw-thermal"},
		{reasonPowerBrake, "hw_power_brake_slowdown", "hw-power-brake"},
		{reasonHWSlowdown, "hw_slowdown", "hw-slowdown"},
		{reasonSWThermal, "sw_thermal_slowdown", "sw-thermal"},
	} {
		if bits&r.bit != 0 || value("clocks_event_reasons."+r.field, "clocks_throttle_reasons."+r.field) == "Active" {
			g.throttled(r.named)
		}
	}
}

func yes(s string) bool { return s == "Yes" || s == "1" }

// set keeps what is known when a second form of the print does not say.
func set[T any](to **T, v *T) {
	if v != nil {
		*to = v
	}
}
