package extractor_test

import (
	"context"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/attack"
)

// BenchmarkLinear shows that time and memory grow with the size of a result and no faster,
// for the documents of package attack, in a benchmark of each format:
//
//	64KB-ns/byte, 1MB-ns/byte  time per byte of a result, the mean of the generators
//	8MB-ns/byte                the same for the generator whose time grew most
//	x-1MB, x-8MB               time per byte as a multiple of that of 64 KB, of that generator
//	B/byte                     memory allocated per byte of a result, the most
//
// An iteration measures a generator of each layout, and as many iterations as there are
// fillings measure all generators. The last benchmark names the worst.
func BenchmarkLinear(b *testing.B) {
	var worst growth
	byFormat := map[string][]attack.Generator{}
	var formats []string
	for _, g := range attack.Generators() {
		if byFormat[g.Format] == nil {
			formats = append(formats, g.Format)
		}
		byFormat[g.Format] = append(byFormat[g.Format], g)
	}
	for i, format := range formats {
		b.Run(format, func(b *testing.B) { worst = worst.or(benchmarkLinear(b, byFormat[format], i)) })
	}
	b.Run("worst", func(b *testing.B) {
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(worst.ratio, "x-8MB")
		b.Log(worst.generator)
	})
}

// growth is how many times longer a byte of 8 MB takes than one of 64 KB.
type growth struct {
	generator string
	ratio     float64
}

func (g growth) or(other growth) growth {
	if other.ratio > g.ratio {
		return other
	}
	return g
}

// linearCalls are calls of tools with a plural noun, of a shell, and without a noun.
var linearCalls = [...]extractor.Input{
	{Tool: "list_orders", Arguments: `{"status":"open"}`}, {Tool: "bash", Arguments: `{"command":"kubectl get pods"}`}, {Tool: "fetch"},
}

// benchmarkLinear measures the generators of a format, each iteration other ones, beginning
// with other ones for each format.
func benchmarkLinear(b *testing.B, generators []attack.Generator, first int) growth {
	const small, medium, large = 64 << 10, 1 << 20, 8 << 20
	const layouts = 4
	const stride = 263 // coprime to the number of generators, so that neighbours differ
	x := extractor.Default(extractor.WideLimits())
	var worst growth
	var nsSmall, nsMedium, nsLarge, xMedium, bytes float64
	n := first
	for b.Loop() {
		in := linearCalls[n%len(linearCalls)]
		grown, base, most := (*attack.Generator)(nil), 1.0, 0.0
		for range layouts {
			g := &generators[n*stride%len(generators)]
			n++
			fast, _ := perByte(x, in, g.Make(small), 3)
			slow, memory := perByte(x, in, g.Make(medium), 1)
			nsSmall, nsMedium, bytes = nsSmall+fast, nsMedium+slow, max(bytes, memory)
			if ratio := slow / fast; ratio > most {
				grown, base, most = g, fast, ratio
			}
		}
		ns, memory := perByte(x, in, grown.Make(large), 1)
		worst = worst.or(growth{grown.Name(), ns / base})
		nsLarge, xMedium, bytes = max(nsLarge, ns), max(xMedium, most), max(bytes, memory)
	}
	measured := float64(n - first)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(nsSmall/measured, "64KB-ns/byte")
	b.ReportMetric(nsMedium/measured, "1MB-ns/byte")
	b.ReportMetric(nsLarge, "8MB-ns/byte")
	b.ReportMetric(xMedium, "x-1MB")
	b.ReportMetric(worst.ratio, "x-8MB")
	b.ReportMetric(bytes, "B/byte")
	return worst
}

// perByte returns the nanoseconds that an extraction takes for each byte of a result, the
// least of some runs, and the bytes that it allocates.
func perByte(x *extractor.EntityExtractor, in extractor.Input, result string, runs int) (ns, bytes float64) {
	in.Result = result
	least := time.Duration(math.MaxInt64)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		start := time.Now()
		_, _ = x.Extract(context.Background(), in)
		least = min(least, time.Since(start))
	}
	runtime.ReadMemStats(&after)
	size := float64(len(result))
	return float64(least) / size, float64(after.TotalAlloc-before.TotalAlloc) / float64(runs) / size
}
