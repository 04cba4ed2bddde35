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

// Appended is the result of an Append. Its methods are those of a Session that was read
// afterwards, and after the summary if that is written at once.
type Appended struct {
	// Messages are the messages, with the ids, times and tokens that they were
	// given. One that was there already is as it was given here.
	Messages []Message
	// Added is how many were not there already.
	Added int
	// Summary is the outcome of the summarization that the session was due for.
	Summary summary.Outcome

	at driver.Position
}

// Version is as Session.Version.
func (a *Appended) Version() uint64 { return a.at.Version() }

// Len is how many messages the session has.
func (a *Appended) Len() int { return a.at.Len() }

// Tokens is how many tokens those have.
func (a *Appended) Tokens() int { return int(a.at.Tokens) }

// Window is the context window last given, in tokens, 0 if none was.
func (a *Appended) Window() int { return int(a.at.Window) }

// UpdatedAt is when the session was last changed, to the millisecond.
func (a *Appended) UpdatedAt() time.Time { return a.at.UpdatedAt }

// ExpiresAt is when the session expires, to the millisecond; zero: never.
func (a *Appended) ExpiresAt() time.Time { return a.at.ExpiresAt }

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
	now := m.Now()
	messages = head.Clone(messages)
	stored, err := head.EncodeMessages(messages, m.opts.Counter, now)
	if err != nil {
		return nil, err
	}
	wants := m.promotions.WantsAny()
	fresh := head.Head{CreatedAt: now, TTL: lifetime(carried.ttl)}
	// An Append does not ask whether the session is there: that would be a second call.
	// If it made the session, that session says so, until it was looked whether there is
	// one to rebuild: now, or by a worker if this process dies.
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
	if wants.Messages && at.First == 1 && at.Len() == added { // it has made the session, or it was an empty one
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

// restoreAppended restores a session that an Append made, of which Append.Head says so.
// Where that fails it is done in the background: the session is due, and still says so.
func (m *Manager) restoreAppended(ctx context.Context, key Key, appended *Appended) {
	done, err := m.restoreNow(ctx, key, carried{})
	if err != nil {
		m.opts.Logger.WarnContext(ctx, "session: it was not looked whether it is to be rebuilt", "session", key.Short(), "error", callee.Loggable(err))
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
		appended.Messages[i].Seq = 0 // they moved behind those
		if kept[appended.Messages[i].ID] {
			appended.Added--
		}
	}
}
