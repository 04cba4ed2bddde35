package memory_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

func TestCapacity(t *testing.T) {
	t.Parallel()
	for option, want := range map[int]int{0: 10, -1: 10, 1: 1, 3: 3, 100_000: 100_000, math.MaxInt: 1 << 30} {
		c := setup(t, option)
		assert.Equal(t, want, c.Capacity())
		for i := range 20 {
			require.NoError(t, c.Add(ent(fmt.Sprintf("page %d", i))))
		}
		assert.Equal(t, min(want, 20), c.Len())
	}
	var zero memory.WorkingContext
	for i := range 20 {
		require.NoError(t, zero.Add(ent(fmt.Sprintf("page %d", i))))
	}
	assert.Equal(t, memory.DefaultCapacity, zero.Len())
	assert.False(t, all(&zero)[0].Timestamp.IsZero())
}

func TestRecentAndAll(t *testing.T) {
	t.Parallel()
	batch := ents("page 1", "page 2", "page 3")
	c := filled(t, 3, batch...)
	batch[0].Name = "changed"
	for n, want := range map[int]int{-1: 0, 0: 0, 1: 1, 2: 2, 3: 3, 4: 3, math.MaxInt: 3} {
		got := c.Recent(n)
		require.Len(t, got, want)
		for i, e := range got {
			assert.Equal(t, fmt.Sprint(i+1), e.ID)
		}
	}
	again := c.AppendRecent(all(c)[:1], 2)
	assert.Equal(t, []string{"1", "1", "2"}, []string{again[0].ID, again[1].ID, again[2].ID})
	assert.Equal(t, again, c.AppendRecent(again, 0))
	c.Recent(1)[0].Name = "changed"
	assert.Equal(t, []string{"page 1", "page 2", "page 3"}, summary(c))

	var seen []string
	entities := c.All()
	for e := range entities { // over a snapshot
		seen = append(seen, e.ID)
		require.NoError(t, c.Add(ent("order "+e.ID)))
	}
	assert.Equal(t, []string{"1", "2", "3"}, seen)
	for e := range entities { // each loop takes a new one
		assert.Equal(t, "order 3", e.Type+" "+e.ID)
		break
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	const unique = "cus_NffrFeUfNV2Hib"
	c := filled(t, 10, ents("page 5", "page 7", "order 7", "customer "+unique, "resource 9", "page 9", "order 9")...)
	before, version := all(c), c.Version()
	for name, want := range map[string]string{
		"page 5":         "page 5",
		" 5":             "page 5",
		"resource 5":     "page 5",
		"order 5":        "",
		"order 7":        "order 7",
		" 7":             "",
		"resource 7":     "",
		"user " + unique: "customer " + unique,
		" " + unique:     "customer " + unique,
		"resource 9":     "resource 9",
		"page 1":         "",
		"page ":          "",
	} {
		got, ok := c.Get(ref(name))
		assert.Equal(t, want != "", ok, name)
		assert.Equal(t, want, strings.TrimSpace(got.Type+" "+got.ID), name)
	}
	assert.Equal(t, before, all(c), "reading is not an access")
	assert.Equal(t, version, c.Version())
}

func TestAddRejects(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct {
		id, typ string
		want    error
	}{
		{"", "page", memory.ErrNoID},
		{long(memory.MaxIDBytes), "", nil},
		{long(memory.MaxIDBytes + 1), "", memory.ErrTooLong},
		{"5", long(memory.MaxTypeBytes), nil},
		{"5", long(memory.MaxTypeBytes + 1), memory.ErrTooLong},
		{"secret\xff", "", memory.ErrInvalidID},
	} {
		c, e := setup(t, 10), memory.Entity{ID: test.id, Type: test.typ}
		require.ErrorIs(t, c.Add(e), test.want)
		err := c.AddMany([]memory.Entity{ent("page 1"), e, ent("page 2")})
		require.ErrorIs(t, err, test.want)
		if test.want == nil {
			assert.Equal(t, 3, c.Len())
			continue
		}
		assert.Contains(t, err.Error(), "entity 1:")
		assert.NotContains(t, err.Error(), "secret")
		assert.Equal(t, []string{"page 1", "page 2"}, summary(c), "the others are added")
	}
	require.EqualError(t, setup(t, 10).AddMany([]memory.Entity{{}, ent("page 1"), {ID: "\xff"}}),
		"entity 0: memory: no id\nentity 2: memory: id or type is not valid UTF-8")
}

func TestOnEvict(t *testing.T) {
	t.Parallel()
	var (
		c       *memory.WorkingContext
		evicted []string
	)
	c = memory.NewWorkingContext(&memory.ContextOptions{
		Capacity: 2, Candidates: -1,
		OnEvict: func(e memory.Eviction) {
			_, present := c.Get(memory.Ref{Type: e.Entity.Type, ID: e.Entity.ID})
			evicted = append(evicted, fmt.Sprintf("%s by %s %s, %v, %d", e.Entity.ID, e.By.Type, e.By.ID, present, c.Len()))
			if e.Entity.Type == "pinned" {
				assert.NoError(t, c.Add(e.Entity))
			}
		},
	})
	requireEvicted := func(want ...string) {
		require.Equal(t, want, evicted)
		evicted = nil
	}
	require.NoError(t, c.AddMany(ents("page 1", "page 2")))
	require.NoError(t, c.Add(ent("page 1")))
	requireEvicted()
	require.NoError(t, c.Add(ent("order 3")))
	requireEvicted("2 by order 3, false, 2")
	require.NoError(t, c.AddMany(ents("page 4", "page 5", "page 6")))
	requireEvicted("1 by page 4, false, 2", "3 by page 4, false, 2", "6 by page 4, false, 2")
	c.Remove(ref("page 4"))
	c.Clear()
	require.NoError(t, c.UnmarshalJSON([]byte(`{"entities":[{"id":"1"},{"id":"2"},{"id":"3"}]}`)))
	requireEvicted()
	require.NoError(t, c.AddMany(ents("page 1", "pinned 2")))
	evicted = nil
	require.NoError(t, c.Add(ent("page 3"))) // evicts pinned 2, which is added again
	requireEvicted("2 by page 3, false, 2", "1 by pinned 2, false, 2")
	require.Equal(t, []string{"pinned 2", "page 3"}, summary(c))

	evicted = nil
	c = memory.NewWorkingContext(&memory.ContextOptions{
		Capacity: 1, Candidates: 2,
		OnEvict: func(e memory.Eviction) {
			_, known := c.Get(memory.Ref{Type: e.Entity.Type, ID: e.Entity.ID})
			evicted = append(evicted, fmt.Sprintf("%s by %s, %v", e.Entity.ID, e.By.ID, known))
		},
	})
	require.NoError(t, c.AddMany(ents("page 1", "page 2")))
	requireEvicted("2 by 1, true")
	require.NoError(t, c.Add(ent("page 2"))) // is back
	requireEvicted("1 by 2, true")
	require.NoError(t, c.AddMany(ents("page 3", "page 4")))
	requireEvicted("2 by 3, true", "4 by 3, true", "1 by 3, false") // leaves the candidates
}

func TestMerge(t *testing.T) {
	t.Parallel()
	const id = "cus_NffrFeUfNV2Hib"
	full := memory.Entity{
		Type: "customer", ID: id, Name: "Acme", Slug: "acme", Description: "gold",
		Tool: "get_customer", Path: "$.customer", Uses: 2, Timestamp: start,
	}
	later := start.Add(time.Hour)
	bare := memory.Entity{ID: id, Timestamp: later}
	reference := memory.Entity{
		Type: "owner", ID: id, Name: "Ref", Slug: "ref", Description: "ref",
		Tool: "list_orders", Path: "$[0].owner_id", Timestamp: later, Role: memory.RoleReference,
	}
	client := memory.Entity{Type: "client", ID: id, Name: "Acme Ltd", Slug: "acme-ltd", Description: "silver", Tool: "t", Path: "$", Timestamp: later}
	change := func(e memory.Entity, f func(*memory.Entity)) memory.Entity { f(&e); return e }
	at := func(e memory.Entity, time time.Time) memory.Entity { e.Timestamp = time; return e }
	uses := func(e memory.Entity, n int) memory.Entity { e.Uses = n; return e }
	described := func(e memory.Entity, s string) memory.Entity { e.Description = s; return e }
	named := func(e memory.Entity, typ, name string) memory.Entity { e.Type, e.Name = typ, name; return e }
	record := change(reference, func(e *memory.Entity) { e.Role = memory.RoleRecord })
	for _, test := range []struct {
		name           string
		old, new, want memory.Entity
	}{
		{"new values", full, client, uses(client, 2)},
		{"placeholder of the new type", full, named(bare, "client", "Unnamed client"), at(named(full, "client", "Acme"), later)},
		{"placeholder of the old type", full, named(bare, "client", "Unnamed customer"), at(named(full, "client", "Acme"), later)},
		{"placeholder of the fallback type", full, named(bare, "", "Unnamed resource"), at(full, later)},
		{"name that becomes a placeholder", named(bare, "", "Unnamed page"), named(bare, "page", ""), named(bare, "page", "")},
		{"poorer description", described(full, "platinum card"), described(bare, "ok"), at(described(full, "platinum card"), later)},
		{"reference of a record", full, reference, at(full, later)},
		{"reference fills gaps", bare, reference, record},
		{"record of a reference", reference, full, full},
		{"two references", reference, named(reference, "buyer", "Other"), named(reference, "buyer", "Other")},
	} {
		c := filled(t, 10, test.old)
		require.NoError(t, c.Add(test.new))
		test.want.Repeats++
		test.want.Tool, test.want.Path = test.old.Tool, test.old.Path // those of the first sighting
		if test.want.Type == "" {
			test.want.Type = memory.FallbackType
		}
		assert.Equal(t, []memory.Entity{test.want}, withoutOrigins(all(c)), test.name)
		assert.Equal(t, all(c), all(filled(t, 10, test.new, test.old)), "%s: an earlier entity of a batch counts as newer", test.name)
	}
}

// An entity of a batch is not evicted before its turn.
func TestBatchKeepsTheOldest(t *testing.T) {
	t.Parallel()
	c := filled(t, 2, ents("page 1", "page 2 Home")...)
	require.NoError(t, c.AddMany(ents("page 2", "page 3")))
	assert.Equal(t, []string{"page 2 Home", "page 3"}, summary(c))
}

func TestAddNormalizes(t *testing.T) {
	t.Parallel()
	const limit = memory.MaxTextBytes
	for in, want := range map[string]string{
		"Home":                           "Home",
		strings.Repeat("a", limit):       strings.Repeat("a", limit),
		strings.Repeat("a", limit+1):     strings.Repeat("a", limit-3) + "…",
		strings.Repeat("世", limit):       strings.Repeat("世", (limit-3)/3) + "…",
		"a" + strings.Repeat("😀", limit): "a" + strings.Repeat("😀", (limit-4)/4) + "…",
		"a\xffb":                         "a\uFFFDb",
		strings.Repeat("\xc3(", limit):   strings.Repeat("\uFFFD(", (limit-3)/4) + "…",
	} {
		e := all(filled(t, 1, memory.Entity{ID: "5", Name: in, Slug: in, Description: in, Tool: in, Path: in}))[0]
		for _, got := range []string{e.Name, e.Slug, e.Description, e.Tool, e.Path} {
			assert.Equal(t, want, got)
		}
	}

	east, now, set := time.FixedZone("east", 5*3600+30), time.Now(), start.Add(time.Second)
	for in, want := range map[time.Time]time.Time{
		{}:             set,
		start.In(east): start,
		now:            now.UTC().Round(0),
		time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC): set,
		time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC):     set,
		time.Date(10_000, 1, 1, 0, 0, 0, 0, east):     time.Date(9999, 12, 31, 18, 59, 30, 0, time.UTC),
	} {
		got := all(filled(t, 1, memory.Entity{ID: "5", Timestamp: in}))[0].Timestamp
		assert.True(t, want == got, "want %v, got %v", want, got)
	}

	c := filled(t, 3,
		memory.Entity{ID: "1", Role: "ruler", Uses: -3, Repeats: -1, Name: "Unnamed resource", Timestamp: start},
		memory.Entity{ID: "2", Type: "page", Uses: math.MaxInt, Timestamp: start})
	assert.Equal(t, memory.Entity{Type: "resource", ID: "1", Timestamp: start}, all(c)[0])
	require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{ref("page 2")}}))
	assert.Equal(t, math.MaxInt, all(c)[0].Uses, "the count does not overflow")
	most := memory.Entity{ID: "3", Repeats: math.MaxInt, Timestamp: start}
	require.NoError(t, c.Add(most))
	version := c.Version()
	require.NoError(t, c.Add(most))
	assert.Equal(t, version, c.Version(), "nothing else changes")
}

func TestDefaultIdentity(t *testing.T) {
	t.Parallel()
	for id, unique := range map[string]bool{
		"550e8400-e29b-41d4-a716-446655440000": true, "01ARZ3NDEKTSV4RRFFQ69G5FAV": true, "cus_NffrFeUfNV2Hib": true,
		"abcdefgh": true, "1234-5678": true, "--12345678": true, "--------": true, "12345678a": true, "12345.678": true,
		"abcdefg": false, "#W12": false, "5": false, "0": false, "": false,
		"9007199254740993123456789": false, "-123456789": false, "+4912345678": false,
	} {
		want := memory.Ref{Type: "page", ID: id}
		if unique {
			want.Type = ""
		}
		assert.Equal(t, want, memory.DefaultIdentity("page", id))
	}
	assert.Equal(t, ref("resource 5"), memory.DefaultIdentity("", "5"))
}

// Entities with equal identities are the same, whatever their ids. The identity may have
// any form.
func TestIdentity(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("tenant/", 20_000)
	for name, identity := range map[string]memory.IdentityFunc{
		"typed": func(typ, id string) memory.Ref {
			if typ == memory.FallbackType {
				return memory.Ref{Type: "unknown", ID: strings.ToLower(id)}
			}
			return memory.Ref{Type: typ + "s", ID: strings.ToLower(id)}
		},
		"long": func(typ, id string) memory.Ref { return memory.Ref{Type: long + typ, ID: long + strings.ToLower(id)} },
		"default": func(typ, id string) memory.Ref {
			assert.NotEmpty(t, typ)
			return memory.DefaultIdentity(typ, strings.ToLower(id))
		},
	} {
		for _, capacity := range []int{5, 40} { // few and many records
			c := memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity, Identity: identity, Now: clock()})
			var want []string
			for i := range capacity {
				id := fmt.Sprintf("AB0E8400-e29b-41d4-a716-4466554400%02d", i)
				require.NoError(t, c.AddMany(ents("page "+id+" New", "page "+id, "page "+strings.ToLower(id)+" Name")))
				require.NoError(t, c.Add(memory.Entity{ID: strings.ToUpper(id), Type: "page", Role: memory.RoleReference}))
				want = append([]string{"page " + id + " New"}, want...)
			}
			require.Equal(t, want, summary(c), "%s: a mention does not change the id", name)
			oldest := ref("page ab0e8400-E29B-41d4-a716-446655440000")
			require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{oldest}}))
			require.Equal(t, want[len(want)-1], summary(c)[0], name)
			got, ok := c.Branch().Get(oldest)
			require.True(t, ok)
			require.Equal(t, 1, got.Uses)
			require.True(t, c.Remove(oldest))
			require.Equal(t, capacity-1, c.Len())
		}
	}
}

func TestLabel(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "Home", memory.Entity{Type: "page", Name: "Home", Description: "d"}.Label())
	assert.Equal(t, "red, 10 hours", memory.Entity{Type: "lamp", Description: "red, 10 hours"}.Label())
	assert.Equal(t, "Unnamed page", memory.Entity{Type: "page"}.Label())
	assert.Equal(t, "Unnamed resource", memory.Entity{}.Label())
}
