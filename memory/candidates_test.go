package memory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
)

// guess is a candidate: "type id".
func guess(typeAndID string) memory.Entity {
	e := ent(typeAndID)
	e.Role = memory.RoleCandidate
	return e
}

// guesses are the candidates of a context, newest first, as "type id".
func guesses(c *memory.WorkingContext) []string {
	var out []string
	for _, e := range c.Candidates(c.CandidateCapacity()) {
		out = append(out, e.Type+" "+e.ID)
	}
	return out
}

func TestCandidatesHaveRoomOfTheirOwn(t *testing.T) {
	t.Parallel()
	for options, want := range map[[2]int]int{{3, 0}: memory.DefaultCandidates, {1000, 0}: memory.DefaultCandidates, {3, 1000}: 1000, {3, 2}: 2, {3, -1}: 0} {
		c := memory.NewWorkingContext(&memory.ContextOptions{Capacity: options[0], Candidates: options[1]})
		assert.Equal(t, want, c.CandidateCapacity())
	}
	c := memory.NewWorkingContext(&memory.ContextOptions{Capacity: 2, Candidates: 3})
	require.NoError(t, c.AddMany([]memory.Entity{ent("page page-1001"), guess("file a.txt"), guess("file b.txt"), guess("file c.txt"), guess("file d.txt")}))
	assert.Equal(t, []string{"page page-1001"}, summary(c))
	assert.Equal(t, 1, c.Len())
	assert.Equal(t, []string{"file a.txt", "file b.txt", "file c.txt"}, guesses(c), "the first of a batch stay")
	require.NoError(t, c.Add(ent("page page-1002")))
	assert.Len(t, guesses(c), 3, "records that fit evict no candidates")
	require.NoError(t, c.Add(ent("page page-1003")))
	assert.Equal(t, []string{"page page-1001", "file a.txt", "file b.txt"}, guesses(c), "one that is evicted is a candidate")
	require.NoError(t, c.Add(guess("file b.txt")))
	assert.Equal(t, []string{"file b.txt", "page page-1001", "file a.txt"}, guesses(c))
	require.NoError(t, c.Add(guess("file c.txt")))
	assert.Equal(t, []string{"file c.txt", "file b.txt", "page page-1001"}, guesses(c))
	assert.True(t, c.Remove(memory.Ref{ID: "b.txt"}))
	assert.Equal(t, []string{"file c.txt", "page page-1001"}, guesses(c))
	assert.Equal(t, []string{"page page-1003", "page page-1002"}, summary(c), "candidates evict no records")
	c.Clear()
	assert.Empty(t, guesses(c))
}

// TestAViewReplacesTheOneBefore: what the same source shows next replaces elements of a view,
// and nothing else.
func TestAViewReplacesTheOneBefore(t *testing.T) {
	t.Parallel()
	element := func(e memory.Entity, source string) memory.Entity {
		e.Place, e.Source = memory.PlaceView, source
		return e
	}
	for _, many := range []int{0, 100} { // entities in either form of a context
		c := memory.NewWorkingContext(&memory.ContextOptions{Capacity: 200})
		for i := range many {
			require.NoError(t, c.Add(ent(fmt.Sprintf("page page-%d", i))))
		}
		require.NoError(t, c.AddMany([]memory.Entity{ent("page page-1001"), element(ent("button e1"), "web"), element(ent("button e2"), "web"), element(guess("link e3"), "web")}))
		require.NoError(t, c.Add(element(ent("button b1"), "app")))
		require.NoError(t, c.AddMany([]memory.Entity{element(ent("link e2"), "web"), element(guess("link e4"), "web")}))
		assert.Equal(t, []string{"link e2", "button b1", "page page-1001"}, summary(c)[:3])
		assert.Equal(t, []string{"link e4"}, guesses(c))
		assert.Equal(t, 3+many, c.Len())

		require.NoError(t, c.Add(element(said("web snapshot none", "button page-1002"), "web")))
		require.NoError(t, c.Add(said("cms get_page own", "page page-1002 About")))
		require.NoError(t, c.Add(element(ent("button e9"), "web")))
		assert.Equal(t, []string{"button e9", "page page-1002 About"}, summary(c)[:2], "a record outlives the view")
	}
}

func TestCandidatesAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	c := memory.NewWorkingContext(&memory.ContextOptions{Capacity: 256})
	long := strings.Repeat("x", memory.MaxIDBytes-8)
	for i := range 512 {
		require.NoError(t, c.Add(guess(fmt.Sprintf("file %s%08d", long, i))))
	}
	assert.Less(t, len(guesses(c)), (64<<10)/len(long))
	assert.Greater(t, len(guesses(c)), 100)
	assert.Equal(t, fmt.Sprintf("file %s%08d", long, 511), guesses(c)[0])
}

func TestPromotion(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change  memory.Change
		records []string
	}{
		"by a record":           {memory.Change{Add: []memory.Entity{{Type: "page", ID: "8"}}}, []string{"page 8"}},
		"by a use":              {memory.Change{Use: []memory.Ref{{Type: "page", ID: "8"}}}, []string{"page 8"}},
		"by a mention":          {memory.Change{Mention: []memory.Ref{{ID: "8"}}}, []string{"resource 8"}},
		"not by another record": {memory.Change{Add: []memory.Entity{{Type: "page", ID: "9"}}}, []string{"page 9"}},
		"not by another use":    {memory.Change{Use: []memory.Ref{{Type: "page", ID: "9"}}, Mention: []memory.Ref{{ID: "7"}}}, []string{}},
		"nor by itself":         {memory.Change{Add: []memory.Entity{guess("page 8")}}, []string{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := setup(t, 4)
			require.NoError(t, c.Add(guess(memory.FallbackType+" 8")))
			require.NoError(t, c.Apply(tt.change))
			assert.Equal(t, tt.records, summary(c))
			assert.Equal(t, len(tt.records) == 0 || tt.records[0] == "page 9", len(guesses(c)) == 1)
		})
	}
}

func TestCandidatesChangeNoEntity(t *testing.T) {
	t.Parallel()
	c := setup(t, 4)
	require.NoError(t, c.AddMany([]memory.Entity{{Type: "page", ID: "page-1001", Name: "Home", Aliases: []string{"home-key-1"}}, {Type: "page", ID: "page-1002", Name: "About"}}))
	before := all(c)
	other := guess("user page-1002")
	other.Name = "Trash"
	require.NoError(t, c.AddMany([]memory.Entity{other, guess("user home-key-1")}))
	assert.Equal(t, before, all(c))
	assert.Empty(t, guesses(c))
}

func TestAliases(t *testing.T) {
	t.Parallel()
	issue := memory.Entity{Type: "issue", ID: "I_kwDOAAB1", Name: "Login broken", Aliases: []string{"42", "3039440001", "42", "", "I_kwDOAAB1"}, Preferred: "42"}
	c := setup(t, 4)
	require.NoError(t, c.Add(issue))
	kept, ok := c.Get(memory.Ref{ID: "I_kwDOAAB1"})
	require.True(t, ok)
	assert.Equal(t, []string{"42", "3039440001"}, kept.Aliases)
	assert.Equal(t, "42", kept.Preferred)
	for ref, want := range map[memory.Ref]bool{
		{Type: "issue", ID: "42"}: true, {ID: "42"}: true, {Type: "order", ID: "42"}: false, {Type: "issue", ID: "43"}: false,
	} {
		_, ok := c.Get(ref)
		assert.Equal(t, want, ok, "%v", ref)
	}

	require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{{Type: "issue", ID: "3039440001"}}}))
	kept, _ = c.Get(memory.Ref{ID: "I_kwDOAAB1"})
	assert.Equal(t, "3039440001", kept.Preferred, "what tools took comes first")
	assert.Equal(t, 1, kept.Uses)
	require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{{Type: "issue", ID: "I_kwDOAAB1"}}}))
	kept, _ = c.Get(memory.Ref{ID: "I_kwDOAAB1"})
	assert.Empty(t, kept.Preferred)
	assert.True(t, c.Remove(memory.Ref{Type: "issue", ID: "42"}))
	assert.Zero(t, c.Len())
}

func TestOneThingUnderSeveralIDs(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		first, then memory.Entity
		want        []string // "id aliases"
	}{
		"a record of what was only a reference": {
			memory.Entity{Type: "issue", ID: "42", Role: memory.RoleReference}, memory.Entity{Type: "issue", ID: "I_kwDOAAB1", Name: "A", Aliases: []string{"42"}},
			[]string{"42 [I_kwDOAAB1]"}},
		"a reference by an alias": {
			memory.Entity{Type: "issue", ID: "I_kwDOAAB1", Name: "A", Aliases: []string{"42"}}, memory.Entity{Type: "issue", ID: "42", Role: memory.RoleReference},
			[]string{"I_kwDOAAB1 [42]"}},
		"more aliases": {
			memory.Entity{Type: "issue", ID: "I_kwDOAAB1", Aliases: []string{"42"}}, memory.Entity{Type: "issue", ID: "I_kwDOAAB1", Aliases: []string{"ED-1"}},
			[]string{"I_kwDOAAB1 [ED-1 42]"}},
		"two records with different names": {
			memory.Entity{Type: "issue", ID: "I_kwDOAAB1", Name: "A", Aliases: []string{"42"}}, memory.Entity{Type: "issue", ID: "I_kwDOZZZ9", Name: "B", Aliases: []string{"42"}},
			[]string{"I_kwDOZZZ9 [42]", "I_kwDOAAB1 [42]"}},
		"numbers of different types": {
			memory.Entity{Type: "issue", ID: "I_kwDOAAB1", Aliases: []string{"42"}}, memory.Entity{Type: "order", ID: "42"},
			[]string{"42 []", "I_kwDOAAB1 [42]"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, capacity := range []int{4, 100} {
				c := setup(t, capacity)
				for i := range capacity / 2 { // beyond 32 entities, they are found by an index
					require.NoError(t, c.Add(ent(fmt.Sprintf("page other-%04d", i))))
				}
				require.NoError(t, c.Add(tt.first))
				require.NoError(t, c.Add(tt.then))
				var got []string
				for _, e := range c.Recent(len(tt.want)) {
					got = append(got, fmt.Sprint(e.ID, " ", e.Aliases))
				}
				assert.Equal(t, tt.want, got)
				assert.Equal(t, capacity/2+len(tt.want), c.Len()+max(0, capacity/2+len(tt.want)-capacity))
			}
		})
	}
}

func TestCandidatesAndAliasesInStates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.Custom(func(t *rapid.T) string { return fmt.Sprintf("strong-id-%d", rapid.IntRange(0, 40).Draw(t, "n")) })
		entity := rapid.Custom(func(t *rapid.T) memory.Entity {
			return memory.Entity{
				Type: rapid.SampledFrom([]string{"page", "order"}).Draw(t, "type"), ID: id.Draw(t, "id"),
				Name:    rapid.SampledFrom([]string{"", "A", "B"}).Draw(t, "name"),
				Role:    rapid.SampledFrom([]memory.Role{memory.RoleRecord, memory.RoleReference, memory.RoleCandidate}).Draw(t, "role"),
				Aliases: rapid.SliceOfN(id, 0, 3).Draw(t, "aliases"),
			}
		})
		refs := rapid.SliceOfN(rapid.Map(id, func(id string) memory.Ref { return memory.Ref{ID: id} }), 0, 3)
		c := memory.NewWorkingContext(&memory.ContextOptions{Capacity: rapid.IntRange(1, 50).Draw(t, "capacity")})
		for range rapid.IntRange(1, 8).Draw(t, "calls") {
			require.NoError(t, c.Apply(memory.Change{
				Use: refs.Draw(t, "use"), Mention: refs.Draw(t, "mention"),
				Add: rapid.SliceOfN(entity, 0, 6).Draw(t, "add"), Remove: refs.Draw(t, "remove"),
			}))
			known := map[string]bool{}
			for _, e := range c.Recent(c.Capacity()) {
				require.False(t, known[e.ID], "an id is one entity")
				known[e.ID] = true
				found, ok := c.Get(memory.Ref{ID: e.ID})
				require.True(t, ok)
				require.Equal(t, e.ID, found.ID, "an id comes before an alias")
			}
			for _, e := range c.Candidates(c.CandidateCapacity()) {
				require.False(t, e.Held || e.Made, "what the agent works with is an entity")
				require.False(t, known[e.ID], "a candidate is no entity")
				known[e.ID] = true
			}
			require.LessOrEqual(t, c.Len(), c.Capacity())
		}
		written, err := json.Marshal(c)
		require.NoError(t, err)
		again := memory.NewWorkingContext(&memory.ContextOptions{Capacity: 50})
		require.NoError(t, json.Unmarshal(written, again))
		branch := again.Branch()
		for _, copied := range []*memory.WorkingContext{again, branch} {
			require.True(t, same(c.Recent(c.Capacity()), copied.Recent(50)))
			require.True(t, same(c.Candidates(c.CandidateCapacity()), copied.Candidates(100)))
		}
	})
}

func TestStatesBeforeCandidates(t *testing.T) {
	t.Parallel()
	c := setup(t, 4)
	require.NoError(t, json.Unmarshal([]byte(`{"entities":[{"type":"issue","id":"42","name":"A","role":"alias","timestamp":"2026-01-02T03:04:05Z"},{"type":"file","id":"a.txt","name":"","role":"candidate"}]}`), c))
	assert.Equal(t, []string{"issue 42 A", "file a.txt"}, summary(c), "an alias was an entity of its own")
	assert.Empty(t, guesses(c))
}
