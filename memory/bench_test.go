package memory_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/race"
	"github.com/go-workingmemory/workingmemory/memory"
)

var capacities = []int{10, 64, 1_000, 100_000}

// full is a context full of entities with long ids, and twice as many entities
// that cycle through it: each comes when it has just fallen off.
func full(tb testing.TB, capacity int) (*memory.WorkingContext, []memory.Entity) {
	tb.Helper()
	c := memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity})
	entities := make([]memory.Entity, 2*capacity)
	for i := range entities {
		entities[i] = memory.Entity{
			Type: "page", ID: fmt.Sprintf("550e8400-e29b-41d4-a716-%012d", i),
			Name: "Home", Slug: "home", Tool: "get_page", Path: "$.page",
		}
	}
	for range 8 { // until the index has settled
		require.NoError(tb, c.AddMany(entities))
		for _, e := range entities {
			require.NoError(tb, c.Add(e))
		}
	}
	return c, entities
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("counts allocations")
	}
	for _, capacity := range []int{10, 64, 1_000} {
		c, entities := full(t, capacity)
		next := 0
		cycle := func(n int) []memory.Entity {
			next = (next + n) % (len(entities) - n)
			return entities[next : next+n]
		}
		require.Zero(t, testing.AllocsPerRun(1000, func() { _ = c.Add(cycle(1)[0]) }), "add at %d", capacity)
		require.Zero(t, testing.AllocsPerRun(1000, func() { _ = c.AddMany(cycle(5)) }), "add 5 at %d", capacity)
		oldest := c.Recent(capacity)[capacity-1:]
		use := []memory.Ref{{ID: oldest[0].ID}}
		require.Zero(t, testing.AllocsPerRun(1000, func() { _ = c.Add(oldest[0]) }), "touch at %d", capacity)
		require.Zero(t, testing.AllocsPerRun(1000, func() { _ = c.Apply(memory.Change{Use: use}) }), "use at %d", capacity)
		require.Equal(t, capacity, c.Len())
	}
}

func BenchmarkAddNew(b *testing.B) {
	for _, capacity := range capacities {
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			c, entities := full(b, capacity)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				_ = c.Add(entities[i])
				if i++; i == len(entities) {
					i = 0
				}
			}
		})
	}
}

func BenchmarkAddExisting(b *testing.B) {
	for _, capacity := range capacities {
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			c, _ := full(b, capacity)
			present := c.Recent(capacity)
			b.ReportAllocs()
			i := len(present)
			for b.Loop() { // always the least recently used one
				i--
				_ = c.Add(present[i])
				if i == 0 {
					i = len(present)
				}
			}
		})
	}
}

func BenchmarkUse(b *testing.B) {
	for _, capacity := range capacities {
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			c, _ := full(b, capacity)
			var refs []memory.Ref
			for e := range c.All() {
				refs = append(refs, memory.Ref{ID: e.ID})
			}
			b.ReportAllocs()
			i := len(refs)
			for b.Loop() {
				i--
				_ = c.Apply(memory.Change{Use: refs[i : i+1]})
				if i == 0 {
					i = len(refs)
				}
			}
		})
	}
}

func BenchmarkApply5(b *testing.B) {
	for _, capacity := range capacities {
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			c, entities := full(b, capacity)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				_ = c.Apply(memory.Change{Add: entities[i : i+5]})
				if i += 5; i+5 > len(entities) {
					i = 0
				}
			}
		})
	}
}

// BenchmarkToolCall is what a tool call that returns 20 entities, 5 of them known,
// and the prompt after it ask of a context.
func BenchmarkToolCall(b *testing.B) {
	const batch, known = 20, 5
	for _, capacity := range []int{memory.DefaultCapacity, 256} {
		c, entities := full(b, capacity)
		for len(entities) < 2*batch {
			entities = append(entities, entities...)
		}
		next := 0
		b.Run(fmt.Sprint("add/", capacity), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = c.AddMany(entities[next : next+batch])
				next = (next + batch - known) % (len(entities) - batch)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch), "ns/entity")
		})
		b.Run(fmt.Sprint("read/", capacity), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = c.Recent(capacity)
			}
		})
		b.Run(fmt.Sprint("append/", capacity), func(b *testing.B) {
			var entities []memory.Entity
			b.ReportAllocs()
			for b.Loop() {
				entities = c.AppendRecent(entities[:0], capacity)
			}
		})
	}
}

func BenchmarkRecent(b *testing.B) {
	c, _ := full(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		_ = c.Recent(5)
	}
}

func BenchmarkBranch(b *testing.B) {
	for _, capacity := range capacities {
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			c, _ := full(b, capacity)
			b.ReportAllocs()
			for b.Loop() {
				_ = c.Branch()
			}
		})
	}
}

func BenchmarkMarshalJSON(b *testing.B) {
	for _, capacity := range capacities[:3] {
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			c, _ := full(b, capacity)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = json.Marshal(c)
			}
		})
	}
}

func BenchmarkUnmarshalJSON(b *testing.B) {
	for _, capacity := range capacities[:3] {
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			c, _ := full(b, capacity)
			data, err := json.Marshal(c)
			require.NoError(b, err)
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				_ = json.Unmarshal(data, c)
			}
		})
	}
}
