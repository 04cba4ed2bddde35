package service_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func inspected(t *testing.T, store driver.Store, recording *middleware.SessionsOptions) *service.Service {
	t.Helper()
	m, err := session.NewManager(store, nil)
	require.NoError(t, err)
	s, err := service.New(m, &service.Options{Recording: recording})
	require.NoError(t, err)
	return s
}

func recordOrder(t *testing.T, s *service.Service, n int) {
	t.Helper()
	_, err := s.RecordToolCall(t.Context(), service.Tenant{}, service.Ref{SessionID: "s"}, middleware.ToolCall{
		Name: "browse", Result: fmt.Sprintf(`{"order":{"id":"o-%d","name":"Order %d"}}`, n, n),
	}, service.Rewriting{})
	require.NoError(t, err)
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	s, other := inspected(t, store, nil), inspected(t, store, nil)
	_, err := s.Decisions(t.Context(), service.Tenant{}, service.Ref{SessionID: "s"})
	require.ErrorContains(t, err, "Session s not found")
	for n := range 4 {
		recordOrder(t, s, n)
	}
	found, err := s.Decisions(t.Context(), service.Tenant{}, service.Ref{SessionID: "s"})
	require.NoError(t, err)
	require.Len(t, found.Entities, 4)
	newest, oldest := found.Entities[0], found.Entities[3]
	assert.Equal(t, []string{"o-3", "shown", "browse", "Order 3"}, []string{newest.ID, string(newest.Verdict), newest.Tool, newest.Label()})
	assert.Equal(t, []string{"o-0", string(prompt.VerdictConstants)}, []string{oldest.ID, string(oldest.Verdict)})
	require.Len(t, found.Decisions, 4)
	last := found.Decisions[3]
	assert.Equal(t, []string{"o-3", "order", "seen", "browse"}, []string{last.ID, last.Type, string(last.Kind), last.Tool})
	assert.Contains(t, last.Path, "$")
	assert.Equal(t, session.DefaultWindow, found.Usage.Window)
	assert.Equal(t, map[string]int{"order": 4}, found.Usage.EntityTypes)

	elsewhere, err := other.Decisions(t.Context(), service.Tenant{}, service.Ref{SessionID: "s"})
	require.NoError(t, err)
	assert.Len(t, elsewhere.Entities, 4)
	assert.Empty(t, elsewhere.Decisions, "another process recorded them")
	_, err = s.Decisions(t.Context(), service.Tenant{UserID: "anna"}, service.Ref{SessionID: "s"})
	require.ErrorContains(t, err, "Session s not found")
}

// TestKeptDecisions: decisions in a journal of the store are found by another process, and end with
// their session.
func TestKeptDecisions(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	for _, stored := range []bool{true, false} {
		recording := func() *middleware.SessionsOptions {
			return &middleware.SessionsOptions{Journal: middleware.NewJournal(&middleware.JournalOptions{Stored: stored})}
		}
		s, other := inspected(t, store, recording()), inspected(t, store, recording())
		count := func(s *service.Service) int {
			found, err := s.Decisions(t.Context(), service.Tenant{}, service.Ref{SessionID: "s"})
			require.NoError(t, err)
			return len(found.Decisions)
		}
		for n := range 210 {
			recordOrder(t, s, n)
		}
		assert.Equal(t, 200, count(s))
		assert.Equal(t, stored, count(other) == 200)
		require.NoError(t, s.DeleteSession(t.Context(), service.Tenant{}, service.Ref{SessionID: "s"}, nil))
		recordOrder(t, other, 1)
		want := 0
		if stored {
			want = 1
		}
		assert.Equal(t, want, count(s), "those of the session that was deleted are not shown")
		require.NoError(t, s.DeleteSession(t.Context(), service.Tenant{}, service.Ref{SessionID: "s"}, nil))
	}
}

// A journal in the process may outlive its session: what is older than the session is not shown.
func TestJournalOfAnEarlierSession(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	s := inspected(t, store, &middleware.SessionsOptions{Journal: middleware.NewJournal(nil)})
	recordOrder(t, s, 1)
	elsewhere := inspected(t, store, nil)
	require.NoError(t, elsewhere.DeleteSession(t.Context(), service.Tenant{}, service.Ref{SessionID: "s"}, nil))
	recordOrder(t, s, 2)
	found, err := s.Decisions(t.Context(), service.Tenant{}, service.Ref{SessionID: "s"})
	require.NoError(t, err)
	require.Len(t, found.Decisions, 1)
	assert.Equal(t, "o-2", found.Decisions[0].ID)
	timeline, err := s.Timeline(t.Context(), service.Tenant{}, service.Ref{SessionID: "s"})
	require.NoError(t, err)
	assert.Len(t, timeline.Calls, 1)
}

func TestServicesMayShareDecisions(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	logs := middleware.NewSessionLogs(&middleware.SessionLogsOptions{Decisions: 1000})
	s := inspected(t, store, &middleware.SessionsOptions{Decisions: logs.Log})
	other := inspected(t, store, &middleware.SessionsOptions{Decisions: logs.Log})
	for n := range 210 {
		recordOrder(t, s, n)
	}
	found, err := other.Decisions(t.Context(), service.Tenant{}, service.Ref{SessionID: "s"})
	require.NoError(t, err)
	require.Len(t, found.Decisions, 200, "210 were seen and 200 evicted")
	assert.Equal(t, middleware.DecisionEvicted, found.Decisions[199].Kind)
	assert.Equal(t, "o-199", found.Decisions[199].ID)
	assert.Equal(t, [2]string{"order", "o-209"}, [2]string{found.Decisions[199].ByType, found.Decisions[199].ByID})
}
