package sqlitestore

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

const selectMessages = `SELECT seq, id, tokens, body FROM messages WHERE session = ? AND seq >= ? AND seq < ? ORDER BY seq`

// blockSize is the number of messages that one statement looks up or inserts, if there are as
// many. The context is checked after each statement.
const blockSize = 50

// The statements for one message and for a blockSize of them.
var (
	selectID    = `SELECT id, seq FROM messages WHERE session = ? AND id IN (?)`
	selectIDs   = `SELECT id, seq FROM messages WHERE session = ? AND id IN (?` + strings.Repeat(", ?", blockSize-1) + `)`
	insertOne   = `INSERT INTO messages (session, seq, id, tokens, body) VALUES (?, ?, ?, ?, ?)`
	insertBlock = insertOne + strings.Repeat(", (?, ?, ?, ?, ?)", blockSize-1)
)

// knownIDs returns the numbers of those messages that the session has or remembers, by id.
func (t *tx) knownIDs(c *call, r *row, messages []driver.StoredMessage) (map[string]uint64, error) {
	seqs := map[string]uint64{}
	if r.id == 0 || r.Next == 1 {
		return seqs, nil
	}
	each := func(scan func(...any) error) error {
		var id string
		var seq uint64
		err := scan(&id, &seq)
		seqs[id] = seq
		return err
	}
	for chunk := range slices.Chunk(messages, blockSize) {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		query := selectID
		if len(chunk) > 1 {
			query = selectIDs
		}
		args := make([]any, 0, blockSize+1)
		args = append(args, r.id)
		for _, m := range chunk {
			args = append(args, m.ID)
		}
		for query == selectIDs && len(args) <= blockSize {
			args = append(args, chunk[0].ID)
		}
		if err := t.query(each, query, args...); err != nil {
			return nil, err
		}
	}
	return seqs, nil
}

// fresh returns the messages whose ids are not taken, without duplicates.
func fresh(messages []driver.StoredMessage, taken func(id string) bool) []driver.StoredMessage {
	if len(messages) == 1 {
		if taken(messages[0].ID) {
			return nil
		}
		return messages
	}
	var added []driver.StoredMessage
	seen := make(map[string]bool, len(messages))
	for _, m := range messages {
		if !seen[m.ID] && !taken(m.ID) {
			added = append(added, m)
		}
		seen[m.ID] = true
	}
	return added
}

// insert appends messages to a session.
func (t *tx) insert(c *call, r *row, messages []driver.StoredMessage) error {
	for len(messages) > 0 {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		n, query := 1, insertOne
		if len(messages) >= blockSize {
			n, query = blockSize, insertBlock
		}
		args := make([]any, 0, 5*n)
		for _, m := range messages[:n] {
			args = append(args, r.id, int64(r.Next), m.ID, m.Tokens, bytesOf(m.Body))
			r.Next++
			r.Tokens += m.Tokens
		}
		if _, err := t.exec(query, args...); err != nil {
			return err
		}
		messages = messages[n:]
	}
	return nil
}

// tokensBefore returns the tokens of the messages before a number. It returns a
// *session.DamagedError if any of them is missing.
func (t *tx) tokensBefore(key driver.Key, r *row, before uint64) (tokens int64, err error) {
	var count uint64
	err = t.query(func(scan func(...any) error) error { return scan(&count, number(&tokens)) },
		`SELECT count(body), coalesce(sum(tokens), 0) FROM messages WHERE session = ? AND seq >= ? AND seq < ?`,
		r.id, int64(r.First), int64(before))
	switch {
	case errors.Is(err, errNotNumber):
		return 0, &driver.DamagedError{Key: key, Part: "messages", Err: errNotNumber}
	case err != nil:
		return 0, err
	case count != before-r.First:
		return 0, &driver.DamagedError{Key: key, Part: "messages", Err: errMissing}
	}
	return tokens, nil
}

// drop removes the bodies of the messages before a number, and the ids of messages that were
// dropped long ago.
func (t *tx) drop(r *row, before uint64) error {
	remembered := max(before, driver.RememberedIDs) - driver.RememberedIDs
	if _, err := t.exec(`DELETE FROM messages WHERE session = ? AND seq < ?`, r.id, int64(remembered)); err != nil {
		return err
	}
	_, err := t.exec(`UPDATE messages SET body = NULL WHERE session = ? AND seq >= ? AND seq < ?`,
		r.id, int64(max(r.First, remembered)), int64(before))
	return err
}

// forget removes the remembered id of a dropped message.
func (t *tx) forget(r *row, seq uint64) error {
	_, err := t.exec(`DELETE FROM messages WHERE session = ? AND seq = ?`, r.id, int64(seq))
	return err
}
