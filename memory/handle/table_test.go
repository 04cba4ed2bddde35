package handle_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
)

func TestIssue(t *testing.T) {
	t.Parallel()
	var table handle.Table
	assert.True(t, table.IsEmpty())
	table.Apply(handle.Change{IDs: append(refs("page", uuid(1), uuid(2), uuid(1), ""), refs("user", uuid(3))...)})
	assert.Equal(t, map[string]string{"page#1": uuid(1), "page#2": uuid(2)}, maps.Collect(table.OfType("page")))
	assert.Equal(t, map[string]string{"user#1": uuid(3)}, maps.Collect(table.OfType("user")))
	assert.Equal(t, 3, table.Len())
	assert.False(t, table.IsEmpty())

	version := table.Version()
	table.Apply(handle.Change{IDs: refs("user", uuid(1))})
	assert.Equal(t, "page#1", table.Handle(uuid(1)), "of another type")
	assert.Equal(t, version, table.Version())
	id, ok := table.ID("page#2")
	assert.True(t, ok)
	assert.Equal(t, uuid(2), id)
	_, ok = table.ID("page#3")
	assert.False(t, ok)
	assert.Equal(t, "x", table.Handle("x"))
}

func TestTypesOfHandles(t *testing.T) {
	t.Parallel()
	for typ, want := range map[string]string{
		"page": "page#1", "security_group": "security_group#1", "Page": "resource#1", "": "resource#1", "ページ": "resource#1",
		"a b": "resource#1", "x": "resource#1", strings.Repeat("t", 33): "resource#1", "page#1": "resource#1",
	} {
		table := handle.NewTable(nil)
		table.Apply(handle.Change{IDs: refs(typ, uuid(1))})
		assert.Equal(t, want, table.Handle(uuid(1)), typ)
	}
}

func TestCapacity(t *testing.T) {
	t.Parallel()
	table := handle.NewTable(&handle.Options{Capacity: 3})
	table.Apply(handle.Change{IDs: refs("page", uuid(1), uuid(2), uuid(3))})
	table.Apply(handle.Change{Used: refs("", uuid(1), "unknown"), IDs: refs("page", uuid(4))})
	assert.Equal(t, 3, table.Len())
	assert.Equal(t, uuid(2), table.Handle(uuid(2)), "not used for the longest time")
	assert.Equal(t, "page#1", table.Handle(uuid(1)), "used")
	_, err := table.DecodeArguments("page#2", nil)
	require.Error(t, err)
	assert.Equal(t, uuid(2)+" page#4", table.Encode(uuid(2)+" "+uuid(4)))

	table.Apply(table.Options().ChangeFor("page#2", nil, nil))
	_, err = table.DecodeArguments("page#2", nil)
	require.Error(t, err, "a handle that was forgotten is no literal")
	table.Apply(handle.Change{IDs: refs("page", uuid(2))})
	assert.Equal(t, "page#5", table.Handle(uuid(2)), "a number is never given out twice")
}

func TestManyTypes(t *testing.T) {
	t.Parallel()
	table := handle.NewTable(nil)
	for i := range 2000 {
		table.Apply(handle.Change{IDs: refs(fmt.Sprintf("type_%d", i), uuid(i))})
	}
	assert.Equal(t, "type_1023#1", table.Handle(uuid(1023)))
	assert.Equal(t, "resource#976", table.Handle(uuid(1999)))
	state, err := table.MarshalJSON()
	require.NoError(t, err)
	require.NoError(t, new(handle.Table).UnmarshalJSON(state))
}

func TestNumbersRunOut(t *testing.T) {
	t.Parallel()
	table := handle.NewTable(nil)
	require.NoError(t, table.UnmarshalJSON([]byte(`{"next":{"page":999999}}`)))
	table.Apply(handle.Change{IDs: refs("page", uuid(1), uuid(2))})
	assert.Equal(t, "page#999999", table.Handle(uuid(1)))
	assert.Equal(t, uuid(2), table.Handle(uuid(2)))
}

func TestFloodOfLiterals(t *testing.T) {
	t.Parallel()
	for _, typ := range []string{"page", memory.FallbackType} {
		table, issued := handle.NewTable(nil), make(map[string]bool)
		for i := 1; i <= 2200; i++ {
			table.Apply(handle.Change{Literals: []string{fmt.Sprintf("%s#%d", typ, 2*i), "other#7"}})
			issued[fmt.Sprintf("%s#%d", typ, 2*i)] = true
			if i%50 == 0 {
				table.Apply(handle.Change{IDs: refs(typ, uuid(i))})
				h := table.Handle(uuid(i))
				require.True(t, handle.Is(h), h)
				require.False(t, issued[h], "%s was a literal, or given out", h)
				issued[h] = true
			}
		}
		state, err := table.MarshalJSON()
		require.NoError(t, err)
		assert.Less(t, len(state), 64<<10)
	}
}

func TestFloodOfLiteralsOfManyTypes(t *testing.T) {
	t.Parallel()
	table := handle.NewTable(nil)
	for i := range 1024 { // all types that count by themselves
		table.Apply(handle.Change{IDs: refs(fmt.Sprintf("type_%d", i), uuid(i))})
	}
	table.Apply(handle.Change{Literals: []string{"resource#1"}})
	for i := range 1100 {
		table.Apply(handle.Change{Literals: []string{fmt.Sprintf("other_%d#1", i)}})
	}
	table.Apply(handle.Change{IDs: refs("page", uuid(5000))})
	assert.Equal(t, "resource#2", table.Handle(uuid(5000)))
}

func TestBranches(t *testing.T) {
	t.Parallel()
	root := pages(uuid(1))
	branches := map[string]*handle.Table{"": root}
	for _, path := range []string{"a", "b", "aa", "ab", "aaa"} {
		parent := branches[path[:len(path)-1]]
		branches[path] = parent.Branch()
	}
	given := map[string]string{"page#1": uuid(1)}
	n := 1
	for path, table := range branches {
		for range 3 {
			n++
			table.Apply(handle.Change{IDs: refs("page", uuid(n))})
			h := table.Handle(uuid(n))
			assert.True(t, strings.HasSuffix(h, path), "%s in %q", h, path)
			assert.Empty(t, given[h], "%s was given out before", h)
			given[h] = uuid(n)
		}
		assert.Equal(t, uuid(1), table.Decode("page#1"), "all know what was given out before")
	}
	root.Apply(handle.Change{IDs: refs("page", uuid(99))})
	_, err := branches["a"].DecodeArguments(root.Handle(uuid(99)), nil)
	require.Error(t, err, "a handle that another branch gave out")
}

func TestManyBranches(t *testing.T) {
	t.Parallel()
	root, given := handle.NewTable(nil), make(map[string]bool)
	for i := range 300 {
		branch := root.Branch()
		branch.Apply(handle.Change{IDs: refs("page", uuid(i))})
		h := branch.Handle(uuid(i))
		require.False(t, given[h], h)
		require.True(t, handle.Is(h) || i >= 200 && h == uuid(i), "branch %d: %s", i, h)
		given[h] = true
		again := new(handle.Table)
		state, err := branch.MarshalJSON()
		require.NoError(t, err)
		require.NoError(t, again.UnmarshalJSON(state))
		require.Equal(t, h, again.Handle(uuid(i)))
	}
	branch := root
	for range 20 { // branches of branches
		branch = branch.Branch()
	}
	branch.Apply(handle.Change{IDs: refs("page", uuid(1000))})
	assert.Equal(t, uuid(1000), branch.Handle(uuid(1000)), "too many letters")
}

func TestForgottenHandlesOfABranchsParent(t *testing.T) {
	t.Parallel()
	root := handle.NewTable(&handle.Options{Capacity: 1})
	root.Apply(handle.Change{IDs: refs("page", uuid(1), uuid(2))})
	branch := root.Branch()
	branch.Apply(handle.Change{Literals: []string{"page#1"}})
	_, err := branch.DecodeArguments("page#1", nil)
	require.Error(t, err, "a handle that was forgotten is no literal")
}

func TestState(t *testing.T) {
	t.Parallel()
	table := handle.NewTable(nil).Branch()
	table.Apply(handle.Change{Literals: []string{"page#2a"}, IDs: refs("page", uuid(1), uuid(2), `a "quoted" ü`)})
	table.Branch()
	state, err := json.Marshal(table)
	require.NoError(t, err)
	again := handle.NewTable(&handle.Options{Capacity: 2})
	version := again.Version()
	require.NoError(t, json.Unmarshal(state, again))
	assert.NotEqual(t, version, again.Version())
	same, err := json.Marshal(again)
	require.NoError(t, err)
	assert.JSONEq(t, string(state), string(same))
	assert.Equal(t, "page#1a page#3a", again.Encode(uuid(1)+" "+uuid(2)))
	again.Apply(handle.Change{IDs: refs("page", uuid(3))})
	assert.Equal(t, "page#5a", again.Handle(uuid(3)))
	assert.Equal(t, 2, again.Len(), "the options are kept")
	b := again.Branch()
	b.Apply(handle.Change{IDs: refs("page", uuid(4))})
	assert.Equal(t, "page#6ab", b.Handle(uuid(4)))
}

func TestDamagedStates(t *testing.T) {
	t.Parallel()
	known := func(pairs string) string { return `{"next":{"page":9},"known":[` + pairs + `]}` }
	for name, state := range map[string]string{
		"no JSON":             `{`,
		"of another kind":     `[]`,
		"no handle":           known(`["page","x"]`),
		"no id":               known(`["page#1",""]`),
		"one handle twice":    known(`["page#1","x"],["page#1","y"]`),
		"one id twice":        known(`["page#1","x"],["page#2","x"]`),
		"to be given again":   known(`["page#9","x"]`),
		"never given out":     known(`["user#1","x"]`),
		"in a branch, again":  `{"branch":"a","next":{"page":9},"known":[["page#9a","x"]]}`,
		"branch in capitals":  `{"branch":"A"}`,
		"branch with a digit": `{"branch":"a1"}`,
		"less than none":      `{"branches":-30}`,
		"literal":             `{"literals":["no handle"]}`,
		"many literals":       `{"literals":["page#1"` + strings.Repeat(`,"page#1"`, 1024) + `]}`,
	} {
		table := pages(uuid(1))
		version := table.Version()
		err := table.UnmarshalJSON([]byte(state))
		require.Error(t, err, name)
		assert.True(t, strings.HasPrefix(err.Error(), "handle: "), err)
		assert.Equal(t, version, table.Version(), name)
		assert.Equal(t, "page#1", table.Handle(uuid(1)), name)
	}
	for _, state := range []string{`{}`, `null`, `{"next":{"page":-5}}`, `{"next":{"Page":3}}`, `{"branch":"aaaaaaaaaa"}`, `{"branches":2000000000}`, `{"next":{"page":9223372036854775807}}`} {
		table := handle.NewTable(nil)
		require.NoError(t, table.UnmarshalJSON([]byte(state)), state)
		table.Apply(handle.Change{IDs: refs("page", uuid(1)), Literals: []string{"page#3"}})
		table.Branch().Apply(handle.Change{IDs: refs("page", uuid(1))})
		h := table.Handle(uuid(1))
		assert.True(t, h == uuid(1) || handle.Is(h), h)
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	table := handle.NewTable(&handle.Options{Capacity: 64})
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			for i := range 60 {
				id := uuid(i)
				table.Apply(handle.Change{IDs: refs("page", id), Used: refs("page", uuid(i/2)), Literals: []string{fmt.Sprintf("page#%d", 3*i+1)}})
				if shown := table.Encode(id); shown != id {
					_, err := table.DecodeArguments(shown, func(string) bool { return true })
					assert.NoError(t, err)
				}
				_ = table.HasUnknown("page#9")
				table.SetOptions(&handle.Options{Capacity: 64 + w})
				if state, err := table.MarshalJSON(); i%20 == 0 {
					assert.NoError(t, err)
					assert.NoError(t, table.UnmarshalJSON(state))
				}
			}
		})
	}
	group.Wait()
}
