package head_test

import (
	"context"
	"errors"
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

func TestSwap(t *testing.T) {
	t.Parallel()
	sessions, _ := filled(t, 3)
	mine, err := sessions.Load(t.Context(), anna, 0)
	require.NoError(t, err)
	others, err := sessions.Load(t.Context(), anna, 0)
	require.NoError(t, err)

	others.Context = "theirs"
	require.NoError(t, sessions.Swap(t.Context(), anna, "testing", others, &driver.Write{Now: noon}))
	assert.Equal(t, mine.At.Revision+1, others.At.Revision)
	assert.True(t, others.Follows(mine.At.Revision))

	mine.Context = "mine"
	err = sessions.Swap(t.Context(), anna, "testing", mine, &driver.Write{Now: noon})
	require.ErrorIs(t, err, driver.ErrConflict)
	require.ErrorContains(t, err, "session: testing: ")
	is, err := sessions.Load(t.Context(), anna, -1)
	require.NoError(t, err)
	assert.Equal(t, "theirs", is.Context)
	assert.Len(t, is.Messages, 3)
}

// contended has another write of the head before each of the first writes.
type contended struct {
	head.Sessions
	writes int
}

func (c *contended) Swap(ctx context.Context, key driver.Key, doing string, h *head.Head, w *driver.Write) error {
	if c.writes--; c.writes >= 0 {
		other, err := c.Load(ctx, key, 0)
		if err != nil {
			return err
		}
		other.Context += "x"
		if err := c.Sessions.Swap(ctx, key, "other", other, &driver.Write{Now: noon}); err != nil {
			return err
		}
	}
	return c.Sessions.Swap(ctx, key, doing, h, w)
}

func TestRewriteKeepsWhatOthersWrite(t *testing.T) {
	t.Parallel()
	sessions, _ := filled(t, 1)
	tries := 0
	h, err := head.Rewrite(t.Context(), &contended{sessions, 2}, anna, "testing", func(h *head.Head, w *driver.Write) error {
		tries++
		w.Now = noon
		h.Context += "mine"
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, 3, tries)
	assert.Equal(t, "xxmine", h.Context)

	failed := errors.New("failed")
	_, err = head.Rewrite(t.Context(), sessions, anna, "testing", func(*head.Head, *driver.Write) error { return failed })
	require.ErrorIs(t, err, failed)
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
