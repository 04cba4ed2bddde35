package head_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

var (
	anna = driver.Key{UserID: "anna", SessionID: "s-1"}
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// filled returns sessions with one that has n messages.
func filled(t *testing.T, n int) (*head.Store, *memstore.Store) {
	t.Helper()
	messages := make([]driver.Message, n)
	for i := range messages {
		messages[i] = driver.Message{Role: driver.RoleUser, Content: "hello"}
	}
	stored, err := head.EncodeMessages(messages, plaintext.Estimator{}, noon)
	require.NoError(t, err)
	h := head.Head{CreatedAt: noon}
	encoded, err := h.Encode()
	require.NoError(t, err)
	store := memstore.New(nil)
	_, _, err = store.Append(t.Context(), anna, driver.Append{Messages: stored, Head: encoded, Format: driver.Format, Now: noon})
	require.NoError(t, err)
	return head.NewStore(store, nil), store
}

func TestLoadFrom(t *testing.T) {
	t.Parallel()
	sessions, store := filled(t, 5)
	was, err := sessions.Load(t.Context(), anna, 0)
	require.NoError(t, err)
	_, _, err = store.Append(t.Context(), anna, driver.Append{
		Messages: []driver.StoredMessage{{ID: "later", Body: []byte(`{"role":"user","content":""}`)}}, Format: driver.Format, Now: noon,
	})
	require.NoError(t, err)
	for from, want := range map[uint64]int{0: 6, 1: 6, 4: 3, 6: 1, 7: 0, 1 << 63: 0} {
		h, err := head.LoadFrom(t.Context(), sessions, anna, from, was.At)
		require.NoError(t, err)
		assert.Len(t, h.Messages, want, "from %d", from)
	}
}
