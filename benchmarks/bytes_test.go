package benchmarks

import (
	"runtime"
	"slices"
	"testing"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/go-workingmemory/workingmemory/memory"
)

// BenchmarkBytesOf10 is the memory that a collection of 10 entities takes, texts
// included, once they are all that is left of what brought them.
func BenchmarkBytesOf10(b *testing.B) {
	const size = memory.DefaultCapacity
	collections := []struct {
		name string
		fill func([]memory.Entity) any
	}{
		{"context", func(es []memory.Entity) any {
			c := memory.NewWorkingContext(nil)
			_ = c.AddMany(es)
			return c
		}},
		{"context-after-30-more", func(es []memory.Entity) any {
			c := memory.NewWorkingContext(nil)
			for range 3 {
				_ = c.AddMany(entitiesOf(40)[size:])
			}
			_ = c.AddMany(es)
			return c
		}},
		{"slice", func(es []memory.Entity) any {
			kept := slices.Clone(es)
			for i := range kept {
				kept[i] = copied(kept[i])
			}
			return &kept
		}},
		{"lru", func(es []memory.Entity) any {
			cache, _ := lru.New[string, memory.Entity](size)
			for _, e := range es {
				e = copied(e)
				cache.Add(e.ID, e)
			}
			return cache
		}},
	}
	for _, c := range collections {
		b.Run(c.name, func(b *testing.B) { reportBytes(b, entitiesOf(size), c.fill) })
		described := entitiesOf(size)
		for i := range described {
			described[i].Description = "red, size S, 10 hours"
		}
		b.Run(c.name+"-described", func(b *testing.B) { reportBytes(b, described, c.fill) })
	}
}

// reportBytes reports the heap in use, as the runtime counts it, of each of many
// collections.
func reportBytes(b *testing.B, entities []memory.Entity, fill func([]memory.Entity) any) {
	const collections = 20_000
	for range b.N {
		kept := make([]any, collections)
		before := heap()
		for i := range kept {
			kept[i] = fill(entities)
		}
		after := heap()
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/collections, "B/collection")
		b.ReportMetric(float64(after.HeapInuse-before.HeapInuse)/collections, "inuse-B/collection")
		runtime.KeepAlive(kept)
	}
}

func heap() (stats runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats
}
