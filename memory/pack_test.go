package memory_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/race"
	"github.com/go-workingmemory/workingmemory/memory"
)

const canonicalUUID = "550e8400-e29b-41d4-a716-446655440000"

// drawEntity makes an entity that a context keeps as it is: texts valid and of
// all lengths, times of all years, counts up to the largest.
func drawEntity(t *rapid.T) memory.Entity {
	text := rapid.OneOf(rapid.Just(""), rapid.StringN(0, -1, memory.MaxTextBytes), rapid.SampledFrom([]string{
		"x", strings.Repeat("x", 255), strings.Repeat("x", memory.MaxTextBytes), strings.Repeat("é", memory.MaxTextBytes/2), canonicalUUID,
	}))
	ids := rapid.OneOf(rapid.StringN(1, -1, memory.MaxIDBytes), rapid.SampledFrom([]string{
		strings.Repeat("i", memory.MaxIDBytes), "\x00", canonicalUUID,
	}), uuidLike())
	count := rapid.OneOf(rapid.Just(0), rapid.IntMin(0))
	return memory.Entity{
		Type: rapid.OneOf(rapid.SampledFrom([]string{"page", memory.FallbackType}), rapid.StringN(1, -1, memory.MaxTypeBytes)).Draw(t, "type"),
		ID:   ids.Draw(t, "id"),
		Name: text.Filter(func(s string) bool { return !strings.HasPrefix(s, "Unnamed ") }).Draw(t, "name"),
		Slug: text.Draw(t, "slug"), Description: text.Draw(t, "description"),
		Tool: text.Draw(t, "tool"), Path: text.Draw(t, "path"),
		Role: rapid.SampledFrom([]memory.Role{memory.RoleRecord, memory.RoleReference, memory.RoleAlias}).Draw(t, "role"),
		Uses: count.Draw(t, "uses"), Repeats: count.Draw(t, "repeats"),
		Timestamp: time.Unix(rapid.Int64Range(-62_167_219_200, 253_402_300_799).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanosecond")).UTC(),
	}
}

// uuidLike draws texts that are UUIDs in canonical form but for a byte or none.
func uuidLike() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		id := []byte(rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).Draw(t, "uuid"))
		if rapid.Bool().Draw(t, "damage") {
			id[rapid.IntRange(0, len(id)-1).Draw(t, "position")] = rapid.SampledFrom([]byte("AFGg/:@`-\x00\x10\x7f ")).Draw(t, "byte")
		}
		return string(id)
	})
}

func TestWhatGoesInComesOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 50).Draw(t, "capacity")
		c := memory.NewWorkingContext(&memory.ContextOptions{
			Capacity: capacity,
			Identity: func(typ, id string) memory.Ref { return memory.Ref{Type: typ, ID: id} },
		})
		var model []memory.Entity // newest first
		entities := rapid.Custom(drawEntity)
		for range rapid.IntRange(1, 80).Draw(t, "entities") {
			e := entities.Draw(t, "entity")
			if slices.ContainsFunc(model, func(m memory.Entity) bool { return m.ID == e.ID }) {
				continue // merging is the business of other tests
			}
			require.NoError(t, c.Add(e))
			model = slices.Insert(model, 0, e)
			model = model[:min(len(model), capacity)]
		}
		require.Equal(t, model, all(c))
		require.Equal(t, model, all(c.Branch()))
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
	})
}

// An identity may be anything: what comes under it is one entity, however the
// id it came with was written.
func TestIdentityApartFromTheEntity(t *testing.T) {
	t.Parallel()
	identities := map[string]memory.IdentityFunc{
		"lower case": func(_, id string) memory.Ref { return memory.Ref{ID: strings.ToLower(id)} },
		"with a type": func(typ, id string) memory.Ref {
			if typ == memory.FallbackType {
				return memory.Ref{Type: "unknown", ID: strings.ToLower(id)}
			}
			return memory.Ref{Type: typ + "s", ID: strings.ToLower(id)}
		},
		"very long": func(typ, id string) memory.Ref {
			long := strings.Repeat("tenant/", 20_000)
			return memory.Ref{Type: long + typ, ID: long + strings.ToLower(id)}
		},
		"long types": func(typ, id string) memory.Ref {
			return memory.Ref{Type: strings.Repeat(typ, memory.MaxTypeBytes), ID: strings.ToLower(id)}
		},
	}
	for name, identity := range identities {
		for _, capacity := range []int{5, 50} { // below and above where storage changes
			t.Run(fmt.Sprint(name, " ", capacity), func(t *testing.T) {
				t.Parallel()
				c := memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity, Identity: identity, Now: clock()})
				var want []string
				for i := range capacity {
					id := fmt.Sprintf("AB0E8400-e29b-41d4-a716-4466554400%02d", i)
					require.NoError(t, c.Add(ent("page "+strings.ToLower(id)+" Name")))
					require.NoError(t, c.Add(ent("page "+id)))
					require.NoError(t, c.Add(ent("page "+id+" New")))
					want = append([]string{"page " + id + " New"}, want...)
				}
				require.Equal(t, want, summary(c))
				require.Equal(t, want, summary(c.Branch()))
				oldest := ref("page ab0e8400-E29B-41d4-a716-446655440000")
				require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{oldest}}))
				require.Equal(t, want[len(want)-1], summary(c)[0])
				require.True(t, c.Remove(oldest))
				require.Len(t, summary(c), capacity-1)
			})
		}
	}
}

// Ids that several types share are told apart one by one.
func TestManyEntitiesOfOneKey(t *testing.T) {
	t.Parallel()
	c := setup(t, 200)
	var want []string
	for i := range 100 {
		require.NoError(t, c.Add(ent(fmt.Sprintf("type%d 1", i))))
		want = append([]string{fmt.Sprintf("type%d 1", i)}, want...)
	}
	require.Equal(t, want, summary(c), "types tell them apart")
	for i := 0; i < 100; i += 2 {
		require.True(t, c.Remove(ref(fmt.Sprintf("type%d 1", i))))
	}
	require.Len(t, summary(c), 50)
	_, ok := c.Get(ref(" 1"))
	require.False(t, ok, "it could be any of them")
}

// Rooms of records go from those that leave to those that come.
func TestRecordsOfAllSizesSettle(t *testing.T) {
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
