package postgresstore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// TestTextsTooLargeForFullText: such texts are stored, and found by their first terms.
func TestTextsTooLargeForFullText(t *testing.T) {
	t.Parallel()
	x := open(t, newSchema(t)).Index()
	many := make([]string, 60_000)
	for i := range many {
		many[i] = fmt.Sprintf("term%06d", i)
	}
	long := strings.Repeat("long", 100_000)
	entries := map[string][]string{
		"many": many, "long": {long, "\x00", "'\\", ""}, "often": slices.Repeat([]string{"often"}, 10_000),
		"both": append(slices.Repeat([]string{"term000001"}, 70_000), many...),
	}
	for id, terms := range entries {
		add(t, x, &driver.Entry{Record: longterm.Record{ID: id, Hash: id, Text: "text"}, Terms: terms})
	}
	for term, want := range map[string][]string{
		"term000001": {"both", "many"}, long: {"long"}, long[1:]: nil, "\x00": {"long"}, "'\\": {"long"}, "": {"long"}, "often": {"often"},
	} {
		page, err := x.Search(t.Context(), driver.Search{Scope: longterm.Of("", ""), Mode: longterm.ModeKeyword, Terms: []string{term}, Limit: 10})
		require.NoError(t, err)
		var ids []string
		for _, hit := range page.Hits {
			ids = append(ids, hit.Record.ID)
		}
		require.ElementsMatch(t, want, ids, "%.20q", term)
	}
}
