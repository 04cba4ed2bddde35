package memory_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

func TestCapacity(t *testing.T) {
	t.Parallel()
	tests := []struct{ option, want int }{
		{0, 10}, {-1, 10}, {1, 1}, {3, 3}, {100_000, 100_000}, {math.MaxInt, 1 << 30},
	}
	for _, tt := range tests {
		c := setup(t, tt.option)
		assert.Equal(t, tt.want, c.Capacity())
		for i := range min(2*tt.want, 1000) {
			require.NoError(t, c.Add(ent(fmt.Sprintf("page %d", i))))
		}
		assert.Equal(t, min(tt.want, 2*tt.want, 1000), c.Len())
	}
}

func TestLeastRecentlyUsedFallsOff(t *testing.T) {
	t.Parallel()
	c := setup(t, 3)
	for _, s := range []string{"page 1", "page 2", "page 3", "page 1", "page 4"} {
		require.NoError(t, c.Add(ent(s)))
	}
	assert.Equal(t, []string{"page 4", "page 1", "page 3"}, summary(c))
}

func TestZeroValueIsUsable(t *testing.T) {
	t.Parallel()
	var c memory.WorkingContext
	assert.Zero(t, c.Len())
	assert.Empty(t, c.Recent(5))
	for i := range 20 {
		require.NoError(t, c.Add(ent(fmt.Sprintf("page %d", i))))
	}
	assert.Equal(t, memory.DefaultCapacity, c.Len())
	assert.False(t, all(&c)[0].Timestamp.IsZero())
}

func TestRecent(t *testing.T) {
	t.Parallel()
	c := filled(t, 10, ents("page 1", "page 2", "page 3")...)
	for n, want := range map[int]int{-1: 0, 0: 0, 1: 1, 2: 2, 3: 3, 4: 3, math.MaxInt: 3, 5: 3} {
		got := c.Recent(n)
		require.Len(t, got, want)
		for i, e := range got {
			assert.Equal(t, fmt.Sprint(i+1), e.ID)
		}
	}
	again := c.AppendRecent(all(c)[:1], 2)
	assert.Equal(t, []string{"1", "1", "2"}, []string{again[0].ID, again[1].ID, again[2].ID})
	assert.Equal(t, again, c.AppendRecent(again, 0))
	c.Recent(1)[0].Name = "changed by the caller"
	assert.Equal(t, []string{"page 1", "page 2", "page 3"}, summary(c))
}

func TestAllToleratesChangesInTheLoop(t *testing.T) {
	t.Parallel()
	c := filled(t, 3, ents("page 1", "page 2", "page 3")...)
	snapshots := c.All()
	var seen []string
	for e := range snapshots {
		seen = append(seen, e.ID)
		require.NoError(t, c.Add(ent("order "+e.ID)))
		c.Remove(memory.Ref{Type: "page", ID: "3"})
	}
	assert.Equal(t, []string{"1", "2", "3"}, seen)
	for e := range snapshots {
		assert.Equal(t, "order 3", e.Type+" "+e.ID, "each loop takes a new snapshot")
		break
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	const strong = "cus_NffrFeUfNV2Hib"
	c := filled(t, 10, ents("page 5 Five", "page 7", "order 7", "customer "+strong, "resource 9")...)
	tests := []struct{ ref, want string }{
		{"page 5", "page 5"},
		{" 5", "page 5"},
		{"resource 5", "page 5"},
		{"order 5", ""},
		{"page 7", "page 7"},
		{"order 7", "order 7"},
		{" 7", ""},
		{"resource 7", ""},
		{"customer " + strong, "customer " + strong},
		{"anything " + strong, "customer " + strong},
		{" " + strong, "customer " + strong},
		{" 9", "resource 9"},
		{"resource 9", "resource 9"},
		{"page 9", ""},
		{"page 1", ""},
		{"page ", ""},
	}
	before, version := all(c), c.Version()
	for _, tt := range tests {
		got, ok := c.Get(ref(tt.ref))
		assert.Equal(t, tt.want != "", ok, "ref %q", tt.ref)
		if ok {
			assert.Equal(t, tt.want, got.Type+" "+got.ID, "ref %q", tt.ref)
		} else {
			assert.Zero(t, got)
		}
	}
	assert.Equal(t, before, all(c), "reading is not an access")
	assert.Equal(t, version, c.Version())
}

func TestClear(t *testing.T) {
	t.Parallel()
	c := filled(t, 3, ents("page 1", "page 2")...)
	c.Clear()
	assert.Zero(t, c.Len())
	assert.Empty(t, all(c))
	require.NoError(t, c.Add(ent("page 2")))
	assert.Equal(t, []string{"page 2"}, summary(c))
}

func TestVersion(t *testing.T) {
	t.Parallel()
	const known, other = "page 1", "page 2"
	timed := func(s string) memory.Entity {
		e := ent(s)
		e.Timestamp = start
		return e
	}
	add := func(ss ...string) memory.Change {
		var ch memory.Change
		for _, s := range ss {
			ch.Add = append(ch.Add, timed(s))
		}
		return ch
	}
	with := func(ch memory.Change, remove string) memory.Change {
		ch.Remove = []memory.Ref{ref(remove)}
		return ch
	}
	tests := []struct {
		name    string
		change  memory.Change
		changes bool
	}{
		{"nothing", memory.Change{}, false},
		{"unknown use", memory.Change{Use: []memory.Ref{ref("page 9")}}, false},
		{"unknown removal", memory.Change{Remove: []memory.Ref{ref("page 9")}}, false},
		{"in and out", with(add("page 9"), "page 9"), false},
		{"the front again", add(known), true},
		{"all again", add(known, other), true},
		{"falls off at once", add(known, other, "page 9", "page 9 Name"), true},
		{"order", add(other), true},
		{"name", add("page 1 Home"), true},
		{"time", memory.Change{Add: ents(known)}, true},
		{"use", memory.Change{Use: []memory.Ref{ref(known)}}, true},
		{"new", add("page 9"), true},
		{"removal", with(memory.Change{}, other), true},
		{"exchange", with(add(known, "page 9"), other), true},
		{"several", memory.Change{
			Use:    []memory.Ref{ref(known)},
			Add:    ents("page 7", "page 8"),
			Remove: []memory.Ref{ref("page 2")},
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, 2, timed(known), timed(other))
			before, version := all(c), c.Version()
			require.NoError(t, c.Apply(tt.change))
			want := version
			if tt.changes {
				want++
			}
			assert.Equal(t, want, c.Version())
			assert.Equal(t, tt.changes, !assert.ObjectsAreEqual(before, all(c)))
		})
	}

	c := setup(t, 2)
	c.Clear()
	assert.Zero(t, c.Version(), "nothing to clear")
	require.NoError(t, c.Add(ent(known)))
	version := c.Version()
	c.Clear()
	assert.Greater(t, c.Version(), version)
	assert.False(t, c.Remove(ref(known)))
	assert.Equal(t, version+1, c.Version())
}

func TestBranch(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 3, 40} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			parent := setup(t, 41)
			for i := range n {
				require.NoError(t, parent.Add(ent(fmt.Sprintf("page %d", i))))
			}
			before := summary(parent)
			child := parent.Branch()
			assert.Equal(t, all(parent), all(child))
			assert.Equal(t, parent.Capacity(), child.Capacity())
			assert.Equal(t, parent.Version(), child.Version())

			require.NoError(t, child.Add(ent("page 0 Renamed")))
			require.NoError(t, child.Branch().Add(ent("order 7")))
			assert.Equal(t, before, summary(parent))
			require.NoError(t, parent.Add(ent("order 8")))
			assert.NotContains(t, summary(child), "order 8")
			assert.NotContains(t, summary(child), "order 7")

			for i := range 50 {
				require.NoError(t, child.Add(ent(fmt.Sprintf("order %d", i))))
			}
			assert.Equal(t, 41, child.Len(), "the options are the parent's")
		})
	}
}
