package attack_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/attack"
)

func TestGenerators(t *testing.T) {
	t.Parallel()
	const size = 1 << 8
	names := map[string]bool{}
	for _, g := range attack.Generators() {
		require.False(t, names[g.Name()], "%s is there twice", g.Name())
		names[g.Name()] = true
		text := g.Make(size)
		assert.GreaterOrEqual(t, len(text), size, g.Name())
		assert.Equal(t, text, g.Make(size), "%s is always the same", g.Name())
	}
}

// Ordinary documents have entities, so the formats are what their names say.
func TestFormatsHoldEntities(t *testing.T) {
	t.Parallel()
	x := extractor.Default(extractor.WideLimits())
	nothing := []string{"bare", "lines", "words", "mcp items", "code"}
	for _, g := range attack.Generators() {
		if g.Filling != "names" || g.Layout != attack.Items || slices.Contains(nothing, g.Format) {
			continue
		}
		out, err := x.Extract(t.Context(), extractor.Input{Tool: "list_orders", Result: g.Make(2 << 10)})
		require.NoError(t, err)
		assert.NotEmpty(t, out.Entities, "%s, read as %s", g.Name(), out.Format)
	}
}
