package evaluation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// TestTrace: a trace has what each step did, and from a miss the result that had the identifier.
func TestTrace(t *testing.T) {
	t.Parallel()
	steps := []string{`{"kind":"user","text":"Rename the pages."}`}
	for i := range 4 {
		steps = append(steps, page(fmt.Sprintf("page-000%d", i+1)))
	}
	steps = append(steps, call("rename_page", `{"page_id":"page-0001"}`, `"ok"`), call("rename_page", `{"page_id":"page-0004"}`, `"ok"`))
	for ep, err := range evaluation.Episodes(strings.NewReader(`{"id":"e","steps":[` + strings.Join(steps, ",") + `]}`)) {
		require.NoError(t, err)
		trace, err := evaluation.NewTrace(t.Context(), ep, evaluation.Settings{Capacity: 1}, 5)
		require.NoError(t, err)
		require.Len(t, trace.Steps, 7)
		assert.Equal(t, 2, trace.References)
		assert.InDelta(t, 0.5, trace.Coverage, 0)
		assert.Empty(t, trace.Steps[0].Block)
		assert.Contains(t, trace.Steps[1].Block, "page-0001", "after the step")
		assert.NotContains(t, trace.Steps[4].Block, "page-0001")
		assert.Equal(t, 1, trace.Steps[4].Entities.Len())
		var done []string
		for _, d := range trace.Steps[4].Decisions {
			done = append(done, d.String())
		}
		assert.Equal(t, []string{
			"call 4 (get_page): page page-0004 seen at $.page", "call 4 (get_page): page page-0003 evicted by page page-0004",
			"block after call 4: page page-0004 shown", "block after call 4: page page-0001 hidden: over the limit of lines or per type",
		}, done)
		assert.Equal(t, []evaluation.Need{{
			Key: "page_id", Value: "page-0001", Miss: evaluation.MissNoRoom, Why: "candidate 3 of 3", Source: 1,
		}}, trace.Steps[5].Needed)
		require.Len(t, trace.Steps[6].Needed, 1)
		assert.Equal(t, "page-0004", trace.Steps[6].Needed[0].Value)
		assert.Equal(t, 4, trace.Steps[6].Needed[0].Source)
		assert.Equal(t, evaluation.Miss{
			Episode: "e", Step: 5, Tool: "rename_page", Key: "page_id", Value: "page-0001", Reason: "candidate 3 of 3", Source: 1,
		}, trace.Misses[1].Examples[0])
	}
}
