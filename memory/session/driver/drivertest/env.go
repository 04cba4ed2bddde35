package drivertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// format is the format in which most cases write.
const format = 3

// patience is how long the suite waits for a condition.
const patience = 30 * time.Second

// writeTime is the time of most writes. It has more digits than a store keeps.
var writeTime = time.Date(2026, 3, 4, 5, 6, 7, 123_456_789, time.UTC)

// key is the key of the session that most cases use.
var key = driver.Key{Namespace: "ns", UserID: "user", SessionID: "session"}

// message returns a message whose fields follow from its id.
func message(id string) driver.StoredMessage {
	body, err := json.Marshal(map[string]string{"content": "This is message " + id})
	if err != nil {
		panic(err) // no string makes Marshal fail
	}
	return driver.StoredMessage{ID: id, Tokens: int64(len(id)%7 + 1), Body: body}
}

func messages(ids ...string) []driver.StoredMessage {
	all := make([]driver.StoredMessage, len(ids))
	for i, id := range ids {
		all[i] = message(id)
	}
	return all
}

// numbered returns the ids "m<from>" to "m<to>".
func numbered(from, to int) []string {
	ids := make([]string, 0, to-from+1)
	for n := from; n <= to; n++ {
		ids = append(ids, fmt.Sprintf("m%d", n))
	}
	return ids
}

func tokensOf(all []driver.StoredMessage) (sum int64) {
	for _, m := range all {
		sum += m.Tokens
	}
	return sum
}

// appendOf returns an Append of messages to a session with the head "head".
func appendOf(ids ...string) driver.Append {
	return driver.Append{Messages: messages(ids...), Head: []byte(`"head"`), Format: format, Now: writeTime}
}

// writeIf returns a Write of a head and messages.
func writeIf(c driver.Condition, head string, ids ...string) driver.Write {
	return driver.Write{If: c, Head: []byte(head), Messages: messages(ids...), Format: format, Now: writeTime}
}

// at returns the condition that a session has not changed since p.
func at(p driver.Position) driver.Condition {
	return driver.Condition{Revision: p.Revision, Next: p.Next}
}

// append appends to the session "key".
func (e *env) append(ids ...string) driver.Position {
	e.Helper()
	return e.appendTo(key, appendOf(ids...), len(ids))
}

// appendTo appends and requires the number of messages added.
func (e *env) appendTo(key driver.Key, a driver.Append, want int) driver.Position {
	e.Helper()
	p, added, err := e.store.Append(e.ctx, key, a)
	require.NoError(e, err)
	require.Equal(e, want, added, "messages added")
	return p
}

func (e *env) write(w driver.Write) driver.Position {
	e.Helper()
	p, err := e.store.Write(e.ctx, key, w)
	require.NoError(e, err)
	return p
}

// conflict requires that a Write is refused and changes nothing.
func (e *env) conflict(w driver.Write) {
	e.Helper()
	e.unchanged(func() {
		_, err := e.store.Write(e.ctx, key, w)
		require.ErrorIs(e, err, driver.ErrConflict)
	})
}

// unchanged requires that do does not change the session "key".
func (e *env) unchanged(do func()) {
	e.Helper()
	before, beforeErr := e.store.Load(e.ctx, key, -1)
	do()
	after, err := e.store.Load(e.ctx, key, -1)
	if beforeErr != nil {
		require.ErrorIs(e, beforeErr, driver.ErrNotFound)
		require.ErrorIs(e, err, driver.ErrNotFound, "a session has come about")
		return
	}
	require.NoError(e, err)
	requireSamePosition(e, before.Position, after.Position)
	require.Equal(e, before.Format, after.Format)
	require.Equal(e, string(before.Head), string(after.Head))
	require.Equal(e, before.Messages, after.Messages)
}

// absent requires that a session does not exist.
func (e *env) absent(key driver.Key) {
	e.Helper()
	_, err := e.store.Load(e.ctx, key, -1)
	require.ErrorIs(e, err, driver.ErrNotFound)
}

// has requires that the session "key" has exactly these messages and a consistent position. It
// returns the session.
func (e *env) has(ids ...string) *driver.StoredSession {
	e.Helper()
	return e.keyHas(key, ids...)
}

func (e *env) keyHas(key driver.Key, ids ...string) *driver.StoredSession {
	e.Helper()
	r, err := e.store.Load(e.ctx, key, -1)
	require.NoError(e, err)
	requireConsistent(e, r)
	want := messages(ids...)
	for i := range want {
		want[i].Seq = r.First + uint64(i)
	}
	requireMessages(e, want, r.Messages)
	return r
}

// requireConsistent requires that the position of a session matches its messages, which are
// complete.
func requireConsistent(t require.TestingT, r *driver.StoredSession) {
	require.Equal(t, r.Len(), len(r.Messages), "messages")
	for i, m := range r.Messages {
		if m.Seq != r.First+uint64(i) {
			require.Equal(t, r.First+uint64(i), m.Seq, "sequence number of message %d", i)
		}
	}
	require.Equal(t, tokensOf(r.Messages), r.Tokens, "tokens")
}

// requireMessages compares messages. It does not print bodies in full.
func requireMessages(t require.TestingT, want, got []driver.StoredMessage) {
	require.Equal(t, len(want), len(got), "messages")
	for i, w := range want {
		g := got[i]
		// There may be thousands of messages: require is slow.
		if w.ID == g.ID && w.Seq == g.Seq && w.Tokens == g.Tokens && bytes.Equal(w.Body, g.Body) {
			continue
		}
		require.Equal(t, w.ID, g.ID, "id of message %d", i)
		require.Equal(t, w.Seq, g.Seq, "sequence number of message %d", i)
		require.Equal(t, w.Tokens, g.Tokens, "tokens of message %d", i)
		require.Equal(t, short(w.Body), short(g.Body), "body of message %d", i)
		require.Fail(t, "bodies differ", "message %d, of %d bytes and %d", i, len(w.Body), len(g.Body))
	}
}

func short(body []byte) string { return string(body[:min(len(body), 200)]) }

// requireSamePosition compares positions.
func requireSamePosition(t require.TestingT, want, got driver.Position) {
	require.Equal(t, inUTC(want), inUTC(got))
}

func inUTC(p driver.Position) driver.Position {
	p.UpdatedAt, p.ExpiresAt, p.DueAt = p.UpdatedAt.UTC(), p.ExpiresAt.UTC(), p.DueAt.UTC()
	return p
}
