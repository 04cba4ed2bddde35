package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// ErrReentrant is returned when a hook or a compaction tries to change its own
// collection. Nothing is changed.
var ErrReentrant = errors.New("queue: callback must not change its own collection")

// turn is a lock for changes that call callbacks. It differs from a mutex in two ways:
// waiting ends when the context ends, and a call from inside a callback of the holder
// returns an error instead of a deadlock. The zero value is unlocked. It must not be
// copied.
type turn struct {
	once sync.Once
	busy chan struct{} // holds one token during a change
}

// turnKey is the context key of an *atomic.Bool that is true while the change that set
// it holds the turn.
type turnKey struct{ turn *turn }

// do runs f while holding the turn, with a context that marks calls from inside f.
// Errors: ErrReentrant, that of ctx, that of f.
func (t *turn) do(ctx context.Context, f func(context.Context) error) error {
	if inside, ok := ctx.Value(turnKey{t}).(*atomic.Bool); ok && inside.Load() {
		return ErrReentrant
	}
	if err := t.acquire(ctx); err != nil {
		return err
	}
	inside := new(atomic.Bool)
	inside.Store(true)
	defer func() {
		inside.Store(false) // a callback may have retained its context
		<-t.busy
	}()
	return f(context.WithValue(ctx, turnKey{t}, inside))
}

// acquire waits for the turn. It succeeds if the turn is free, even if ctx has ended.
func (t *turn) acquire(ctx context.Context) error {
	t.once.Do(func() { t.busy = make(chan struct{}, 1) })
	select {
	case t.busy <- struct{}{}:
		return nil
	default:
	}
	select {
	case t.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("queue: waiting for another change: %w", ctx.Err())
	}
}
