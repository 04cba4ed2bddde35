package items_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/items"
)

var update = flag.Bool("update", false, "write golden files")

// TestAuditOfOperations performs every operation, with texts that must not be audited,
// and compares the log with testdata/audit.txt.
func TestAuditOfOperations(t *testing.T) {
	t.Parallel()
	var (
		log  bytes.Buffer
		fail bool
	)
	handler := slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{}
		}
		return a
	}})
	var s *items.Store
	audit := items.AuditTo(slog.New(handler))
	s = newStore(t, items.Options{
		MaxItems: 2,
		Audit: func(r items.AuditRecord) {
			s.Len() // the store is not locked
			audit(r)
		},
		Scorer: scorerFunc(func(_ context.Context, prompt string, list []items.Item) ([]float64, error) {
			if fail {
				return nil, fmt.Errorf("cannot score %q", prompt)
			}
			return slices.Repeat([]float64{1}, len(list)), nil
		}),
		Summarizer: summarizerFunc(func(_ context.Context, texts []string, _ int) (string, error) {
			if fail {
				return "", fmt.Errorf("cannot read %q", texts)
			}
			return "a b c", nil
		}),
	})
	ctx := items.WithOrigin(t.Context(), items.Origin{AgentID: "agent", TurnID: "turn"})
	memorizeID := func(id string) {
		_, _ = s.Memorize(ctx, items.ItemInput{ID: id, Text: secret + " " + secret, Tags: []string{secret}, Metadata: map[string]string{secret: secret}})
	}
	for _, id := range []string{"1", "1", "2", "3"} {
		memorizeID(id)
	}
	_, _ = s.Remember(ctx, secret, items.Criteria{}, 1)
	_, _ = s.Forget(ctx, "Position:1", items.ForgetSoft)
	_ = s.Restore(ctx, "3")
	_ = s.Restore(ctx, secret)
	_ = s.SetImportance(ctx, "3", 0.9)
	_ = s.SetImportance(ctx, "3", 9)
	_, _ = s.Summarize(ctx, items.SelectTag(secret), 99)
	_, _ = s.Summarize(ctx, secret, 99)
	_, _ = s.Forget(ctx, secret, items.ForgetHard)
	s.Capacity(ctx)
	for range 21 {
		s.AdvanceStep()
	}
	s.Sweep(ctx)
	_ = s.UnmarshalJSON([]byte(`{"items":[{"id":"4","text":"s3cret"},{"id":"5","text":"s3cret"},{"id":"6","text":"` + strings.Repeat("s3cret ", 4001) + `"},{"id":"7","text":"s3cret"}]}`))
	_ = s.UnmarshalJSON([]byte(`["s3cret"]`))
	_, _ = s.ForgetItem(ctx, "5", items.ForgetSoft)
	fail = true
	_, _ = s.Remember(ctx, secret, items.Criteria{}, 0)
	_, _ = s.Summarize(ctx, "", 99)
	s.Clear(ctx)
	s.Notable(1) // these are not audited
	s.Branch()
	_, _ = s.Get("1")

	require.NotContains(t, log.String(), secret)
	const golden = "testdata/audit.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, log.Bytes(), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), log.String())
	require.Nil(t, items.AuditTo(nil))
}

func TestAuditOriginAndDuration(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var records []items.AuditRecord
		s := newStore(t, items.Options{
			Audit: func(r items.AuditRecord) { records = append(records, r) },
			Summarizer: summarizerFunc(func(context.Context, []string, int) (string, error) {
				time.Sleep(3 * time.Second)
				return "summary", nil
			}),
		})
		memorize(t, s, items.ItemInput{AgentID: "owner"})
		ctx := items.WithOrigin(t.Context(), items.Origin{AgentID: "caller"})
		_, err := s.Branch().Memorize(ctx, items.ItemInput{Text: "a", AgentID: "owner"})
		require.NoError(t, err)
		_, err = s.Summarize(ctx, items.SelectAll, 9)
		require.NoError(t, err)
		require.Len(t, records, 3)
		for i, r := range records {
			require.Equal(t, uint64(i+1), r.OperationID, "branches share the numbers")
			require.Equal(t, []string{"owner", "caller", "caller"}[i], r.AgentID)
			require.Equal(t, []time.Duration{0, 0, 3 * time.Second}[i], r.Duration)
		}
	})
}
