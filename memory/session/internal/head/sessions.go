package head

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/contention"
	"github.com/go-workingmemory/workingmemory/internal/jsonweight"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Sessions are the sessions of a store as the jobs in the background see them. It is safe
// for concurrent use.
type Sessions interface {
	// Load returns a head with the last messages of its session: all if last is negative,
	// none if it is 0. Errors: driver.ErrKey, those of driver.Store.Load,
	// *driver.FormatError and *driver.DamagedError.
	Load(ctx context.Context, key driver.Key, last int) (*Head, error)
	// Swap writes a head, and the rest of w, if the session still has the revision of h.At,
	// else it returns driver.ErrConflict. It fills in w.If.Revision, w.Head and w.Format,
	// and sets h.At to the new position. doing names the write in errors.
	Swap(ctx context.Context, key driver.Key, doing string, h *Head, w *driver.Write) error
}

// Store is the Sessions of a driver.Store.
type Store struct {
	store    driver.Store
	entities *memory.ContextOptions
}

var _ Sessions = (*Store)(nil)

// NewStore returns the sessions of a store. If entities is nil, the defaults apply.
func NewStore(store driver.Store, entities *memory.ContextOptions) *Store {
	return &Store{store: store, entities: entities}
}

// Load implements Sessions.
func (s *Store) Load(ctx context.Context, key driver.Key, last int) (*Head, error) {
	if err := key.Check(); err != nil {
		return nil, err
	}
	stored, err := s.store.Load(ctx, key, last)
	if err != nil {
		return nil, fmt.Errorf("session: loading: %w", err)
	}
	if reserve := driver.ReserveFrom(ctx); reserve != nil {
		if err := reserve(s.store, memoryOf(stored)); err != nil {
			return nil, fmt.Errorf("session: loading: %w", err)
		}
	}
	return s.decode(key, stored)
}

// memoryOf estimates the memory of a session, as stored and decoded.
func memoryOf(stored *driver.StoredSession) int64 {
	bytes := jsonweight.Stored(stored.Head)
	for i := range stored.Messages {
		m := &stored.Messages[i]
		bytes += jsonweight.Stored(m.Body) + int64(2*len(m.ID))
	}
	return bytes
}

func (s *Store) decode(key driver.Key, stored *driver.StoredSession) (*Head, error) {
	if stored.Format > driver.Format {
		return nil, &driver.FormatError{Key: key, Format: stored.Format, Known: driver.Format}
	}
	h := &Head{At: stored.Position, Entities: memory.NewWorkingContext(s.entities), Handles: new(handle.Table)}
	if err := h.decode(stored.Head); err != nil {
		return nil, &driver.DamagedError{Key: key, Part: "head", Err: err}
	}
	h.Messages = slices.Grow(h.Messages, len(stored.Messages))
	for i := range stored.Messages {
		message, err := decodeMessage(&stored.Messages[i])
		if err != nil {
			return nil, &driver.DamagedError{Key: key, Part: fmt.Sprintf("message %d", stored.Messages[i].Seq), Err: err}
		}
		h.Messages = append(h.Messages, message)
	}
	return h, nil
}

// Swap implements Sessions.
func (s *Store) Swap(ctx context.Context, key driver.Key, doing string, h *Head, w *driver.Write) (err error) {
	w.If.Revision, w.Format = h.At.Revision, driver.Format
	if w.Head, err = h.Encode(); err != nil {
		return err
	}
	at, err := s.store.Write(ctx, key, *w)
	if err != nil {
		return fmt.Errorf("session: %s: %w", doing, err)
	}
	h.At, h.Encoded = at, w.Head
	return nil
}

// Rewrite loads a head, applies fn and swaps it, again after a conflict. fn sets w.Now and
// may be called several times. Rewrite returns the head at its new position.
func Rewrite(ctx context.Context, s Sessions, key driver.Key, doing string, fn func(h *Head, w *driver.Write) error) (*Head, error) {
	var h *Head
	err := Retry(ctx, func() (err error) {
		if h, err = s.Load(ctx, key, 0); err != nil {
			return err
		}
		var w driver.Write
		if err := fn(h, &w); err != nil {
			return err
		}
		return s.Swap(ctx, key, doing, h, &w)
	})
	return h, err
}

// LoadFrom loads a head with the messages from a number on. at is a recent position of the
// session.
func LoadFrom(ctx context.Context, s Sessions, key driver.Key, from uint64, at driver.Position) (*Head, error) {
	for n := uint64(0); ; {
		n = max(n, at.Next-min(at.Next, max(from, at.First)))
		h, err := s.Load(ctx, key, int(min(n, math.MaxInt32)))
		if err != nil {
			return nil, err
		}
		if at = h.At; n >= math.MaxInt32 || at.Next-min(at.Next, max(from, at.First)) <= n {
			h.Messages = From(h.Messages, from)
			return h, nil
		}
	}
}

// From returns the messages from a number on.
func From(messages []driver.Message, number uint64) []driver.Message {
	for len(messages) > 0 && messages[0].Seq < number {
		messages = messages[1:]
	}
	return messages
}

// Retry repeats a change while it conflicts with others.
func Retry(ctx context.Context, change func() error) error {
	return contention.Retry(ctx, driver.ErrConflict, change)
}
