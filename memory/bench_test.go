package memory_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/race"
	"github.com/go-workingmemory/workingmemory/memory"
)

// full returns a full context of entities with long ids and twice as many entities, which
// cycle through it.
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
	for range 8 { // until the index has reached its final size
		require.NoError(tb, c.AddMany(entities))
		for _, e := range entities {
			require.NoError(tb, c.Add(e))
		}
	}
	return c, entities
}

func TestFullContextDoesNotAllocate(t *testing.T) {
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

// benchmark runs an operation on full contexts. Its argument counts the runs.
func benchmark(b *testing.B, setup func(c *memory.WorkingContext, cycle []memory.Entity) func(i int)) {
	for _, capacity := range []int{10, 64, 1_000, 100_000} {
		b.Run(fmt.Sprint(capacity), func(b *testing.B) {
			run := setup(full(b, capacity))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				run(i)
			}
		})
	}
}

func BenchmarkAddNew(b *testing.B) {
	benchmark(b, func(c *memory.WorkingContext, cycle []memory.Entity) func(int) {
		return func(i int) { _ = c.Add(cycle[i%len(cycle)]) }
	})
}

// BenchmarkAddExisting adds the least recently used entity.
func BenchmarkAddExisting(b *testing.B) {
	benchmark(b, func(c *memory.WorkingContext, _ []memory.Entity) func(int) {
		present := all(c)
		return func(i int) { _ = c.Add(present[len(present)-1-i%len(present)]) }
	})
}

// BenchmarkToolCall measures a tool call that returns 20 entities, 5 of them known, and
// the reads for the next prompt.
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

func BenchmarkBranch(b *testing.B) {
	benchmark(b, func(c *memory.WorkingContext, _ []memory.Entity) func(int) {
		return func(int) { _ = c.Branch() }
	})
}

func BenchmarkState(b *testing.B) {
	benchmark(b, func(c *memory.WorkingContext, _ []memory.Entity) func(int) {
		return func(int) {
			data, _ := json.Marshal(c)
			_ = json.Unmarshal(data, c)
		}
	})
}
