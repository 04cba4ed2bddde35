package memory_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/race"
	"github.com/go-workingmemory/workingmemory/memory"
)

// drawEntity draws an entity that a context does not modify, with texts of all lengths,
// times of all years and counts up to the largest.
func drawEntity(t *rapid.T) memory.Entity {
	text := rapid.OneOf(rapid.Just(""), rapid.StringN(0, -1, memory.MaxTextBytes), rapid.SampledFrom([]string{
		"x", strings.Repeat("x", 255), strings.Repeat("x", memory.MaxTextBytes), strings.Repeat("é", memory.MaxTextBytes/2), "550e8400-e29b-41d4-a716-446655440000",
	}))
	ids := rapid.OneOf(rapid.StringN(1, -1, memory.MaxIDBytes), rapid.SampledFrom([]string{
		strings.Repeat("i", memory.MaxIDBytes), "\x00", "550e8400-e29b-41d4-a716-446655440000",
	}), uuidLike())
	count := rapid.OneOf(rapid.Just(0), rapid.IntMin(0))
	authorities := rapid.SampledFrom([]memory.Authority{memory.AuthorityFull, memory.AuthorityOwn, memory.AuthorityNone})
	origin := rapid.Custom(func(t *rapid.T) *memory.Origin {
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		return &memory.Origin{
			Tool: "another " + rapid.StringN(0, -1, 200).Draw(t, "origin's tool"), Source: text.Draw(t, "origin's source"), Authority: authorities.Draw(t, "origin's authority"),
			Place: rapid.SampledFrom([]memory.Place{memory.PlaceRecord, memory.PlaceText, memory.PlaceView}).Draw(t, "origin's place"),
			Role:  rapid.SampledFrom([]memory.Role{memory.RoleRecord, memory.RoleReference, memory.RoleCandidate}).Draw(t, "origin's role"),
		}
	})
	return memory.Entity{
		Type: rapid.OneOf(rapid.SampledFrom([]string{"page", memory.FallbackType}), rapid.StringN(1, -1, memory.MaxTypeBytes)).Draw(t, "type"),
		ID:   ids.Draw(t, "id"),
		Name: text.Filter(func(s string) bool { return !strings.HasPrefix(s, "Unnamed ") }).Draw(t, "name"),
		Slug: text.Draw(t, "slug"), Description: text.Draw(t, "description"),
		Tool: text.Draw(t, "tool"), Path: text.Draw(t, "path"),
		Role:      rapid.SampledFrom([]memory.Role{memory.RoleRecord, memory.RoleReference}).Draw(t, "role"),
		Source:    rapid.SampledFrom([]string{"", "github", strings.Repeat("s", memory.MaxTextBytes-1)}).Draw(t, "source"),
		Place:     rapid.SampledFrom([]memory.Place{memory.PlaceRecord, memory.PlaceText, memory.PlaceFieldText, memory.PlaceView}).Draw(t, "place"),
		Authority: authorities.Draw(t, "authority"), TypedBy: origin.Draw(t, "typed by"), NamedBy: origin.Draw(t, "named by"),
		State: rapid.SampledFrom([]string{"", "cancelled", strings.Repeat("é", memory.MaxTextBytes/2)}).Draw(t, "state"),
		Uses:  count.Draw(t, "uses"), Repeats: count.Draw(t, "repeats"),
		Timestamp: time.Unix(rapid.Int64Range(-62_167_219_200, 253_402_300_799).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanosecond")).UTC(),
	}
}

// uuidLike draws canonical UUIDs, half of them with one invalid byte.
func uuidLike() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		id := []byte(rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).Draw(t, "uuid"))
		if rapid.Bool().Draw(t, "damage") {
			id[rapid.IntRange(0, len(id)-1).Draw(t, "position")] = rapid.SampledFrom([]byte("AFGg/:@`-\x00\x10\x7f ")).Draw(t, "byte")
		}
		return string(id)
	})
}

func TestEntitiesAreLossless(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 50).Draw(t, "capacity")
		c := memory.NewWorkingContext(&memory.ContextOptions{
			Capacity: capacity,
			Identity: func(typ, id string) memory.Ref { return memory.Ref{Type: typ, ID: id} },
		})
		var model, evicted []memory.Entity // newest first
		isElement := func(of memory.Entity) func(memory.Entity) bool {
			return func(m memory.Entity) bool { return m.Place == of.Place && m.Source == of.Source }
		}
		entities := rapid.Custom(drawEntity)
		for range rapid.IntRange(1, 80).Draw(t, "entities") {
			e := entities.Draw(t, "entity")
			if slices.ContainsFunc(slices.Concat(model, evicted), func(m memory.Entity) bool { return m.ID == e.ID }) {
				continue // it would be merged
			}
			require.NoError(t, c.Add(e))
			if e.Place == memory.PlaceView {
				model, evicted = slices.DeleteFunc(model, isElement(e)), slices.DeleteFunc(evicted, isElement(e))
			}
			if model = slices.Insert(model, 0, e); len(model) > capacity {
				evicted = slices.Insert(evicted, 0, model[capacity])
				model = model[:capacity]
			}
			kept := len(candidates(c)) // at most 64 KiB
			require.GreaterOrEqual(t, kept, min(len(evicted), 20))
			evicted = evicted[:kept]
		}
		require.Equal(t, model, all(c))
		require.Equal(t, model, all(c.Branch()))
		require.True(t, same(evicted, candidates(c)))
		require.True(t, same(evicted, candidates(c.Branch())))
		for _, e := range model {
			got, ok := c.Get(memory.Ref{Type: e.Type, ID: e.ID})
			require.True(t, ok)
			require.Equal(t, e, got)
		}

		data, err := json.Marshal(c)
		require.NoError(t, err)
		restored := memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity})
		require.NoError(t, json.Unmarshal(data, restored))
		require.Equal(t, model, all(restored))
		require.True(t, same(evicted, candidates(restored)))
	})
}

// The buffers of evicted records are reused.
func TestRecordsOfAllSizesDoNotAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("counts allocations")
	}
	for _, capacity := range []int{10, 100, 1_000} {
		c := memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity})
		entities := make([]memory.Entity, 3*capacity)
		for i := range entities {
			entities[i] = memory.Entity{
				Type: "page", ID: fmt.Sprintf("page-%06d", i), Timestamp: start,
				Name: strings.Repeat("n", i*7%40), Description: strings.Repeat("d", i*11%90),
			}
		}
		next := 0
		add := func() {
			_ = c.Add(entities[next])
			next = (next + 1) % len(entities)
		}
		for range 10 * len(entities) {
			add()
		}
		require.Zero(t, testing.AllocsPerRun(1000, add), "capacity %d", capacity)
	}
}

// Canonical UUIDs take 16 bytes. All others are stored as text.
func TestUUIDsArePacked(t *testing.T) {
	size := func(format string) int {
		contexts := make([]*memory.WorkingContext, 200)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range contexts {
			contexts[i] = memory.NewWorkingContext(&memory.ContextOptions{Capacity: 30})
			for j := range uint64(30) {
				hash := (j + 1) * 0x9e3779b97f4a7c15
				id := fmt.Sprintf(format, uint32(hash), uint16(hash>>8), uint16(hash>>16), uint16(hash>>24), hash>>16)
				require.NoError(t, contexts[i].Add(memory.Entity{Type: "page", ID: id, Timestamp: start}))
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(contexts)
		return (int(after.HeapAlloc) - int(before.HeapAlloc)) / len(contexts)
	}
	text, packed := size("%08X-%04X-%04X-%04X-%012X"), size("%08x-%04x-%04x-%04x-%012x")
	require.Less(t, packed, text-30*10, "an id takes 20 bytes less, and allocations are rounded up")
}
