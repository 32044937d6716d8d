package rules

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gpuadvisor/advisor"
	"gpuadvisor/advisor/cost"
)

var november = cost.Date{Year: 2026, Month: time.November, Day: 20}

// importedAt is when the files of the tests are imported.
var importedAt = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

func importFile(t *testing.T, book *advisor.Rulebook, file, place string) (PriceImport, error) {
	t.Helper()
	data, err := os.ReadFile("testdata/prices/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return ImportPrices(book, Embedded(), bytes.NewReader(data), file, place, november, importedAt)
}

// written spells prices for comparison: "rtx-4090 x2 spot 0.4-0.44 USD".
func written(prices []cost.Price) []string {
	var out []string
	for _, p := range prices {
		s := p.Card
		if p.Cards() > 1 {
			s += fmt.Sprint(" x", p.Cards())
		}
		if p.Spot {
			s += " spot"
		}
		if p.HourLow != 0 {
			s += " " + p.HourLow.String()
		}
		if p.HourHigh != 0 {
			s += "-" + p.HourHigh.String()
		}
		if p.MonthLow != 0 {
			s += " " + p.MonthLow.String() + "/month"
		}
		out = append(out, s+" "+string(p.Currency))
	}
	return out
}

// TestImportTraps reads files as the public catalogues really are: every habit
// that a reader has stumbled over.
func TestImportTraps(t *testing.T) {
	book := mustLoad(t)
	for _, c := range []struct {
		file, place, format string
		want                []string
		left                map[string]int
		unknown             []string
	}{
		{ // JSON in GpuInfo, an extra column, the count folded into the name, memory of all cards
			"sky-verda.csv", "verda", "skypilot",
			[]string{"a100-40gb-sxm 1.2 USD", "a100-40gb-sxm spot 0.6 USD", "a100-80gb-sxm x2 3.78 USD", "h100-sxm 2.65-2.85 USD", "h100-sxm spot 1.1 USD"},
			map[string]int{LeftCPU: 1}, nil,
		},
		{ // a spot price of 0 is unknown, memory of the machine, modified and renamed cards, slices
			"sky-vast.csv", "vast", "skypilot",
			[]string{"a100-40gb-sxm 0.7 USD", "a100-80gb-sxm 0.9 USD", "quadro-rtx-6000 0.25 USD", "rtx-4090 0.4-0.42 USD", "rtx-4090 spot 0.25 USD", "rtx-4090 x2 0.84 USD", "rtx-4090-48gb-mod 0.7 USD", "rtx-6000-ada 0.6-0.62 USD"},
			map[string]int{LeftUnknown: 1, LeftSlice: 1, LeftNoPrice: 1}, []string{"Frobnicator9000"},
		},
		{ // memory in GB, columns in another order, interruptible only
			"sky-runpod.csv", "runpod", "skypilot",
			[]string{"a100-80gb-sxm 1.64 USD", "a100-80gb-sxm spot 0.82 USD", "l40s 0.86 USD", "l40s spot 0.4 USD"},
			nil, nil,
		},
		{ // null in a Python literal, no SizeInMiB
			"sky-hyperstack.csv", "hyperstack", "skypilot",
			[]string{"h100-sxm x8 19.2 USD", "l40 1 USD", "l40 spot 0.8 USD"},
			nil, nil,
		},
		{ // nested one level deeper, in GB
			"sky-shadeform.csv", "shadeform", "skypilot", []string{"rtx-a6000 0.8 USD"}, nil, nil,
		},
		{ // no region is not offered now, a plain A100 of 80 GB, memory 0
			"sky-seeweb.csv", "seeweb", "skypilot", []string{"a100-80gb-sxm 1.9 USD", "rtx-pro-6000-blackwell-ws 1.8 USD"}, map[string]int{LeftGone: 1}, nil,
		},
		{ // machines priced apart from their cards: both are added, one alone is no price
			"sky-gcp.csv", "gcp", "skypilot",
			[]string{"a100-40gb-sxm 3.673 USD", "a100-40gb-sxm spot 1.102 USD", "a100-40gb-sxm x8 29.384 USD", "l4 0.7 USD"},
			map[string]int{LeftHost: 2, LeftCPU: 1}, nil,
		},
		{ // quoted JSON, flags, TPUs, memory that is nominal
			"hunt-lambdalabs.csv", "lambda", "gpuhunt",
			[]string{"a10 0.75 USD", "h100-sxm 3.29 USD", "mi325x 2.1 USD", "v100-16gb x8 spot 4.4 USD"},
			map[string]int{LeftCPU: 1, LeftUnknown: 1}, nil,
		},
		{ // an older file without vendor and architecture
			"hunt-old.csv", "aws", "gpuhunt", []string{"a10g 1.006 USD"}, map[string]int{LeftUnknown: 1}, nil,
		},
		{"own.csv", "my-place", "own", []string{"rtx-4090 1.9 1100/month CNY", "a100-80gb-sxm x8 52 CNY", "h20-96gb 7.5 CNY"}, nil, nil},
		{"own.yaml", "my-place", "own", []string{"rtx-4090 1.85 CNY", "a100-80gb-sxm x8 28000/month CNY"}, nil, nil},
	} {
		got, err := importFile(t, book, c.file, c.place)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if got.Format != c.format || len(got.Refused) > 0 {
			t.Errorf("%s: format %s, refused %v", c.file, got.Format, got.Refused)
		}
		if w := written(got.List.Prices); !slices.Equal(w, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.file, w, c.want)
		}
		if c.left == nil {
			c.left = map[string]int{}
		}
		if fmt.Sprint(got.Left) != fmt.Sprint(c.left) {
			t.Errorf("%s: left out %v, want %v", c.file, got.Left, c.left)
		}
		if c.unknown != nil && !slices.Equal(got.Unknown, c.unknown) {
			t.Errorf("%s: unknown %q, want %q", c.file, got.Unknown, c.unknown)
		}
		for _, p := range got.List.Rows() {
			if p.Origin != cost.Imported || p.Source == "" || len(p.Problems()) > 0 {
				t.Errorf("%s: %+v: %v", c.file, p, p.Problems())
			}
		}
		if got.List.ID != "imported-"+c.place || got.List.AsOf != november {
			t.Errorf("%s: list %s of %s", c.file, got.List.ID, got.List.AsOf)
		}
	}
}

// TestImportRefuses: a value that cannot be meant names its row and line.
func TestImportRefuses(t *testing.T) {
	book := mustLoad(t)
	sky := "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region\nok,L4,1,,0.5,,us\n"
	for _, c := range []struct {
		name, file string
		line       int
		code       cost.Code
	}{
		{"negative", sky + "bad,L4,1,,-0.5,,us\n", 3, cost.Negative},
		{"no number", sky + "bad,L4,1,,cheap,,us\n", 3, cost.NotANumber},
		{"placeholder", sky + "bad,L4,1,,0.0001,,us\n", 3, cost.Absurd},
		{"placeholder of eight", sky + "bad,L4,8,,0.08,,us\n", 3, cost.Absurd},
		{"thousands", sky + "bad,L4,1,,5000,,us\n", 3, cost.Absurd},
		{"infinite", sky + "bad,L4,1,,inf,,us\n", 3, cost.NotANumber},
		{"overflow", sky + "bad,L4,1,,1e300,,us\n", 3, cost.Overflow},
		{"spot", sky + "bad,L4,1,,0.5,-1,us\n", 3, cost.Negative},
		{"own zero", "gpu,currency,price_hour\n4090,CNY,0\n", 2, cost.Zero},
		{"own currency", "gpu,currency,price_hour\n4090,EUR,1.9\n", 2, cost.UnknownCurrency},
		{"own date", "gpu,currency,price_hour,as_of\n4090,CNY,1.9,yesterday\n", 2, cost.BadDate},
		{"own future", "gpu,currency,price_hour,as_of\n4090,CNY,1.9,2026-12-01\n4090,CNY,1.9,2026-12-02\n", 3, cost.BadDate},
		{"own count", "gpu,currency,price_hour,count\n4090,CNY,1.9,-3\n", 2, cost.Absurd},
		{"own words", "gpu,currency,price_hour\n4090,CNY,two\n", 2, cost.NotANumber},
		{"own nothing", "gpu,currency,price_hour\n4090,CNY,\n", 2, cost.Missing},
		{"own memory", "gpu,currency,price_hour\nA100,CNY,4.9\n", 2, cost.Missing},
		{"own list", "- {gpu: 4090, currency: CNY, price_hour: 1.9}\n- {gpu: 4090, currency: CNY, price_hour: -1.9}\n", 2, cost.Negative},
	} {
		got, err := ImportPrices(book, Embedded(), strings.NewReader(c.file), "f.csv", "somewhere", november, importedAt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(got.Refused) != 1 || got.Refused[0].Line != c.line || got.Refused[0].Code != c.code {
			t.Errorf("%s: refused %v, want line %d and %s", c.name, got.Refused, c.line, c.code)
		}
	}
	for _, file := range []string{"", "a,b,c\n1,2,3\n", "{}", "id: x\n", "\x00\x01", "hello"} {
		if _, err := ImportPrices(book, Embedded(), strings.NewReader(file), "f", "somewhere", november, importedAt); err == nil {
			t.Errorf("%q: no error", file)
		}
	}
	if _, err := ImportPrices(book, Embedded(), strings.NewReader("a,b\n1,2\n"), "f", "somewhere", november, importedAt); !errors.Is(err, ErrFormat) {
		t.Errorf("an unknown table: got %v, want ErrFormat", err)
	}
}

// TestImportLeavesOutFarPrices: one price five times off the others of its card
// is named and left out.
func TestImportLeavesOutFarPrices(t *testing.T) {
	book := mustLoad(t)
	file := "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region\n"
	for i := range 9 {
		file += fmt.Sprintf("ok%d,H100-SXM,1,,%d.5,,us\n", i, 2+i%2)
	}
	file += "floor,H100-SXM,1,,0.4,,us\n"
	got, err := ImportPrices(book, Embedded(), strings.NewReader(file), "f.csv", "mithril", november, importedAt)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Far) != 1 || got.Far[0].Name != "floor" || got.Far[0].Line != 11 || got.Left[LeftFar] != 1 {
		t.Errorf("got %v", got.Far)
	}
	if w := written(got.List.Prices); !slices.Equal(w, []string{"h100-sxm 2.5-2.5 USD"}) && !slices.Equal(w, []string{"h100-sxm 2.5 USD"}) {
		t.Errorf("got %q", w)
	}
}

// TestWrittenPricesLoad: what is written can be read again, and is used before
// what came with the program.
func TestWrittenPricesLoad(t *testing.T) {
	book := mustLoad(t)
	got, err := importFile(t, book, "sky-runpod.csv", "runpod")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WritePrices(&b, got.List, "Imported.\nDo not edit."); err != nil {
		t.Fatal(err)
	}
	var list cost.List
	if problems := Decode("imported-runpod.yaml", b.Bytes(), &list); len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, b.String())
	}
	if a, z := written(list.Prices), written(got.List.Prices); !slices.Equal(a, z) {
		t.Errorf("got %q, want %q", a, z)
	}
	all := append(slices.Clone(book.Prices), list.Rows()...)
	band, ok := cost.BandOf(all, cost.Query{Card: "l40s", Currency: cost.USD}, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	if !ok || band.Origin != cost.Imported || band.Hour.Low != 860000 {
		t.Errorf("imported prices do not win: %+v", band)
	}
}

func TestDiffPrices(t *testing.T) {
	p := func(card string, low float64) cost.Price {
		a, _ := cost.AmountOf(low)
		return cost.Price{Card: card, HourLow: a, Currency: cost.USD, Provider: "x"}
	}
	var got []string
	for _, c := range DiffPrices([]cost.Price{p("a", 1), p("b", 2), p("c", 3)}, []cost.Price{p("a", 1), p("b", 2.5), p("d", 4)}) {
		got = append(got, c.What+" "+c.Card)
	}
	if want := []string{"changed b", "new d", "gone c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// bigCatalogue is a catalogue of n rows.
func bigCatalogue(n int) []byte {
	var b bytes.Buffer
	b.WriteString("InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region\n")
	cards := []string{"RTX4090", "A100-80GB", "H100-SXM", "L40S", "T4"}
	mib := []int{24564, 81920, 81920, 46068, 16384}
	for i := range n {
		k := i % len(cards)
		fmt.Fprintf(&b, "m%d,%s,%d,8,32,\"{'Gpus': [{'Name': '%s', 'MemoryInfo': {'SizeInMiB': %d}}], 'TotalGpuMemoryInMiB': %d}\",%.3f,%.3f,r%d\n",
			i, cards[k], 1<<(i/5%4), cards[k], mib[k], mib[k], float64(int(1)<<(i/5%4))*(1+float64(i%97)/100), 0.5*float64(int(1)<<(i/5%4)), i%40)
	}
	return b.Bytes()
}

// TestBigImport reads a hundred thousand rows in less than 150 MB.
func TestBigImport(t *testing.T) {
	book := mustLoad(t)
	data := bigCatalogue(100_000)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := ImportPrices(book, Embedded(), bytes.NewReader(data), "big.csv", "big", november, importedAt)
	runtime.ReadMemStats(&after)
	if err != nil || got.Rows != 100_000 || got.Used != 200_000 || len(got.List.Prices) != 40 {
		t.Fatalf("got %d rows, %d used, %d prices: %v %v", got.Rows, got.Used, len(got.List.Prices), got.Refused, err)
	}
	if grown := after.HeapSys - before.HeapSys; grown > 150<<20 && after.HeapSys > before.HeapSys {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

func BenchmarkImport100k(b *testing.B) {
	book, err := Load()
	if err != nil {
		b.Fatal(err)
	}
	data := bigCatalogue(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ImportPrices(book, Embedded(), bytes.NewReader(data), "big.csv", "big", november, importedAt); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzImport(f *testing.F) {
	book, err := Load()
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"gpu,currency,price_hour\n4090,CNY,1.9\n", "InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region\nx,L4,1,{},0.5,,us\n", "- {gpu: 4090, currency: CNY, price_hour: 1}\n", "gpu_name,gpu_count,price\nA10,1,1\n", "id: a\nsource: b\nas_of: 2026-01\nprices: []\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, file string) {
		got, err := ImportPrices(book, Embedded(), strings.NewReader(file), "f", "x", november, importedAt)
		if err != nil {
			return
		}
		for _, p := range got.List.Rows() {
			if bad := p.Problems(); len(bad) > 0 {
				t.Errorf("%q made %+v: %v", file, p, bad)
			}
		}
	})
}
