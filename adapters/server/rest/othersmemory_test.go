package rest_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// unwritable is a store whose writes fail while it is down.
type unwritable struct {
	driver.Store
	down atomic.Bool
}

func (u *unwritable) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	if u.down.Load() {
		return driver.Position{}, session.ErrUnavailable
	}
	return u.Store.Write(ctx, key, w)
}

// The Python client writes the user into memories of a session that has none.
func TestMemoriesOfAUserInASessionOfNobody(t *testing.T) {
	t.Parallel()
	store := &unwritable{}
	s := start(t, withLongTerm, withTokens, func(made *setup) { store.Store, made.store = made.store, store })
	everybody, _ := s.token(auth.Tenant{}, 0)
	annas, _ := s.token(auth.Tenant{UserID: "anna"}, 0)
	shops, _ := s.token(auth.Tenant{Namespace: "shop"}, 0)
	found := func(query string) []any {
		return s.do("POST", "/v1/long-term-memory/search", query, "Authorization: Bearer "+everybody).is(200)["memories"].([]any)
	}
	const body = `{"memories":[{"id":"m-1","text":"Anna flies gliders","user_id":"anna","memory_type":"semantic","discrete_memory_extracted":"f"}]}`

	s.do("PUT", sessionPath, body, "Authorization: Bearer "+shops).is(200)
	require.Len(t, found(`{"text":"gliders","user_id":{"eq":"anna"},"namespace":{"eq":"shop"}}`), 1)
	s.do("DELETE", "/v1/long-term-memory?memory_ids=m-1", "", "Authorization: Bearer "+everybody).is(200)
	s.do("DELETE", sessionPath, "", "Authorization: Bearer "+shops).is(200)
	s.do("PUT", sessionPath, `{"memories":[{"id":"m-1","text":"x","user_id":"bert"}]}`, "Authorization: Bearer "+annas).fails(403, "Token is not valid for this user")
	loc, _ := s.do("PUT", sessionPath, `{"memories":[{"id":"m-1","text":" ","user_id":"bert"}]}`, "Authorization: Bearer "+everybody).invalid()
	assert.Equal(t, []any{"body", "memories", 0.0}, loc)
	require.Empty(t, found(`{}`))

	store.down.Store(true)
	s.do("PUT", sessionPath, body, "Authorization: Bearer "+everybody).is(503)
	s.do("GET", sessionPath, "", "Authorization: Bearer "+everybody).is(404)
	store.down.Store(false)
	for range 2 {
		memories := s.do("PUT", sessionPath, body, "Authorization: Bearer "+everybody).is(200)["memories"].([]any)
		require.Len(t, memories, 1)
		assert.NotNil(t, memories[0].(map[string]any)["persisted_at"])
	}
	require.Len(t, found(`{"text":"gliders","user_id":{"eq":"anna"}}`), 1)
	require.Len(t, found(`{}`), 1, "once")
	require.Empty(t, found(`{"text":"gliders","user_id":{"eq":"bert"}}`))
}
