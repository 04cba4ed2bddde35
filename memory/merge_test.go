package memory_test

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

const strongID = "cus_NffrFeUfNV2Hib"

func TestTypeOfAnEntitySeenTwice(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		adds []string // one after the other
		want []string // newest first
	}{
		{"weak id, two types", []string{"page 5", "order 5"}, []string{"order 5", "page 5"}},
		{"strong id, newer type wins", []string{"page " + strongID, "customer " + strongID}, []string{"customer " + strongID}},
		{"strong id, better type", []string{"resource " + strongID, "customer " + strongID}, []string{"customer " + strongID}},
		{"strong id, type is not lost", []string{"customer " + strongID, "resource " + strongID}, []string{"customer " + strongID}},
		{"weak id, better type", []string{"resource 5", "page 5"}, []string{"page 5"}},
		{"weak id, type is not lost", []string{"page 5", "resource 5"}, []string{"page 5"}},
		{"no type is the fallback", []string{" 5", "page 5", " 5"}, []string{"page 5"}},
		{"better type, other entity in between", []string{"resource 5", "page 6", "page 5"}, []string{"page 5", "page 6"}},
		{"the resource is taken once", []string{"resource 5", "page 5", "order 5"}, []string{"order 5", "page 5"}},
		{"ambiguous resource stays apart", []string{"page 5", "order 5", "resource 5"}, []string{"resource 5", "order 5", "page 5"}},
		{"known type before unknown one", []string{"page 5", "order 5", "resource 5", "page 5"}, []string{"page 5", "resource 5", "order 5"}},
		{"still a resource", []string{"resource 5", "resource 5"}, []string{"resource 5"}},
		{"the found type identifies from then on", []string{"resource 5", "page 5", "order 5", "page 5 Home"}, []string{"page 5 Home", "order 5"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := setup(t, 10)
			for _, s := range tt.adds {
				require.NoError(t, c.Add(ent(s)))
			}
			assert.Equal(t, tt.want, summary(c))
		})
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	full := memory.Entity{
		Type: "customer", ID: strongID, Name: "Acme", Slug: "acme", Description: "gold",
		Tool: "get_customer", Path: "$.customer", Uses: 2, Timestamp: start,
	}
	change := func(e memory.Entity, f func(*memory.Entity)) memory.Entity {
		f(&e)
		return e
	}
	later := start.Add(time.Hour)
	bare := memory.Entity{ID: strongID, Timestamp: later}
	reference := memory.Entity{
		Type: "owner", ID: strongID, Name: "Ref", Slug: "ref", Description: "ref",
		Tool: "list_orders", Path: "$[0].owner_id", Timestamp: later, Role: memory.RoleReference,
	}
	tests := []struct {
		name           string
		old, new, want memory.Entity
	}{
		{"nothing is overwritten by nothing", full, bare,
			change(full, func(e *memory.Entity) { e.Timestamp = later })},
		{"gaps are filled", bare, change(full, func(e *memory.Entity) { e.Timestamp = later }),
			change(full, func(e *memory.Entity) { e.Timestamp = later })},
		{"new values win", full,
			memory.Entity{Type: "client", ID: strongID, Name: "Acme Ltd", Slug: "acme-ltd", Description: "silver", Tool: "t", Path: "$", Timestamp: later},
			memory.Entity{Type: "client", ID: strongID, Name: "Acme Ltd", Slug: "acme-ltd", Description: "silver", Tool: "t", Path: "$", Timestamp: later, Uses: 2}},
		{"an older timestamp is taken too", full, change(bare, func(e *memory.Entity) { e.Timestamp = start.Add(-time.Hour) }),
			change(full, func(e *memory.Entity) { e.Timestamp = start.Add(-time.Hour) })},
		{"placeholder of the new type", full, change(bare, func(e *memory.Entity) { e.Type, e.Name = "client", "Unnamed client" }),
			change(full, func(e *memory.Entity) { e.Type, e.Timestamp = "client", later })},
		{"placeholder of the old type", full, change(bare, func(e *memory.Entity) { e.Type, e.Name = "client", "Unnamed customer" }),
			change(full, func(e *memory.Entity) { e.Type, e.Timestamp = "client", later })},
		{"placeholder of the fallback type", full, change(bare, func(e *memory.Entity) { e.Name = "Unnamed resource" }),
			change(full, func(e *memory.Entity) { e.Timestamp = later })},
		{"name that becomes a placeholder", memory.Entity{ID: strongID, Name: "Unnamed page"}, memory.Entity{Type: "page", ID: strongID, Timestamp: later},
			memory.Entity{Type: "page", ID: strongID, Timestamp: later}},
		{"a poorer description", change(full, func(e *memory.Entity) { e.Description = "platinum card" }), change(bare, func(e *memory.Entity) { e.Description = "ok" }),
			change(full, func(e *memory.Entity) { e.Description, e.Timestamp = "platinum card", later })},
		{"higher use count", full, change(bare, func(e *memory.Entity) { e.Uses = 7 }),
			change(full, func(e *memory.Entity) { e.Uses, e.Timestamp = 7, later })},
		{"lower use count", full, change(bare, func(e *memory.Entity) { e.Uses = 1 }),
			change(full, func(e *memory.Entity) { e.Timestamp = later })},
		{"a reference renames no record", full, reference,
			change(full, func(e *memory.Entity) { e.Timestamp = later })},
		{"an alias renames no record", full, change(reference, func(e *memory.Entity) { e.Role = memory.RoleAlias }),
			change(full, func(e *memory.Entity) { e.Timestamp = later })},
		{"a reference fills the gaps of a record", bare, reference,
			change(reference, func(e *memory.Entity) { e.Role = memory.RoleRecord })},
		{"a record takes over a reference", reference, full,
			change(full, func(e *memory.Entity) {})},
		{"a bare record of a reference", reference, bare,
			change(reference, func(e *memory.Entity) { e.Role = memory.RoleRecord })},
		{"reference after reference", reference, change(reference, func(e *memory.Entity) { e.Type, e.Name = "buyer", "Other" }),
			change(reference, func(e *memory.Entity) { e.Type, e.Name = "buyer", "Other" })},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, 10, tt.old)
			require.NoError(t, c.Add(tt.new))
			tt.want.Repeats++ // each case adds the entity a second time
			assert.Equal(t, []memory.Entity{tt.want}, all(c))

			inOneBatch := filled(t, 10, tt.new, tt.old)
			assert.Equal(t, all(c), all(inOneBatch), "an earlier entity of a batch counts as the newer one")
		})
	}
}

func TestTimestamps(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 5*3600+30)
	tests := []struct {
		name     string
		in, want time.Time
	}{
		{"unset", time.Time{}, start.Add(time.Second)},
		{"kept in UTC", start.In(east), start},
		{"no monotonic reading", time.Now(), time.Time{}},
		{"year too large for JSON", time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC), start.Add(time.Second)},
		{"year too small for JSON", time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), start.Add(time.Second)},
		{"out of range only in UTC", time.Date(10_000, 1, 1, 0, 0, 0, 0, east), time.Date(9999, 12, 31, 18, 59, 30, 0, time.UTC)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.want.IsZero() {
				tt.want = tt.in.UTC().Round(0)
			}
			c := filled(t, 1, memory.Entity{ID: "5", Timestamp: tt.in})
			assert.True(t, tt.want == all(c)[0].Timestamp, "want %v, got %v", tt.want, all(c)[0].Timestamp)
		})
	}
}

func TestTextsAreBounded(t *testing.T) {
	t.Parallel()
	const limit = memory.MaxTextBytes
	tests := []struct{ name, in, want string }{
		{"short", "Home", "Home"},
		{"at the limit", strings.Repeat("a", limit), strings.Repeat("a", limit)},
		{"over the limit", strings.Repeat("a", limit+1), strings.Repeat("a", limit-3) + "…"},
		{"cut at a rune boundary", strings.Repeat("世", limit), strings.Repeat("世", (limit-3)/3) + "…"},
		{"four-byte runes", "a" + strings.Repeat("😀", limit), "a" + strings.Repeat("😀", (limit-4)/4) + "…"},
		{"invalid UTF-8", "a\xffb", "a\uFFFDb"},
		{"long and invalid", strings.Repeat("\xc3(", limit), strings.Repeat("\uFFFD(", (limit-3)/4) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, 1, memory.Entity{
				Type: "page", ID: "5",
				Name: tt.in, Slug: tt.in, Description: tt.in, Tool: tt.in, Path: tt.in,
			})
			got := all(c)[0]
			for _, text := range []string{got.Name, got.Slug, got.Description, got.Tool, got.Path} {
				assert.True(t, utf8.ValidString(text))
				assert.LessOrEqual(t, len(text), limit)
				assert.Equal(t, tt.want, text)
			}
		})
	}
}

func TestOddFieldsBecomeHarmless(t *testing.T) {
	t.Parallel()
	c := filled(t, 3,
		memory.Entity{ID: "1", Role: "ruler", Uses: -3, Name: "Unnamed resource", Timestamp: start},
		memory.Entity{ID: "2", Type: "page", Uses: math.MaxInt, Timestamp: start})
	assert.Equal(t, memory.Entity{Type: "resource", ID: "1", Timestamp: start}, all(c)[0])
	require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{ref("page 2")}}))
	assert.Equal(t, math.MaxInt, all(c)[0].Uses, "the count does not wrap")
}
