package session

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"
)

// Appended is what became of messages that were appended.
type Appended struct {
	// Position is where the session stood after they were, and were summarised if
	// that is done at once.
	Position
	// Messages are the messages, with the ids, times and tokens that they were
	// given. One that was there already is as it was given here.
	Messages []Message
	// Added is how many were not there already.
	Added int
	// Summary is what became of the summary that the session was due for.
	Summary SummaryOutcome
}

// Append adds messages at the end of a session, all or none, whatever others
// append meanwhile, and makes the session if it is not there. What the session
// holds is neither read nor written: the cost does not depend on it. A message
// whose id is in the session already is not added again, so that an Append that
// failed with ErrUnavailable may be repeated, if the messages have ids. One that makes
// the session asks Options.LongTerm for messages of one that has expired, if it keeps
// any, and waits for them for 5 s at most.
//
// Without messages it makes the session, or renews its expiry. Errors: ErrKey,
// ErrTTL, *MessageError, *FormatError, *DamagedError, ErrUnavailable, ErrClosed;
// with any of them but ErrUnavailable, and that of a context that ended, nothing was
// added.
func (m *Manager) Append(ctx context.Context, key Key, messages []Message, opts *WriteOptions) (*Appended, error) {
	if err := key.Check(); err != nil {
		return nil, err
	}
	carried, err := m.carried(opts)
	if err != nil {
		return nil, err
	}
	now := m.now()
	messages = cloneMessages(messages)
	stored, err := m.encodeMessages(messages, now)
	if err != nil {
		return nil, err
	}
	wants := m.promotions.wantsAny()
	fresh := &Session{CreatedAt: now, TTL: lifetime(carried.ttl)}
	// An Append does not ask whether the session is there: that would be a second call.
	// If it made the session, that session says so, until it was looked whether there is
	// one to rebuild: now, or by a worker if this process dies.
	fresh.from.progress.Unrestored = wants.Messages
	head, err := encodeHead(fresh)
	if err != nil {
		return nil, err
	}
	at, added, err := m.store.Append(ctx, key, Append{
		Messages: stored, Head: head, Format: Format, TTL: carried.ttl, Window: carried.window, Now: now,
		Due: m.promotions.dueAppended(wants, len(stored), carried.ttl, now),
	})
	if err != nil {
		return nil, fmt.Errorf("session: appending: %w", err)
	}
	if added == len(messages) {
		for i := range messages {
			messages[i].Seq = at.Next - uint64(added-i)
		}
	}
	appended := &Appended{Position: at, Messages: messages, Added: added}
	if wants.Messages && at.First == 1 && at.Len() == added { // it has made the session, or it was an empty one
		m.restoreAppended(ctx, key, appended)
	}
	m.promotions.written(key, appended.Position)
	appended.Summary = m.summaries.written(ctx, key, appended.Position)
	if summarized := appended.Summary.at; summarized.Revision != 0 {
		appended.Position = summarized
	}
	return appended, nil
}

// carried is what a write carries beside what it writes.
type carried struct {
	ttl    time.Duration
	window int64
}

func (m *Manager) carried(opts *WriteOptions) (carried, error) {
	c := carried{ttl: m.opts.TTL}
	if opts == nil {
		return c, nil
	}
	if _, err := TTLMillis(opts.TTL); err != nil {
		return c, err
	}
	switch {
	case opts.Window < 0:
		return c, fmt.Errorf("session: negative window")
	case opts.TTL != 0:
		c.ttl = opts.TTL
	}
	c.window = int64(opts.Window)
	if c.window == 0 && opts.Model != "" {
		c.window = int64(m.windowOf(opts.Model))
	}
	return c, nil
}

// lifetime is the TTL that a session is said to have.
func lifetime(ttl time.Duration) time.Duration { return max(ttl, 0) }

// encodeMessages fills in what messages lack, counts their tokens and encodes
// them. Errors: *MessageError.
func (m *Manager) encodeMessages(messages []Message, now time.Time) ([]StoredMessage, error) {
	stored := make([]StoredMessage, len(messages))
	for i := range messages {
		var err error
		if stored[i], err = m.encodeMessage(&messages[i], now); err != nil {
			return nil, &MessageError{Index: i, Err: err}
		}
	}
	return stored, nil
}

func (m *Manager) encodeMessage(message *Message, now time.Time) (StoredMessage, error) {
	if err := message.check(); err != nil {
		return StoredMessage{}, err
	}
	if message.ID == "" {
		message.ID = ulid.Make().String()
	}
	if message.CreatedAt.IsZero() {
		message.CreatedAt = now
	}
	message.CreatedAt = message.CreatedAt.UTC()
	message.Tokens = m.opts.Counter.CountTokens(message.Text())
	encoded, err := encodeMessage(message)
	return StoredMessage{ID: message.ID, Tokens: int64(message.Tokens), Body: encoded}, err
}

// cloneMessages copies messages so that a change of a copy is none of the other.
func cloneMessages(messages []Message) []Message {
	messages = slices.Clone(messages)
	for i := range messages {
		messages[i].ToolCalls = slices.Clone(messages[i].ToolCalls)
	}
	return messages
}
