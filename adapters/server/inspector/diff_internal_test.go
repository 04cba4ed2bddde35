package inspector

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// drawBlock draws a block of up to nine pages and orders.
func drawBlock(t *rapid.T, name string) (string, []memory.Entity) {
	ids := rapid.SliceOfNDistinct(rapid.IntRange(1, 9), 0, 9, rapid.ID[int]).Draw(t, name)
	var entities []memory.Entity
	for _, id := range ids {
		typ := []string{"page", "order"}[id%2]
		entities = append(entities, memory.Entity{Type: typ, ID: fmt.Sprint(typ, "-", id), Name: rapid.SampledFrom([]string{"Home", "Blog"}).Draw(t, "label")})
	}
	text := prompt.NewRenderer(&prompt.Options{PerType: 9}).Render(entities)
	shown, err := prompt.Parse(text)
	require.NoError(t, err)
	return text, shown
}

// TestCompare: what is marked leads from one block to the other.
func TestCompare(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before, old := drawBlock(t, "before")
		after, current := drawBlock(t, "after")
		lines, _ := compare(before, after)
		isIn := func(all []memory.Entity, id string) int {
			return slices.IndexFunc(all, func(e memory.Entity) bool { return e.ID == id })
		}
		var stays []line
		position := -1
		for _, l := range lines {
			i := isIn(old, l.id)
			if l.mark == markWent {
				require.Negative(t, isIn(current, l.id))
				require.GreaterOrEqual(t, i, 0)
				continue
			}
			stays = append(stays, l)
			require.Equal(t, i < 0, l.mark == markCame, "%v", l)
			if l.mark == markSame {
				require.Equal(t, old[i].Name, l.label)
				require.Greater(t, i, position, "lines that are not marked keep their order")
				position = i
			}
			if l.mark == markNamed {
				require.Equal(t, old[i].Name, l.before)
				require.NotEqual(t, l.before, l.label)
			}
		}
		require.Len(t, stays, len(current), "in the order of the block")
		for i := range stays {
			require.Equal(t, current[i].ID, stays[i].id)
		}
		require.Len(t, lines, len(current)+len(old)-common(old, current))
		if same, _ := compare(after, after); slices.ContainsFunc(same, func(l line) bool { return l.mark != markSame }) {
			require.Fail(t, "a block differs from itself")
		}
	})
}

func common(a, b []memory.Entity) (n int) {
	for _, e := range a {
		if slices.ContainsFunc(b, func(other memory.Entity) bool { return other.ID == e.ID }) {
			n++
		}
	}
	return n
}
