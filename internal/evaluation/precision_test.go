package evaluation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestPrecision(t *testing.T) {
	t.Parallel()
	both := "pages:\n  - \"One\" (page-0001)\n  - \"Two\" (page-0002)"
	publish := func(id string) string { return call("publish", fmt.Sprintf(`{"pages":[%q]}`, id), `"ok"`) }
	idle := call("idle", `{}`, `"ok"`)
	for _, tc := range []struct {
		name         string
		method       evaluation.Method
		steps        []string
		ids, inBlock float64
		shown        int
	}{
		{"by the call it stands before", fixed(both), []string{publish("page-0001")}, 0.5, 0.5, 2},
		{"by a later call", fixed(both), []string{idle, idle, publish("page-0001")}, 0.5, 0.5, 2},
		{"not by an earlier one", evaluation.LastCalls(1), []string{publish("page-0001"), idle}, 0, 0, 1},
		{"blocks after the last use", fixed(both), []string{publish("page-0001"), idle}, 0.5, 0.25, 2},
		{"part of an argument is no use", fixed(both), []string{publish("see page-0001")}, 0, 0, 2},
		{"nothing shown", fixed(""), []string{publish("page-0001")}, 0, 0, 0},
		{"text shows what could be identifiers", evaluation.LastCalls(0),
			[]string{call("list", `{"site":"s-77"}`, `"page-0001 is open, page-0002 is not"`), publish("page-0002")}, 0.3333, 0.3333, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := evaluate(t, tc.method, tc.steps...)
			assert.InDelta(t, tc.ids, r.Precision, 0)
			assert.InDelta(t, tc.inBlock, r.BlockPrecision, 0)
			assert.Equal(t, tc.shown, r.ShownIDs)
		})
	}
}

// TestPrecisionByItsDefinition compares with a direct computation from the blocks
// of Replay.
func TestPrecisionByItsDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var traces strings.Builder
		for i := range rapid.IntRange(1, 3).Draw(t, "episodes") {
			traces.WriteString(drawEpisode(t, i) + "\n")
		}
		m := evaluation.WorkingMemory(evaluation.Settings{Budget: rapid.IntRange(20, 90).Draw(t, "budget"), Counter: counter})
		e := evaluation.Comparison{Methods: []evaluation.Method{m}, Counter: counter}
		reports, err := e.Run(context.Background(), evaluation.Episodes(strings.NewReader(traces.String())))
		require.NoError(t, err)

		want := definedPrecision(t, m, traces.String())
		got := reports[0].Figures
		assert.Equal(t, want.ShownIDs, got.ShownIDs)
		assert.InDelta(t, want.Precision, got.Precision, 0.00005)
		assert.InDelta(t, want.BlockPrecision, got.BlockPrecision, 0.00005)
	})
}

// definedPrecision computes the precision of a method by its definition.
func definedPrecision(t require.TestingT, m evaluation.Method, traces string) evaluation.Figures {
	var shown, used, inBlocks, usedInBlocks int
	for ep, err := range evaluation.Episodes(strings.NewReader(traces)) {
		require.NoError(t, err)
		blocks, err := evaluation.Replay(context.Background(), m, ep)
		require.NoError(t, err)
		takenLater := func(id string, step int) bool {
			for i := step; i < len(ep.Steps); i++ {
				var args map[string]string
				if ep.Steps[i].Kind == evaluation.KindTool {
					require.NoError(t, json.Unmarshal(ep.Steps[i].Args, &args))
				}
				for _, arg := range args {
					if arg == id {
						return true
					}
				}
			}
			return false
		}
		ofEpisode := map[string]bool{} // by id: whether a call took it after some block that shows it
		for _, b := range blocks {
			entities, err := prompt.Parse(b.Text)
			require.NoError(t, err)
			ofBlock := map[string]bool{}
			for _, e := range entities {
				ofBlock[e.ID] = takenLater(e.ID, b.Step)
			}
			for id, taken := range ofBlock {
				ofEpisode[id] = ofEpisode[id] || taken
				inBlocks++
				if taken {
					usedInBlocks++
				}
			}
		}
		shown += len(ofEpisode)
		for _, taken := range ofEpisode {
			if taken {
				used++
			}
		}
	}
	return evaluation.Figures{
		ShownIDs:       shown,
		Precision:      float64(used) / float64(max(shown, 1)),
		BlockPrecision: float64(usedInBlocks) / float64(max(inBlocks, 1)),
	}
}
