package evaluation_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// TestTrace: a trace has what each step did, and from a miss the result that had the identifier.
func TestTrace(t *testing.T) {
	t.Parallel()
	steps := []string{
		`{"kind":"user","text":"Rename the pages."}`, page("page-0001"), page("page-0002"),
		call("rename_page", `{"page_id":"page-0001"}`, `"ok"`), call("rename_page", `{"page_id":"page-0002"}`, `"ok"`),
	}
	for ep, err := range evaluation.Episodes(strings.NewReader(`{"id":"e","steps":[` + strings.Join(steps, ",") + `]}`)) {
		require.NoError(t, err)
		trace, err := evaluation.NewTrace(t.Context(), ep, evaluation.Settings{Capacity: 1}, 5)
		require.NoError(t, err)
		require.Len(t, trace.Steps, 5)
		assert.Equal(t, 2, trace.References)
		assert.InDelta(t, 0.5, trace.Coverage, 0)
		assert.Empty(t, trace.Steps[0].Block)
		assert.Contains(t, trace.Steps[1].Block, "page-0001", "after the step")
		assert.NotContains(t, trace.Steps[2].Block, "page-0001")
		assert.Equal(t, 1, trace.Steps[2].Entities.Len())
		var done []string
		for _, d := range trace.Steps[2].Decisions {
			done = append(done, d.String())
		}
		assert.Equal(t, []string{
			"call 2 (get_page): page page-0002 seen at $.page", "call 2 (get_page): page page-0001 evicted by page page-0002",
			"block after call 2: page page-0002 shown",
		}, done)
		assert.Equal(t, []evaluation.Need{{
			Key: "page_id", Value: "page-0001", Miss: evaluation.MissEvicted, Why: "evicted by page page-0002 at step 2", Source: 1,
		}}, trace.Steps[3].Needed)
		assert.Equal(t, []evaluation.Need{{Key: "page_id", Value: "page-0002", Source: 2}}, trace.Steps[4].Needed)
		require.Len(t, trace.Misses, 1)
		assert.Equal(t, evaluation.Miss{
			Episode: "e", Step: 3, Tool: "rename_page", Key: "page_id", Value: "page-0001", Reason: "evicted by page page-0002 at step 2", Source: 1,
		}, trace.Misses[0].Examples[0])
	}
}
