package memory_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

func held(e memory.Entity) memory.Entity {
	return with(e, func(e *memory.Entity) { e.Held = true })
}

func made(e memory.Entity) memory.Entity {
	return with(e, func(e *memory.Entity) { e.Made = true })
}

// TestMade is the table of how an entity becomes one that a call made, which it stays.
func TestMade(t *testing.T) {
	t.Parallel()
	home := said("cms get_page own", "page page-1001 Home")
	home.Aliases = []string{"home-key-1"}
	changed := func(refs ...string) memory.Change {
		var out memory.Change
		for _, r := range refs {
			out.Changed = append(out.Changed, ref(r))
		}
		return out
	}
	for _, test := range []struct {
		name   string
		known  memory.Entity
		change memory.Change
		want   bool
	}{
		{"a call changed it", home, changed("page page-1001"), true},
		{"a call changed others too", home, changed("page page-9001", "page page-1001"), true},
		{"under another type", home, changed("entry page-1001"), true},
		{"by an alias", home, changed("page home-key-1"), true},
		{"a call changed another one", home, changed("page page-9001"), false},
		{"a call used it", home, memory.Change{Use: []memory.Ref{ref("page page-1001")}}, false},
		{"it was changed before", made(home), memory.Change{Add: []memory.Entity{home}}, true},
		{"a call created what was known", home, memory.Change{Add: []memory.Entity{made(home)}}, true},
		{"a call created what was known as it is", held(home), memory.Change{Add: []memory.Entity{made(held(home))}}, true},
		{"a call created it", memory.Entity{}, memory.Change{Add: []memory.Entity{made(home)}}, true},
		{"a call changed what its result returns", memory.Entity{}, memory.Change{Changed: []memory.Ref{ref("page page-1001")}, Add: []memory.Entity{home}}, false},
		{"a stranger says so", home, memory.Change{Add: []memory.Entity{made(said("- read_email none", "page page-1001 Trash"))}}, false},
		{"a candidate was changed", guess("page page-1001"), changed("page page-1001"), false},
		{"a candidate was used and changed", guess("page page-1001"),
			memory.Change{Use: []memory.Ref{ref("page page-1001")}, Changed: []memory.Ref{ref("page page-1001")}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, others := range []int{0, 100} { // in either form of a context
				c := setup(t, 200)
				for i := range others {
					require.NoError(t, c.Add(ent(fmt.Sprintf("note note-%04d", i))))
				}
				if test.known.ID != "" {
					require.NoError(t, c.Add(test.known))
				}
				version := c.Version()
				require.NoError(t, c.Apply(test.change))
				state, err := json.Marshal(c)
				require.NoError(t, err)
				restored := new(memory.WorkingContext)
				require.NoError(t, json.Unmarshal(state, restored))
				for _, c := range []*memory.WorkingContext{c, c.Branch(), restored} {
					got, _ := c.Get(memory.Ref{ID: "page-1001"})
					assert.Equal(t, test.want, got.Made)
					assert.True(t, got.Held || !got.Made, "what a call made is held")
				}
				if test.want != test.known.Made {
					assert.Equal(t, version+1, c.Version())
				}
				if version = c.Version(); test.known.ID != "" {
					require.NoError(t, c.Apply(memory.Change{Changed: test.change.Changed}))
					assert.Equal(t, version, c.Version(), "once more changes nothing")
				}
			}
		})
	}
}

// TestMadeEntitiesAreEvictedLast: a context reserves half of its capacity for what calls made,
// and for what is held.
func TestMadeEntitiesAreEvictedLast(t *testing.T) {
	t.Parallel()
	many := func(n int, typ string, mark func(memory.Entity) memory.Entity) []memory.Entity {
		var out []memory.Entity
		for i := range n {
			e := ent(fmt.Sprintf("%s %s-%04d", typ, typ, i))
			if mark != nil {
				e = mark(e)
			}
			out = append(out, e)
		}
		return out
	}
	for _, test := range []struct {
		name       string
		capacity   int
		made, held int // the number of each, before as many as fit are listed
		want       map[string]int
	}{
		{"few of each", 10, 2, 2, map[string]int{"made": 2, "held": 2, "listed": 6}},
		{"what is held is evicted before what was made", 10, 3, 8, map[string]int{"made": 3, "held": 2, "listed": 5}},
		{"half of the capacity is reserved", 10, 9, 0, map[string]int{"made": 5, "listed": 5}},
		{"for what was made first", 10, 5, 5, map[string]int{"made": 5, "listed": 5}},
		{"of an odd one less", 5, 4, 0, map[string]int{"made": 2, "listed": 3}},
		{"at most 64", 200, 100, 0, map[string]int{"made": 64, "listed": 136}},
		{"of one none", 1, 1, 0, map[string]int{"listed": 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := setup(t, test.capacity)
			require.NoError(t, c.AddMany(many(test.made, "made", made)))
			require.NoError(t, c.AddMany(many(test.held, "held", held)))
			for _, c := range []*memory.WorkingContext{c.Branch(), c} {
				for _, e := range many(test.capacity, "listed", nil) {
					require.NoError(t, c.Add(e))
				}
				got := map[string]int{}
				for e := range c.All() {
					got[e.Type]++
				}
				assert.Equal(t, test.want, got)
				assert.Equal(t, fmt.Sprintf("listed listed-%04d", test.capacity-1), summary(c)[0], "the newest stays")
			}
		})
	}
}
