package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// ErrReentrant is returned when a hook or a compaction tries to change the
// collection that it is called for. Nothing is changed.
var ErrReentrant = errors.New("queue: a callback may not change the collection it was called for")

// turn is a lock for changes that call callbacks. It differs from a mutex in two
// ways: waiting for it ends with a context, and a caller whose context comes from
// a callback of the holder gets an error instead of waiting for itself. The zero
// value is free. It must not be copied.
type turn struct {
	once sync.Once
	busy chan struct{} // holds one token during a change
}

// turnKey is the key under which a context has whether a change that holds the
// turn is still under way, an *atomic.Bool.
type turnKey struct{ turn *turn }

// do runs f when no other change holds the turn, with a context that marks
// everything called from f as inside. Errors: ErrReentrant, that of ctx, that of f.
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
		inside.Store(false) // a callback may have kept its context
		<-t.busy
	}()
	return f(context.WithValue(ctx, turnKey{t}, inside))
}

// acquire waits for the turn. It takes a free one also if ctx has ended.
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
		return fmt.Errorf("queue: waiting for another change to end: %w", ctx.Err())
	}
}
