package middleware_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// loggedSessions returns sessions and the log of one of them.
func loggedSessions(t *testing.T, store driver.Store) (*middleware.Sessions, *middleware.DecisionLog) {
	t.Helper()
	log := middleware.NewDecisionLog(nil)
	return newSessions(t, store, &middleware.SessionsOptions{
		Extractor: scripted,
		Decisions: func(key session.Key) *middleware.DecisionLog {
			if key == conversation {
				return log
			}
			return nil
		},
	}), log
}

func pages(from, n int) middleware.ToolCall {
	var es []memory.Entity
	for i := range n {
		es = append(es, memory.Entity{Type: "page", ID: fmt.Sprintf("p%d", from+i), Path: fmt.Sprintf("$.pages[%d]", i)})
	}
	return middleware.ToolCall{Name: "list_pages", Result: found(es...)}
}

func TestWhyOfAStoredSession(t *testing.T) {
	t.Parallel()
	sessions, log := loggedSessions(t, memstore.New(nil))
	for _, call := range []middleware.ToolCall{
		pages(1, 2),
		pages(2, 1),
		{Name: "delete_page", Result: removal("p1")},
		pages(10, memory.DefaultCapacity),
	} {
		_, err := sessions.Record(t.Context(), conversation, call)
		require.NoError(t, err)
		_, err = sessions.Record(t.Context(), session.Key{SessionID: "without a log"}, call)
		require.NoError(t, err)
	}
	assert.Equal(t, []string{
		"call 1 (list_pages): page p1 seen at $.pages[0]",
		"call 3 (delete_page): page p1 removed",
	}, story(log, "p1"))
	assert.Equal(t, []string{
		"call 1 (list_pages): page p2 seen at $.pages[1]",
		"call 2 (list_pages): page p2 repeated at $.pages[0]",
		"call 4 (list_pages): page p2 evicted by page p10",
	}, story(log, "p2"))
}

func TestFailedWritesAreNotLogged(t *testing.T) {
	t.Parallel()
	store := &weakStore{Store: memstore.New(nil)}
	sessions, log := loggedSessions(t, store)
	r := sessions.Recorder(conversation)
	down := errors.New("down")
	store.err.Store(&down)
	require.Error(t, r.Record(t.Context(), pages(1, 1)))
	assert.Empty(t, story(log, "p1"))

	store.err.Store(nil)
	require.NoError(t, r.Record(t.Context(), pages(2, 1)))
	assert.Equal(t, []string{"call 1 (list_pages): page p1 seen at $.pages[0]"}, story(log, "p1"), "it is stored with the next call")
	assert.Equal(t, []string{"call 2 (list_pages): page p2 seen at $.pages[0]"}, story(log, "p2"))
}

// removal is an extraction of a call that deleted pages.
func removal(ids ...string) extractor.Extraction {
	var x extractor.Extraction
	for _, id := range ids {
		x.Removed = append(x.Removed, memory.Ref{Type: "page", ID: id})
	}
	return x
}
