package evaluation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/prompt"
)

var _ = flag.Set("rapid.checks", strconv.Itoa(soak.Times(20, 100)))

var counter = prompt.Estimator{}

func open(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// TestScoreAgreesWithTheDefinition compares with the figures of the reference scorer
// for the same files. "small" has the basic cases; "servers" has envelopes, plurals,
// kinds, and values that are not references; "handles" has blocks with handles, "shell" command lines
// and SQL.
func TestScoreAgreesWithTheDefinition(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"small", "servers", "handles", "shell"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(filepath.Join("testdata", name+".figures.json"))
			require.NoError(t, err)
			var defined struct {
				evaluation.Figures
				Floor      float64 // in 30 tokens
				ShellFloor float64 `json:"shell_floor"`
			}
			require.NoError(t, json.Unmarshal(want, &defined))

			got, err := evaluation.Score(context.Background(), evaluation.Episodes(open(t, name+".traces.jsonl")),
				evaluation.ReadBlocks(open(t, name+".blocks.jsonl")), counter)
			require.NoError(t, err)
			// Tokens and precision are not part of the definition.
			got.MeanTokens, got.LargestTokens, got.Precision, got.BlockPrecision, got.ShownIDs = 0, 0, 0, 0, 0
			assert.Equal(t, defined.Figures, got)

			quarters := prompt.TokenCounterFunc(func(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 })
			floor := evaluation.Comparison{Methods: []evaluation.Method{evaluation.Floor(30, quarters)}, Counter: quarters}
			reports, err := floor.Run(context.Background(), evaluation.Episodes(open(t, name+".traces.jsonl")))
			require.NoError(t, err)
			assert.InDelta(t, defined.Floor, reports[0].Coverage, 0)
			assert.InDelta(t, defined.ShellFloor, reports[0].Shell, 0)
		})
	}
}

func TestScoreNeedsEveryBlock(t *testing.T) {
	t.Parallel()
	blocks := strings.NewReader(`{"episode":"library-1","step":1,"block":""}`)
	_, err := evaluation.Score(context.Background(), evaluation.Episodes(open(t, "small.traces.jsonl")), evaluation.ReadBlocks(blocks), counter)
	require.ErrorIs(t, err, evaluation.ErrNoBlock)
	assert.Contains(t, err.Error(), `episode "library-1", step 2`)
}

// TestReplayAgreesWithComparison: the blocks of Replay have the figures of Comparison.
func TestReplayAgreesWithComparison(t *testing.T) {
	t.Parallel()
	for _, s := range []evaluation.Settings{{Capacity: 3, PerType: 1}, {Budget: 40, Counter: counter}, {Budget: 40, Counter: counter, Handles: new(handle.Options)}} {
		for _, name := range []string{"small", "servers", "mixed", "handles"} {
			t.Run(name+" "+s.String(), func(t *testing.T) {
				t.Parallel()
				ctx := context.Background()
				m := evaluation.WorkingMemory(s)
				var file bytes.Buffer
				for ep, err := range evaluation.Episodes(open(t, name+".traces.jsonl")) {
					require.NoError(t, err)
					blocks, err := evaluation.Replay(ctx, m, ep)
					require.NoError(t, err)
					require.NoError(t, evaluation.WriteBlocks(&file, blocks))
				}
				want, err := evaluation.Score(ctx, evaluation.Episodes(open(t, name+".traces.jsonl")), evaluation.ReadBlocks(&file), counter)
				require.NoError(t, err)

				e := evaluation.Comparison{Methods: []evaluation.Method{m}, Counter: counter, Misses: 1000}
				reports, err := e.Run(ctx, evaluation.Episodes(open(t, name+".traces.jsonl")))
				require.NoError(t, err)
				assert.Equal(t, want, reports[0].Figures)
				if s.Budget > 0 {
					assert.LessOrEqual(t, reports[0].LargestTokens, s.Budget)
				}
			})
		}
	}
}

func TestBlocksKeepTheTypeOfEpisodeIDs(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	for ep, err := range evaluation.Episodes(open(t, "small.traces.jsonl")) {
		require.NoError(t, err)
		blocks, err := evaluation.Replay(context.Background(), evaluation.Seed(), ep)
		require.NoError(t, err)
		require.NoError(t, evaluation.WriteBlocks(&file, blocks))
	}
	assert.Contains(t, file.String(), `{"episode":"library-1","step":1,"block":""}`+"\n")
	assert.Contains(t, file.String(), `{"episode":2,"step":1,"block":""}`+"\n")
	assert.Contains(t, file.String(), `{"episode":"3","step":1,"block":""}`+"\n")
}

func TestEpisodes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		line string
		want error
	}{
		{`{"id":1`, evaluation.ErrNotJSON},
		{`{"steps":[]}`, evaluation.ErrNoID},
		{`{"id":1,"steps":{}}`, evaluation.ErrNoSteps},
		{`{"id":1,"steps":[1]}`, evaluation.ErrStep},
		{`{"id":1,"steps":[{"kind":"tool"}]}`, evaluation.ErrNoToolName},
	} {
		t.Run(tc.line, func(t *testing.T) {
			t.Parallel()
			good := `{"id":"ok","steps":[{"kind":"note"},{"kind":"tool","name":"f"}]}`
			var errs []error
			var ids []string
			for ep, err := range evaluation.Episodes(strings.NewReader("\n" + tc.line + "\n" + good)) {
				if err != nil {
					errs = append(errs, err)
					continue
				}
				ids = append(ids, ep.ID.Text)
			}
			assert.Equal(t, []string{"ok"}, ids, "the line after a bad one is read")
			require.Len(t, errs, 1)
			require.ErrorIs(t, errs[0], tc.want)
			var te *evaluation.TraceError
			require.ErrorAs(t, errs[0], &te)
			assert.Equal(t, 2, te.Line)
		})
	}
}

func TestReadBlocksRefusesBadLines(t *testing.T) {
	t.Parallel()
	for _, line := range []string{`{`, `{}`, `{"episode":1,"step":"1","block":""}`, `{"episode":1,"step":1,"block":2}`, `{"episode":1,"step":99999999999999999999,"block":""}`} {
		for _, err := range evaluation.ReadBlocks(strings.NewReader(line)) {
			var te *evaluation.TraceError
			assert.ErrorAs(t, err, &te, line)
		}
	}
}

func TestEvaluationStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e := evaluation.Comparison{Methods: []evaluation.Method{evaluation.Seed()}, Counter: counter}
	_, err := e.Run(ctx, evaluation.Episodes(open(t, "small.traces.jsonl")))
	require.ErrorIs(t, err, context.Canceled)
	_, err = e.Run(context.Background(), evaluation.Episodes(strings.NewReader("nope")))
	require.ErrorIs(t, err, evaluation.ErrNotJSON)
}

// TestFiguresHold: for any traces, shares are within bounds and the whole history
// covers all references.
func TestFiguresHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var traces strings.Builder
		for i := range rapid.IntRange(0, 3).Draw(t, "episodes") {
			traces.WriteString(drawEpisode(t, i) + "\n")
		}
		e := evaluation.Comparison{Methods: []evaluation.Method{
			evaluation.WorkingMemory(evaluation.Settings{Budget: 60, Counter: counter}),
			evaluation.Floor(60, counter), evaluation.LastCalls(1), evaluation.LastCalls(3), evaluation.LastCalls(0),
		}, Counter: counter, Prefix: true, Misses: 5}
		reports, err := e.Run(context.Background(), evaluation.Episodes(strings.NewReader(traces.String())))
		require.NoError(t, err)
		for _, r := range reports {
			assert.LessOrEqual(t, r.Typed, r.Coverage)
			assert.LessOrEqual(t, r.Coverage, 1.0)
			assert.LessOrEqual(t, r.Described, 1.0)
			assert.LessOrEqual(t, len(r.Misses), 5)
			for _, p := range r.Prefix {
				assert.GreaterOrEqual(t, p.Share, 0.0)
				assert.LessOrEqual(t, p.Share, 1.0)
			}
		}
		assert.LessOrEqual(t, reports[0].LargestTokens, 60)
		assert.LessOrEqual(t, reports[1].LargestTokens, 60)
		assert.LessOrEqual(t, reports[2].Coverage, reports[3].Coverage)
		if reports[4].References > 0 {
			assert.InDelta(t, 1.0, reports[4].Coverage, 0)
		}
	})
}

func drawEpisode(t *rapid.T, id int) string {
	ids := rapid.SampledFrom([]string{"page-1001", "page-1002", "user_77", "#W123456", "vol-9a8b7c6d"})
	steps := []string{`{"kind":"user","text":"hello"}`}
	for range rapid.IntRange(0, 6).Draw(t, "steps") {
		result := rapid.SampledFrom([]string{`{"id":%q,"title":"Home"}`, `[{"page_id":%q}]`, `"found %s"`}).Draw(t, "result")
		result = fmt.Sprintf(result, ids.Draw(t, "id"))
		steps = append(steps, fmt.Sprintf(`{"kind":"tool","name":"get_page","args":{"page_id":%q},"result":%s}`, ids.Draw(t, "argument"), result),
			`{"kind":"assistant","text":"done"}`)
	}
	return fmt.Sprintf(`{"id":%d,"steps":[%s]}`, id, strings.Join(steps, ","))
}
