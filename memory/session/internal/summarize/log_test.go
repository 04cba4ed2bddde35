package summarize_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

func TestLogsSayWhatHappenedWithoutContents(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, answer string
		want         []string
	}{
		{"failed", "", []string{"summary failed", "summarizer wrote nothing", "shop/anna/s-1"}},
		{"identifiers lost", "They talked.", []string{"identifiers=1", "shop/anna/s-1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			m, err := session.NewManager(memstore.New(nil), &session.Options{
				Counter: fixture.WordCounter{}, Window: 8, Logger: slog.New(slog.NewTextHandler(&log, nil)),
				Summaries: summary.Options{Summarizer: &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) {
					return tc.answer, nil
				}}},
			})
			require.NoError(t, err)
			fixture.Send(t, m, fixture.Says("", session.RoleUser, "secret1"), fixture.Says("", session.RoleUser, "secret2"), fixture.Says("", session.RoleUser, "x x x"))
			for _, part := range tc.want {
				assert.Contains(t, log.String(), part)
			}
			assert.NotContains(t, log.String(), "secret")
			assert.Equal(t, 1, strings.Count(log.String(), "\n"))
		})
	}
}
