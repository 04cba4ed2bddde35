package items_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/items"
)

const secret = "s3cret"

// audited is a store of two items that tells its audit to a list.
func audited(t testing.TB, opts items.Options) (*items.Store, *[]items.AuditRecord) {
	t.Helper()
	var records []items.AuditRecord
	opts.MaxItems = 2
	opts.Audit = func(r items.AuditRecord) { records = append(records, r) }
	return newStore(t, opts), &records
}

// told is a record in a line.
func told(r items.AuditRecord) string {
	fields := []string{string(r.Operation), fmt.Sprint(r.OperationID), r.ItemID, string(r.Class), string(r.Reason)}
	fields = append(fields, fmt.Sprint(r.Items, " items"), fmt.Sprint(r.Tokens, " tokens"), string(r.Status))
	for _, d := range r.Details {
		fields = append(fields, d.String())
	}
	if r.Err != nil {
		fields = append(fields, r.Err.Error())
	}
	fields = slices.DeleteFunc(fields, func(f string) bool { return f == "" })
	return strings.Join(fields, ", ")
}

// TestEveryOperationAndEvictionIsAudited has a store do everything it can, with
// words that must not come up.
func TestEveryOperationAndEvictionIsAudited(t *testing.T) {
	t.Parallel()
	fail := false
	s, records := audited(t, items.Options{
		Scorer: scorerFunc(func(_ context.Context, prompt string, items []items.Item) ([]float64, error) {
			if fail {
				return nil, fmt.Errorf("cannot score %q", prompt)
			}
			return slices.Repeat([]float64{1}, len(items)), nil
		}),
		Summarizer: summarizerFunc(func(_ context.Context, texts []string, _ int) (string, error) {
			if fail {
				return "", fmt.Errorf("cannot read %q", texts)
			}
			return "a b c", nil
		}),
	})
	ctx := items.WithOrigin(t.Context(), items.Origin{AgentID: "agent", TurnID: "turn"})
	in := items.ItemInput{Text: secret + " " + secret, Tags: []string{secret}, Metadata: map[string]string{secret: secret}}
	memorizeIt := func(id string) func() error {
		return func() error {
			in.ID = id
			_, err := s.Memorize(ctx, in)
			return err
		}
	}
	forget := func(instruction string, mode items.ForgetMode) func() error {
		return func() error { _, err := s.Forget(ctx, instruction, mode); return err }
	}
	summarize := func(scope items.Selection) func() error {
		return func() error { _, err := s.Summarize(ctx, scope, 99); return err }
	}
	for _, test := range []struct {
		do   func() error
		want []string
	}{
		{memorizeIt("1"), []string{"memorize, 1, 1, 1 items, 2 tokens, ok"}},
		{memorizeIt("1"), []string{"memorize, 2, 0 items, 0 tokens, error, items: duplicate item id"}},
		{memorizeIt("2"), []string{"memorize, 3, 2, 1 items, 2 tokens, ok"}},
		{memorizeIt("3"), []string{
			"evict, 4, 1, normal, normal importance, 1 items, 2 tokens, ok",
			"memorize, 4, 3, 1 items, 2 tokens, ok",
		}},
		{func() error { _, err := s.Remember(ctx, secret, items.Criteria{AgentID: ""}, 1); return err }, []string{"remember, 5, 1 items, 2 tokens, ok"}},
		{forget("Position:1", items.ForgetSoft), []string{"forget, 6, 1 items, 2 tokens, ok, mode=soft, instruction=position:"}},
		{func() error { return s.Restore(ctx, "3") }, []string{"restore, 7, 3, 1 items, 2 tokens, ok"}},
		{func() error { return s.Restore(ctx, secret) }, []string{"restore, 8, 0 items, 0 tokens, error, memory: no item has this id"}},
		{func() error { return s.SetImportance(ctx, "3", 0.9) }, []string{"set_importance, 9, 3, 1 items, 2 tokens, ok"}},
		{func() error { return s.SetImportance(ctx, "3", 9) }, []string{"set_importance, 10, 0 items, 0 tokens, error, items: importance is not from 0 to 1"}},
		{summarize(items.SelectTag(secret)), []string{"summarize, 11, 2 items, 5 tokens, ok, selection=by_tag:"}},
		{summarize(secret), []string{"summarize, 12, 0 items, 0 tokens, error, selection=, items: unknown selection"}},
		{forget(secret, items.ForgetHard), []string{"forget, 13, 0 items, 0 tokens, error, mode=hard, instruction=, items: unknown instruction; valid are: oldest, least important, position:N, before:step_N"}},
		{func() error { s.Capacity(ctx); return nil }, []string{"capacity, 14, 2 items, 4 tokens, ok"}},
		{func() error {
			for range 21 {
				s.AdvanceStep()
			}
			s.Sweep(ctx)
			return nil
		}, []string{
			"evict, 15, 2, expired, step TTL, 1 items, 2 tokens, ok",
			"evict, 15, 3, expired, step TTL, 1 items, 2 tokens, ok",
			"sweep, 15, 2 items, 4 tokens, ok",
		}},
		{func() error {
			return json.Unmarshal([]byte(`{"items":[{"id":"4","text":"s3cret"},{"id":"5","text":"s3cret"},{"id":"6","text":"`+strings.Repeat("s3cret ", 4001)+`"},{"id":"7","text":"s3cret"}]}`), s)
		}, []string{
			"evict, 16, 6, normal, larger than the store, 1 items, 4001 tokens, ok",
			"evict, 16, 4, normal, normal importance, 1 items, 1 tokens, ok",
			"load, 16, 2 items, 2 tokens, ok",
		}},
		{func() error { return s.UnmarshalJSON([]byte(secret)) }, []string{"load, 17, 0 items, 0 tokens, error, memory: invalid state: "}},
		{func() error { fail = true; _, err := s.Remember(ctx, secret, items.Criteria{}, 0); return err }, []string{"remember, 18, 0 items, 0 tokens, error, items: scorer failed"}},
		{summarize(""), []string{"summarize, 19, 2 items, 4 tokens, ok, selection=all, items: summarizer failed"}},
		{func() error { s.Clear(ctx); return nil }, []string{"clear, 20, 2 items, 2 tokens, ok"}},
		{func() error { s.Notable(1); s.Len(); s.Branch(); _, _ = s.Get("1"); return nil }, nil},
	} {
		*records = nil
		err := test.do()
		var lines []string
		for _, r := range *records {
			lines = append(lines, told(r))
			assert.Equal(t, start, r.Time)
			if r.Operation != items.Operation("load") && r.Operation != items.OpEvict {
				assert.Equal(t, []string{"agent", "turn"}, []string{r.AgentID, r.TurnID})
			}
			assert.NotContains(t, fmt.Sprintf("%+v", r), secret)
		}
		if len(test.want) == 1 && strings.HasSuffix(test.want[0], "state: ") { // the rest is another package's
			require.Len(t, lines, 1)
			require.True(t, strings.HasPrefix(lines[0], test.want[0]), lines[0])
			lines = test.want
		}
		require.Equal(t, test.want, lines)
		if len(*records) > 0 {
			require.Equal(t, err != nil, (*records)[len(*records)-1].Status == items.StatusError)
		}
	}
}

func TestOriginOfWhatIsMemorized(t *testing.T) {
	t.Parallel()
	s, records := audited(t, items.Options{})
	memorize(t, s, items.ItemInput{AgentID: "owner"})
	_, err := s.Memorize(items.WithOrigin(t.Context(), items.Origin{AgentID: "caller"}), items.ItemInput{Text: "a", AgentID: "owner"})
	require.NoError(t, err)
	require.Equal(t, []string{"owner", "caller"}, []string{(*records)[0].AgentID, (*records)[1].AgentID})
}

func TestBranchesNumberTheirOperationsTogether(t *testing.T) {
	t.Parallel()
	s, records := audited(t, items.Options{})
	branch := s.Branch()
	for range 2 {
		memorize(t, s, items.ItemInput{})
		memorize(t, branch, items.ItemInput{})
	}
	for i, r := range *records {
		require.Equal(t, uint64(i+1), r.OperationID)
	}
}

func TestAuditMayCallTheStore(t *testing.T) {
	t.Parallel()
	var s *items.Store
	deepest := 0
	s = newStore(t, items.Options{MaxItems: 1, Audit: func(r items.AuditRecord) {
		if deepest < 3 {
			deepest++
			memorize(t, s, items.ItemInput{})
		}
	}})
	memorize(t, s, items.ItemInput{})
	require.Equal(t, 3, deepest)
	require.Equal(t, 1, s.Len())
}

func TestAuditKnowsHowLongItTook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, records := audited(t, items.Options{
			Summarizer: summarizerFunc(func(context.Context, []string, int) (string, error) {
				time.Sleep(3 * time.Second)
				return "summary", nil
			}),
		})
		memorize(t, s, items.ItemInput{})
		_, err := s.Summarize(t.Context(), items.SelectAll, 9)
		require.NoError(t, err)
		require.Zero(t, (*records)[0].Duration)
		require.Equal(t, 3*time.Second, (*records)[1].Duration)
	})
}

func TestAuditTo(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	handler := slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{}
		}
		return a
	}})
	s := newStore(t, items.Options{MaxItems: 1, Audit: items.AuditTo(slog.New(handler))})
	ctx := items.WithOrigin(t.Context(), items.Origin{AgentID: "a", TurnID: "t"})
	memorize(t, s, items.ItemInput{ID: "1", Text: secret})
	memorize(t, s, items.ItemInput{ID: "2", Text: secret})
	_, err := s.Forget(ctx, "oldest", items.ForgetSoft)
	require.NoError(t, err)
	require.Error(t, s.SetImportance(ctx, "1", 0.1))
	require.Equal(t, `level=INFO msg="items: memorize" at=2026-01-02T03:04:05.000Z operation=memorize operation_id=1 status=ok items=1 tokens=1 item_id=1
level=INFO msg="items: evict" at=2026-01-02T03:04:05.000Z operation=evict operation_id=2 status=ok items=1 tokens=1 item_id=1 class=normal reason="normal importance"
level=INFO msg="items: memorize" at=2026-01-02T03:04:05.000Z operation=memorize operation_id=2 status=ok items=1 tokens=1 item_id=2
level=INFO msg="items: forget" at=2026-01-02T03:04:05.000Z operation=forget operation_id=3 status=ok items=1 tokens=1 agent_id=a turn_id=t mode=soft instruction=oldest
level=ERROR msg="items: set_importance" at=2026-01-02T03:04:05.000Z operation=set_importance operation_id=4 status=error items=0 tokens=0 agent_id=a turn_id=t error="memory: no item has this id"
`, log.String())
	require.Nil(t, items.AuditTo(nil))
}
