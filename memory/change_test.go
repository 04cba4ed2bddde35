package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

func TestAddManyOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		capacity int
		present  []string
		batch    []string
		want     []string
	}{
		{"best first in, best first out", 10, nil,
			[]string{"page 1", "page 2", "page 3"}, []string{"page 1", "page 2", "page 3"}},
		{"before what is present", 10, []string{"page 1", "page 2"},
			[]string{"page 3", "page 4"}, []string{"page 3", "page 4", "page 1", "page 2"}},
		{"known ones move", 10, []string{"page 1", "page 2", "page 3"},
			[]string{"page 9", "page 3"}, []string{"page 9", "page 3", "page 1", "page 2"}},
		{"the oldest fall off", 3, []string{"page 1", "page 2", "page 3"},
			[]string{"page 8", "page 9"}, []string{"page 8", "page 9", "page 1"}},
		{"the best stay", 2, []string{"page 9"},
			[]string{"page 1", "page 2", "page 3", "page 4"}, []string{"page 1", "page 2"}},
		{"a known one stays known", 2, []string{"page 7", "page 1 Home"},
			[]string{"page 1", "page 2", "page 3", "page 4"}, []string{"page 1 Home", "page 2"}},
		{"the foremost position of a duplicate", 10, nil,
			[]string{"page 1", "page 2", "page 3", "page 2"}, []string{"page 1", "page 2", "page 3"}},
		{"the first values of a duplicate", 10, nil,
			[]string{"page 1", "page 2", "page 1 Late", "page 2 Later", "page 1 Last"}, []string{"page 1 Late", "page 2 Later"}},
		{"a duplicate takes no room", 2, nil,
			[]string{"page 1", "page 1", "page 2", "page 1"}, []string{"page 1", "page 2"}},
		{"knowledge from beyond the capacity", 1, nil,
			[]string{"page 1", "page 2", "page 1 Home"}, []string{"page 1 Home"}},
		{"types of a batch", 10, nil,
			[]string{"resource 5", "page 5", "order 6", "resource 6"}, []string{"page 5", "order 6"}},
		{"nothing", 10, []string{"page 1"}, nil, []string{"page 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, tt.capacity, ents(tt.present...)...)
			require.NoError(t, c.AddMany(ents(tt.batch...)))
			assert.Equal(t, tt.want, summary(c))
		})
	}
}

func TestUse(t *testing.T) {
	t.Parallel()
	present := []string{"page 5", "page 7", "order 7", "customer " + strongID, "resource 9", "page 9", "order 9"}
	tests := []struct {
		name, use string
		want      string // the one used; "" if none
	}{
		{"exact", "order 7", "order 7"},
		{"wrong type, one entity", "order 5", "page 5"},
		{"no type, one entity", " 5", "page 5"},
		{"fallback type, one entity", "resource 5", "page 5"},
		{"wrong type, two entities", "issue 7", ""},
		{"no type, two entities", " 7", ""},
		{"strong, other type", "user " + strongID, "customer " + strongID},
		{"strong, no type", " " + strongID, "customer " + strongID},
		{"fallback type, exact", "resource 9", "resource 9"},
		{"no type is not the fallback type", " 9", ""},
		{"unknown", "page 1", ""},
		{"no id", "page ", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := filled(t, 10, ents(present...)...)
			before := all(c)
			require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{ref(tt.use)}}))
			if tt.want == "" {
				assert.Equal(t, before, all(c))
				return
			}
			got := all(c)[0]
			assert.Equal(t, tt.want, got.Type+" "+got.ID)
			assert.Equal(t, 1, got.Uses)
			assert.True(t, got.Timestamp.After(before[0].Timestamp))
			assert.Len(t, all(c), len(before))
		})
	}
}

func TestUseOrderAndCount(t *testing.T) {
	t.Parallel()
	c := filled(t, 10, ents("page 1", "page 2", "page 3", "page 4")...)
	require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{ref("page 4"), ref("page 2"), ref("page 4")}}))
	assert.Equal(t, []string{"page 4", "page 2", "page 1", "page 3"}, summary(c))
	assert.Equal(t, []int{2, 1, 0, 0}, []int{all(c)[0].Uses, all(c)[1].Uses, all(c)[2].Uses, all(c)[3].Uses})
}

func TestRemove(t *testing.T) {
	t.Parallel()
	present := []string{"page 5", "page 7", "order 7", "customer " + strongID}
	tests := []struct{ name, remove, gone string }{
		{"exact", "page 7", "page 7"},
		{"weak id, other type", "order 5", ""},
		{"weak id, no type", " 5", "page 5"},
		{"weak id, fallback type", "resource 5", "page 5"},
		{"weak id, no type, two entities", " 7", ""},
		{"weak id, other type, two entities", "issue 7", ""},
		{"strong id, other type", "user " + strongID, "customer " + strongID},
		{"strong id, no type", " " + strongID, "customer " + strongID},
		{"unknown", "page 1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := slices.DeleteFunc(slices.Clone(present), func(s string) bool { return s == tt.gone })
			c, other := filled(t, 10, ents(present...)...), filled(t, 10, ents(present...)...)
			assert.Equal(t, tt.gone != "", c.Remove(ref(tt.remove)))
			require.NoError(t, other.Apply(memory.Change{Remove: []memory.Ref{ref(tt.remove)}}))
			assert.Equal(t, want, summary(c))
			assert.Equal(t, want, summary(other))
		})
	}
}

func TestApplyInOrder(t *testing.T) {
	t.Parallel()
	c := filled(t, 3, ents("page 1", "page 2", "page 3")...)
	require.NoError(t, c.Apply(memory.Change{
		Use:    []memory.Ref{ref("page 3"), ref("page 8")},
		Add:    ents("page 8", "page 9"),
		Remove: []memory.Ref{ref("page 9"), ref("page 1")},
	}))
	assert.Equal(t, []string{"page 8", "page 3", "page 2"}, summary(c),
		"page 8 was not known when it was used; page 2 need not fall off, as page 9 goes")
	assert.Equal(t, []int{0, 1, 0}, []int{all(c)[0].Uses, all(c)[1].Uses, all(c)[2].Uses})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		entity  memory.Entity
		refused error
	}{
		{"no id", memory.Entity{Type: "page", Name: "Home"}, memory.ErrNoID},
		{"a blank is an id", memory.Entity{ID: " "}, nil},
		{"zero is an id", memory.Entity{ID: "0"}, nil},
		{"longest id", memory.Entity{ID: strings.Repeat("x", memory.MaxIDBytes)}, nil},
		{"long id", memory.Entity{ID: strings.Repeat("x", memory.MaxIDBytes+1)}, memory.ErrTooLong},
		{"longest type", memory.Entity{ID: "5", Type: strings.Repeat("x", memory.MaxTypeBytes)}, nil},
		{"long type", memory.Entity{ID: "5", Type: strings.Repeat("x", memory.MaxTypeBytes+1)}, memory.ErrTooLong},
		{"id not UTF-8", memory.Entity{ID: "secret\xff"}, memory.ErrInvalidID},
		{"type not UTF-8", memory.Entity{ID: "5", Type: "secret\xff"}, memory.ErrInvalidID},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := setup(t, 10)
			err := c.Add(tt.entity)
			batchErr := c.AddMany([]memory.Entity{ent("page 1"), tt.entity, ent("page 2")})
			if tt.refused == nil {
				require.NoError(t, err)
				require.NoError(t, batchErr)
				assert.Equal(t, 3, c.Len())
				return
			}
			require.ErrorIs(t, err, tt.refused)
			require.ErrorIs(t, batchErr, tt.refused)
			assert.Contains(t, batchErr.Error(), "entity 1:")
			assert.NotContains(t, batchErr.Error(), "secret")
			assert.Equal(t, []string{"page 1", "page 2"}, summary(c), "the others are added")
		})
	}

	err := setup(t, 10).AddMany([]memory.Entity{{}, ent("page 1"), {ID: "\xff"}})
	require.ErrorIs(t, err, memory.ErrNoID)
	require.ErrorIs(t, err, memory.ErrInvalidID)
	assert.Contains(t, err.Error(), "entity 0:")
	assert.Contains(t, err.Error(), "entity 2:")
}

func TestOnEvict(t *testing.T) {
	t.Parallel()
	var (
		c    *memory.WorkingContext
		gone []string
	)
	c = memory.NewWorkingContext(&memory.ContextOptions{
		Capacity: 2,
		OnEvict: func(e memory.Eviction) {
			_, present := c.Get(memory.Ref{Type: e.Entity.Type, ID: e.Entity.ID})
			gone = append(gone, fmt.Sprintf("%s by %s %s, present %v, %d left",
				e.Entity.ID, e.By.Type, e.By.ID, present, c.Len()))
		},
	})
	evictions := func() []string {
		defer func() { gone = nil }()
		return gone
	}

	require.NoError(t, c.AddMany(ents("page 1", "page 2")))
	require.NoError(t, c.Add(ent("page 1")))
	assert.Empty(t, evictions(), "everything fits")

	require.NoError(t, c.Add(ent("order 3")))
	assert.Equal(t, []string{"2 by order 3, present false, 2 left"}, evictions())

	require.NoError(t, c.AddMany(ents("page 4", "page 5", "page 6")))
	assert.Equal(t, []string{
		"1 by page 4, present false, 2 left",
		"3 by page 4, present false, 2 left",
		"6 by page 4, present false, 2 left",
	}, evictions(), "least recently used first, the end of the batch last")

	c.Remove(ref("page 4"))
	c.Clear()
	require.NoError(t, c.UnmarshalJSON([]byte(`{"entities":[{"id":"1"},{"id":"2"},{"id":"3"}]}`)))
	assert.Empty(t, evictions(), "none of these fell off")
}

func TestOnEvictMayChangeTheContext(t *testing.T) {
	t.Parallel()
	var c *memory.WorkingContext
	c = memory.NewWorkingContext(&memory.ContextOptions{
		Capacity: 2,
		OnEvict: func(e memory.Eviction) {
			if e.Entity.Type == "pinned" {
				assert.NoError(t, c.Add(e.Entity))
			}
		},
	})
	require.NoError(t, c.AddMany(ents("page 1", "pinned 2")))
	require.NoError(t, c.Add(ent("page 3")))
	assert.Equal(t, []string{"pinned 2", "page 3"}, summary(c))
}

func TestArgumentsAreNotKept(t *testing.T) {
	t.Parallel()
	c := setup(t, 10)
	batch := ents("page 1 Home", "page 2")
	require.NoError(t, c.AddMany(batch))
	batch[0].Name = "changed by the caller"
	assert.Equal(t, []string{"page 1 Home", "page 2"}, summary(c))
}
