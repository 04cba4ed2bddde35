package session

import (
	"context"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// Appended is the result of Manager.Append. Its methods report the state of the session
// after the write, and after the summary if that was written synchronously.
type Appended struct {
	// Messages are the given messages with their ids, times and token counts. A message
	// that was in the session already is unchanged.
	Messages []Message
	// Added is the number of messages that were not in the session already.
	Added int
	// Summary is the outcome of the summarization that the write started.
	Summary summary.Outcome

	at driver.Position
}

// Version is the version of the session; see Session.Version.
func (a *Appended) Version() uint64 { return a.at.Version() }

// Len is the number of messages in the session.
func (a *Appended) Len() int { return a.at.Len() }

// Tokens is the number of tokens of these messages.
func (a *Appended) Tokens() int { return int(a.at.Tokens) }

// Window is the context window last given, in tokens. It is 0 if none was given.
func (a *Appended) Window() int { return int(a.at.Window) }

// UpdatedAt is the time of the last change, to the millisecond.
func (a *Appended) UpdatedAt() time.Time { return a.at.UpdatedAt }

// ExpiresAt is when the session expires, to the millisecond. The zero time means never.
func (a *Appended) ExpiresAt() time.Time { return a.at.ExpiresAt }

// Append adds messages to the end of a session, all or none, and creates the session if it
// does not exist. Concurrent appends do not conflict. The contents of the session are
// neither read nor written, so the cost does not depend on them. A message whose id is in
// the session already is not added again: an Append of messages with ids may be repeated
// after ErrUnavailable. An Append that creates a session asks Options.LongTerm for the
// messages of an expired one, and waits for them for 5 s at most.
//
// Without messages, Append creates the session or renews its expiry. Errors: ErrKey,
// ErrTTL, *MessageError, *FormatError, *DamagedError, ErrUnavailable, ErrClosed. Nothing
// was added unless the error is ErrUnavailable or that of an ended context.
func (m *Manager) Append(ctx context.Context, key Key, messages []Message, opts *WriteOptions) (*Appended, error) {
	if err := key.Check(); err != nil {
		return nil, err
	}
	carried, err := m.carried(opts)
	if err != nil {
		return nil, err
	}
	now := m.Now()
	messages = head.Clone(messages)
	stored, err := head.EncodeMessages(messages, m.opts.Counter, now)
	if err != nil {
		return nil, err
	}
	wants := m.promotions.WantsAny()
	fresh := head.Head{CreatedAt: now, TTL: lifetime(carried.ttl)}
	// Asking whether the session exists would be a second call. A session that this Append
	// creates is marked until the check for kept messages is done: below, or by a worker
	// if this process dies.
	fresh.Promotion.Unrestored = wants.Messages
	encoded, err := fresh.Encode()
	if err != nil {
		return nil, err
	}
	at, added, err := m.store.Append(ctx, key, driver.Append{
		Messages: stored, Head: encoded, Format: driver.Format, TTL: carried.ttl, Window: carried.window, Now: now,
		Due: m.promotions.DueAppended(wants, len(stored), carried.ttl, now),
	})
	if err != nil {
		return nil, fmt.Errorf("session: appending: %w", err)
	}
	if added == len(messages) {
		for i := range messages {
			messages[i].Seq = at.Next - uint64(added-i)
		}
	}
	appended := &Appended{Messages: messages, Added: added, at: at}
	if wants.Messages && at.First == 1 && at.Len() == added { // created, or empty before
		m.restoreAppended(ctx, key, appended)
	}
	m.promotions.Written(key, appended.at)
	result := m.summaries.Written(ctx, key, appended.at)
	appended.Summary = result.Outcome
	if result.At.Revision != 0 {
		appended.at = result.At
	}
	return appended, nil
}

// restoreAppended restores a session that an Append created. If that fails, the session
// stays marked and due, and a worker restores it.
func (m *Manager) restoreAppended(ctx context.Context, key Key, appended *Appended) {
	done, err := m.restoreNow(ctx, key, carried{})
	if err != nil {
		m.opts.Logger.WarnContext(ctx, "session: checking for a rebuild failed", "session", key.Short(), "error", callee.Loggable(err))
		return
	}
	if done.At.Revision == 0 {
		return
	}
	appended.at = done.At
	if len(done.Messages) == 0 {
		return
	}
	kept := make(map[string]bool, len(done.Messages))
	for i := range done.Messages {
		kept[done.Messages[i].ID] = true
	}
	for i := range appended.Messages {
		appended.Messages[i].Seq = 0 // the restored messages come before them
		if kept[appended.Messages[i].ID] {
			appended.Added--
		}
	}
}
