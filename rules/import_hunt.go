package rules

import (
	"strconv"
	"strings"
)

// The catalogue of gpuhunt (github.com/dstackai/gpuhunt), columns of v2: one
// row for each purchase type, memory in GB for each card, prices in USD for the
// machine.

// huntRow reads one row.
func (im *importer) huntRow(r *tableRow) {
	name, card := r.cell("instance_name"), r.cell("gpu_name")
	amount, ok := im.price(r, name, r.cell("price"), "price")
	n := count(r.cell("gpu_count"))
	switch {
	case card == "" || r.cell("gpu_count") == "0":
		im.leave(LeftCPU)
		return
	case strings.HasPrefix(card, "tpu-") || r.cell("gpu_vendor") == "google":
		im.leave(LeftUnknown)
		return
	case r.has("location") && r.cell("location") == "":
		im.leave(LeftGone)
		return
	case !ok:
		im.leave(LeftNoPrice)
		return
	case n == 0:
		im.leave(LeftSlice)
		return
	}
	gb, err := strconv.ParseFloat(r.cell("gpu_memory"), 64)
	if err != nil {
		gb = 0
	}
	c := im.card(card, gb, n)
	if c == nil {
		im.leave(LeftUnknown)
		return
	}
	im.quoted(machinePrice{r.line, name, c.ID, n, strings.EqualFold(r.cell("spot"), "true"), amount, r.cell("price")})
}
