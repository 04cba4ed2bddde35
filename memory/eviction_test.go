package memory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

// TestEvictedEntitiesComeBack is the table of what a change does to an evicted entity.
func TestEvictedEntitiesComeBack(t *testing.T) {
	t.Parallel()
	home := with(said("cms get_page own", "page page-1001 Home"), func(e *memory.Entity) {
		e.Description, e.Aliases, e.Made = "start page", []string{"home-key-1"}, true
	})
	add := func(e ...memory.Entity) memory.Change { return memory.Change{Add: e} }
	use := func(r string) memory.Change { return memory.Change{Use: []memory.Ref{ref(r)}} }
	mention := func(r string) memory.Change { return memory.Change{Mention: []memory.Ref{ref(r)}} }
	remove := func(r string) memory.Change { return memory.Change{Remove: []memory.Ref{ref(r)}} }
	alias := func(e memory.Entity, alias string) memory.Entity {
		return with(e, func(e *memory.Entity) { e.Aliases = []string{alias} })
	}
	for _, test := range []struct {
		name      string
		known     memory.Entity
		change    memory.Change
		want      string // the entity in front
		candidate bool   // whether the evicted entity still is one
	}{
		{"by a use", home, use("page page-1001"), "page page-1001 Home", false},
		{"by a use under another type", home, use("entry page-1001"), "page page-1001 Home", false},
		{"by a use of an alias", home, use(" home-key-1"), "page page-1001 Home", false},
		{"by a mention", home, mention(" page-1001"), "page page-1001 Home", false},
		{"by arriving without a name", home, add(said("cms list_pages own", "page page-1001")), "page page-1001 Home", false},
		{"by arriving with another name", home, add(said("cms list_pages own", "page page-1001 Start")), "page page-1001 Start", false},
		{"by arriving from a stranger", home, add(said("mail read_email none", "spam page-1001 Trash")), "page page-1001 Home", false},
		{"by arriving without a type", ent("page 8 Home"), add(ent("resource 8")), "page 8 Home", false},
		{"with a type", ent("resource 8 Home"), add(ent("page 8")), "page 8 Home", false},
		{"a reference stays one", inRole(memory.RoleReference, ent("page 8 Home")), use("page 8"), "page 8 Home", false},

		{"a number of another type arrives", ent("page 8 Home"), add(ent("order 8")), "order 8", true},
		{"a number of another type is used", ent("page 8 Home"), use("order 8"), "note note-0001", true},
		{"a guess", home, add(guess("file page-1001")), "note note-0001", true},
		{"a change", home, memory.Change{Changed: []memory.Ref{ref("page page-1001")}}, "note note-0001", true},
		{"a stranger takes its id as an alias", home, add(alias(said("mail read_email none", "email mail-1001"), "page-1001")), "email mail-1001", true},
		{"another tool takes its id as an alias", home, add(alias(said("mail read_email own", "email mail-1001"), "page-1001")), "email mail-1001", true},

		{"removal", home, remove("page page-1001"), "note note-0001", false},
		{"removal by an alias", home, remove("page home-key-1"), "note note-0001", false},
		{"removal by its name", home, remove("page Home"), "note note-0001", false},
		{"removal of a number of another type", ent("page 8 Home"), remove("order 8"), "note note-0001", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := memory.NewWorkingContext(&memory.ContextOptions{Capacity: 1, Now: clock()})
			require.NoError(t, c.Add(test.known))
			require.NoError(t, c.Add(ent("note note-0001")))
			require.Equal(t, []string{"note note-0001"}, summary(c))
			evicted := test.known.Type + " " + test.known.ID
			require.Equal(t, []string{evicted}, guesses(c))
			known := c.Candidates(1)[0]
			assert.Equal(t, with(test.known, func(e *memory.Entity) { e.Made, e.Timestamp = false, known.Timestamp }), known, "what is known of it is kept")

			state, err := json.Marshal(c)
			require.NoError(t, err)
			restored := memory.NewWorkingContext(&memory.ContextOptions{Capacity: 1, Now: clock()})
			require.NoError(t, json.Unmarshal(state, restored))
			for _, c := range []*memory.WorkingContext{c.Branch(), restored, c} {
				require.NoError(t, c.Apply(test.change))
				assert.Equal(t, []string{test.want}, summary(c))
				front := all(c)[0]
				if front.ID == test.known.ID && front.Type != "order" {
					assert.Equal(t, test.known.Description, front.Description)
					assert.Equal(t, test.known.Role == memory.RoleReference, front.Role == memory.RoleReference)
					assert.Equal(t, len(test.change.Add) == 0, front.Held, "only what is used or mentioned is held")
				}
				assert.Equal(t, test.candidate, len(guesses(c)) > 0 && guesses(c)[len(guesses(c))-1] == evicted)
				if test.candidate {
					assert.Equal(t, known, c.Candidates(10)[len(guesses(c))-1])
				}
			}
		})
	}
}

// TestEvictedShortIDMatchesOnlyItsType: what names an evicted entity by its type and number does not
// touch an entity of another type.
func TestEvictedShortIDMatchesOnlyItsType(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]memory.Change{
		"use":     {Use: []memory.Ref{ref("order 9042")}},
		"mention": {Mention: []memory.Ref{ref("order 9042")}},
		"change":  {Changed: []memory.Ref{ref("order 9042")}},
		"removal": {Remove: []memory.Ref{ref("order 9042")}},
	} {
		c := filled(t, 1, ent("page 9042 Home"), ent("order 9042"))
		require.Equal(t, []string{"order 9042"}, guesses(c), name)
		got, ok := c.Get(ref("order 9042"))
		assert.True(t, ok)
		assert.Equal(t, "order", got.Type)
		got, _ = c.Get(ref(" 9042"))
		assert.Equal(t, "page", got.Type, "entities come before candidates")
		require.NoError(t, c.Apply(change))
		for _, e := range append(all(c), candidates(c)...) {
			assert.False(t, e.Type == "page" && (e.Held || e.Made || e.Uses > 0), name)
		}
		_, ok = c.Get(ref("page 9042"))
		assert.True(t, ok, name)
		_, ok = c.Get(ref("order 9042"))
		assert.Equal(t, name != "removal", ok)
	}
}

func TestEvictedEntitiesAreForgottenWithoutCandidates(t *testing.T) {
	t.Parallel()
	c := memory.NewWorkingContext(&memory.ContextOptions{Capacity: 1, Candidates: -1})
	require.NoError(t, c.AddMany(ents("page page-1002", "page page-1001 Home")))
	assert.Empty(t, guesses(c))
	_, ok := c.Get(ref("page page-1001"))
	assert.False(t, ok)
	require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{ref("page page-1001")}}))
	assert.Equal(t, []string{"page page-1002"}, summary(c))
	require.NoError(t, c.Add(ent("page page-1001")))
	assert.Equal(t, []string{"page page-1001"}, summary(c))
}

// TestStateDropsCandidateThatIsEntity: a candidate of a state that is an entity of it is dropped.
func TestStateDropsCandidateThatIsEntity(t *testing.T) {
	t.Parallel()
	c := setup(t, 4)
	require.NoError(t, json.Unmarshal([]byte(`{"candidates":[{"type":"page","id":"8","name":"Old"},{"type":"order","id":"8"},{"type":"file","id":"8","role":"candidate"}],"entities":[{"type":"page","id":"8","name":"Home"}]}`), c))
	assert.Equal(t, []string{"page 8 Home"}, summary(c))
	assert.Equal(t, []string{"order 8"}, guesses(c))
}

// TestRestoredEntityHasItsName: of what calls removed last, what is added again has its name, unless
// the program removed it.
func TestRestoredEntityHasItsName(t *testing.T) {
	t.Parallel()
	home := said("cms get_page own", "page page-1001 Home")
	back := said("cms restore_page own", "page page-1001")
	for _, byProgram := range []bool{false, true} {
		for _, later := range []int{0, 31, 32} { // other removals
			c := setup(t, 100)
			require.NoError(t, c.Add(home))
			if byProgram {
				require.True(t, c.Remove(ref("page page-1001")))
			} else {
				require.NoError(t, c.Apply(memory.Change{Remove: []memory.Ref{ref("page page-1001")}}))
			}
			for i := range later {
				other := fmt.Sprintf("page other-%04d", i)
				require.NoError(t, c.Add(ent(other)))
				require.NoError(t, c.Apply(memory.Change{Remove: []memory.Ref{ref(other)}}))
			}
			state, err := json.Marshal(c)
			require.NoError(t, err)
			restored := new(memory.WorkingContext)
			require.NoError(t, json.Unmarshal(state, restored))
			for _, c := range []*memory.WorkingContext{c.Branch(), restored, c} {
				_, known := c.Get(ref("page page-1001"))
				require.False(t, known)
				require.Empty(t, c.Candidates(10))
				require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{ref("page page-1001")}, Mention: []memory.Ref{ref("page page-1001")}}))
				require.Zero(t, c.Len(), "a use alone does not bring it back")
				require.NoError(t, c.Add(back))
				want := "Home"
				if byProgram || later == 32 {
					want = ""
				}
				assert.Equal(t, want, c.Recent(1)[0].Name, "%v, %d", byProgram, later)
			}
			stranger := setup(t, 100)
			require.NoError(t, stranger.Add(home))
			require.NoError(t, stranger.Apply(memory.Change{Remove: []memory.Ref{ref("page page-1001")}}))
			require.NoError(t, stranger.Add(said("- read_email none", "page page-1001")))
			assert.Empty(t, stranger.Recent(1)[0].Name, "a stranger brings nothing back")
			cleared := c.Branch()
			cleared.Clear()
			require.NoError(t, cleared.Add(back))
			assert.Empty(t, cleared.Recent(1)[0].Name)
		}
	}
}

// TestFullCandidates: the room of candidates in bytes holds for evicted entities of the largest size.
func TestFullCandidates(t *testing.T) {
	t.Parallel()
	c := setup(t, 1)
	long := strings.Repeat("x", memory.MaxTextBytes)
	for i := range 100 {
		id := fmt.Sprintf("%s%04d", strings.Repeat("i", memory.MaxIDBytes-4), i)
		origin := &memory.Origin{Tool: long, Source: long}
		require.NoError(t, c.Add(memory.Entity{Type: "page", ID: id, Name: long, Slug: long, Description: long, Tool: "get", Path: long, TypedBy: origin, NamedBy: origin}))
	}
	assert.NotEmpty(t, c.Candidates(100))
	assert.Less(t, len(c.Candidates(100)), 40)
}

// TestGuessDoesNotShieldRemovedEntity: an id from a text that is the name of an entity is not what a
// call deletes.
func TestGuessDoesNotShieldRemovedEntity(t *testing.T) {
	t.Parallel()
	c := setup(t, 10)
	require.NoError(t, c.Add(said("cms get_page own", "page page-1001 release-notes")))
	require.NoError(t, c.Add(guess("file release-notes")))
	assert.True(t, c.Remove(ref("page release-notes")))
	assert.Zero(t, c.Len())
}
