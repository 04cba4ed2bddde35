package middleware_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func TestSessionLogsKeepTheLastUsed(t *testing.T) {
	t.Parallel()
	logs := middleware.NewSessionLogs(&middleware.SessionLogsOptions{Sessions: 2, Decisions: 3})
	sessions := newSessions(t, memstore.New(nil), &middleware.SessionsOptions{Extractor: scripted, Decisions: logs.Log})
	a, b, c := session.Key{SessionID: "a"}, session.Key{SessionID: "b"}, session.Key{SessionID: "c"}
	record := func(key session.Key) {
		_, err := sessions.Record(t.Context(), key, pages(1, 4))
		require.NoError(t, err)
	}
	record(a)
	record(b)
	record(a)
	assert.Equal(t, 5, logs.Log(a).Forgotten(), "of two calls with four decisions each, three are kept")
	record(c)
	assert.Empty(t, story(logs.Log(b), "p4"), "its log gave way")
	assert.NotEmpty(t, story(logs.Log(c), "p4"))
}
