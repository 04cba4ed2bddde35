package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// ErrReentrant says that a hook or a compaction tried to change the collection
// it was called for. Nothing was changed.
var ErrReentrant = errors.New("memory: a callback may not change the collection it was called for")

// turn is a lock for changes that call foreign code. It differs from a mutex in
// two ways: waiting for it ends with a context, and whoever asks for it from
// inside the foreign code that its holder calls gets an error, where a mutex
// would wait for itself. The zero value is free. It must not be copied.
type turn struct {
	once sync.Once
	busy chan struct{} // holds one token while somebody has the turn
	hold atomic.Pointer[hold]
}

// hold is one taking of a turn.
type hold struct{ goroutine uint64 }

// holdKey is the key of the hold that a context comes from.
type holdKey struct{ turn *turn }

// quietly runs f, which calls no foreign code, when it is its turn.
func (t *turn) quietly(ctx context.Context, f func()) error {
	if err := t.take(ctx); err != nil {
		return err
	}
	defer t.release()
	f()
	return nil
}

// do runs f when it is its turn. The context of f tells that it is inside.
func (t *turn) do(ctx context.Context, f func(context.Context) error) error {
	if err := t.take(ctx); err != nil {
		return err
	}
	defer t.release()
	h := &hold{goroutine: goroutineID()}
	t.hold.Store(h)
	return f(context.WithValue(ctx, holdKey{t}, h))
}

// take waits until nobody has the turn. Errors: ErrReentrant, that of ctx.
func (t *turn) take(ctx context.Context) error {
	if h := t.hold.Load(); h != nil && ctx.Value(holdKey{t}) == h {
		return ErrReentrant
	}
	t.once.Do(func() { t.busy = make(chan struct{}, 1) })
	select {
	case t.busy <- struct{}{}:
		return nil
	default:
	}
	if t.entered() {
		return ErrReentrant
	}
	select {
	case t.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("memory: waiting for another change to end: %w", ctx.Err())
	}
}

// entered reports whether this is the goroutine that has the turn. It asks which
// goroutine this is, which takes time, only where somebody has it.
func (t *turn) entered() bool {
	h := t.hold.Load()
	return h != nil && h.goroutine != 0 && h.goroutine == goroutineID()
}

func (t *turn) release() {
	t.hold.Store(nil)
	<-t.busy
}

// goroutineID returns the number of the goroutine, which the runtime prints at
// the start of a trace and uses for no other, or 0 should it ever print something
// else. A callback need not pass on its context, so that nothing else tells it
// from a stranger.
func goroutineID() uint64 {
	var trace [64]byte
	text := bytes.TrimPrefix(trace[:runtime.Stack(trace[:], false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(text, []byte(" "))
	id, _ := strconv.ParseUint(string(digits), 10, 64)
	return id
}
