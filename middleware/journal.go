package middleware

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

const (
	// DefaultJournalBytes is the default of JournalOptions.MaxBytes: 512 KiB.
	DefaultJournalBytes = 512 << 10
	// DefaultJournalText is the default of JournalOptions.MaxText: 32 KiB.
	DefaultJournalText = 32 << 10
	// MaxJournalText is the maximum of JournalOptions.MaxText: 1 MiB.
	MaxJournalText = 1 << 20
	// DefaultJournalSessions is the default of JournalOptions.Sessions.
	DefaultJournalSessions = 64
)

// JournalOptions configures a Journal. The zero value is useful.
type JournalOptions struct {
	// Stored keeps the journal of a session in the store of the session, as long as the session
	// lives, so that other processes and later ones find it. The store must be a
	// driver.ResultStore. Otherwise this process keeps the journals of the sessions that were
	// used last.
	Stored bool
	// MaxBytes is the size of the entries of a session, compressed and without their decisions.
	// Beyond it, and beyond driver.MaxResults entries, the oldest are dropped. 0 or less means
	// DefaultJournalBytes.
	MaxBytes int64
	// MaxText is the number of bytes kept of the arguments of a call, of its result and of its
	// error, from the beginning, at most MaxJournalText. 0 or less means DefaultJournalText.
	MaxText int
	// Sessions is the number of sessions with a journal if it is not Stored. 0 or less means
	// DefaultJournalSessions.
	Sessions int
}

// Journal keeps the last recorded calls of stored sessions: each with its arguments and its result,
// in which secrets are blacked out, the decisions that it caused, and the entities and handles after
// it. It shows what a model saw at any step, and why. It is set as SessionsOptions.Journal, may
// belong to several Sessions on one store, and is safe for concurrent use.
//
// A call that could not be stored has no entry. An entry that cannot be stored is reported to
// SessionsOptions.Logger and lost; the call is not affected.
type Journal struct {
	opts    JournalOptions
	local   *memstore.Store // unless Stored
	recent  *recentSessions[struct{}]
	writers sync.Pool // of *flate.Writer
}

// NewJournal returns an empty journal. If opts is nil, the defaults are used.
func NewJournal(opts *JournalOptions) *Journal {
	j := new(Journal)
	if opts != nil {
		j.opts = *opts
	}
	j.opts.MaxBytes = cmp.Or(max(j.opts.MaxBytes, 0), DefaultJournalBytes)
	j.opts.MaxText = min(cmp.Or(max(j.opts.MaxText, 0), DefaultJournalText), MaxJournalText)
	if !j.opts.Stored {
		j.local = memstore.New(nil)
		j.recent = newRecentSessions[struct{}](cmp.Or(max(j.opts.Sessions, 0), DefaultJournalSessions))
		j.recent.dropped = func(key session.Key) { _ = j.local.Delete(context.Background(), key, nil) }
	}
	return j
}

// in returns the store of a session's entries: the manager's, or that of this process.
func (j *Journal) in(stored resultStore) resultStore {
	if j.opts.Stored {
		return stored
	}
	return j.local
}

// add keeps the entry of a call.
func (j *Journal) add(ctx context.Context, manager *session.Manager, key session.Key, e *draftEntry) error {
	r, err := j.encode(e)
	if err != nil {
		return err
	}
	if j.local != nil {
		j.recent.get(key, func() struct{} {
			made := driver.Append{Head: []byte("{}"), Format: driver.Format, Now: e.info.Time}
			_, _, _ = j.local.Append(ctx, key, made) // PutResult returns the error
			return struct{}{}
		})
	}
	return j.in(manager).PutResult(ctx, key, r, j.opts.MaxBytes)
}

// Forget drops the journal of a session from this process. One that is in the store ends with its
// session.
func (j *Journal) Forget(key session.Key) {
	if j.local != nil {
		j.recent.remove(key)
	}
}

// Journal returns the calls in the journal of a session, oldest first: none without
// SessionsOptions.Journal, or if the session does not exist. Errors: those of
// session.Manager.Results.
func (s *Sessions) Journal(ctx context.Context, key session.Key) ([]JournalCall, error) {
	j := s.opts.Journal
	if j == nil {
		return nil, nil
	}
	infos, err := j.in(s.manager).Results(ctx, key, driver.JournalEntry)
	if err != nil {
		return nil, fmt.Errorf("middleware: reading the journal: %w", err)
	}
	calls := make([]JournalCall, len(infos))
	for i := range infos {
		if calls[i], err = decodeCall(&infos[i]); err != nil {
			return nil, err
		}
		for n := range calls[i].Decisions {
			calls[i].Decisions[n].Call = i + 1
		}
	}
	return calls, nil
}

// JournalEntry returns an entry in the journal of a session, given one of the calls of Journal.
// Errors: session.ErrNotFound if it was dropped, and those of session.Manager.ReadResult.
func (s *Sessions) JournalEntry(ctx context.Context, key session.Key, call *JournalCall) (*JournalEntry, error) {
	if s.opts.Journal == nil {
		return nil, fmt.Errorf("middleware: reading the journal: %w", session.ErrNotFound)
	}
	content := make([]byte, call.size)
	_, err := s.opts.Journal.in(s.manager).ReadResult(ctx, key, driver.JournalEntry, call.ID, content, 0)
	if err != nil {
		return nil, fmt.Errorf("middleware: reading the journal: %w", err)
	}
	return s.decodeEntry(call, content)
}

// keep adds the entry of a stored call to the journal. found is the session after it, or nil if the
// call changed nothing.
func (s *Sessions) keep(ctx context.Context, key session.Key, e *draftEntry, found *session.Session) {
	if e == nil {
		return
	}
	e.info.Time = s.manager.Now().UTC().Truncate(time.Microsecond)
	e.after(found)
	err := s.opts.Journal.add(ctx, s.manager, key, e)
	if err != nil && !errors.Is(err, session.ErrNotFound) { // a call without effect makes no session
		s.logger.WarnContext(ctx, "keeping a call in the journal failed", "tool", e.info.Tool, "error", err)
	}
}
