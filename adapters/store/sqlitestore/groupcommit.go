package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// batchTime is how long waiting changes are added to a transaction before its commit. A commit
// waits for the disk, which takes as long as many changes.
const batchTime = 5 * time.Millisecond

// writer runs changes on the only connection that writes. It has no goroutine of its own: one of
// the waiting callers takes the turn and runs the changes of all of them in one transaction.
type writer struct {
	db   *sql.DB
	busy time.Duration
	// batch is batchTime, except in tests.
	batch time.Duration
	// turn is full while a caller has the turn and may use conn.
	turn chan struct{}
	conn *connection
	pace pace
	log  log
	// closed is closed when the writer stops, which ends all waiting.
	closed chan struct{}

	mu    sync.Mutex
	queue []*change
}

// change is a queued change.
type change struct {
	ctx  context.Context
	run  func(*tx) error
	err  error
	done chan error // of length 1
}

func newWriter(db *sql.DB, f *file) *writer {
	return &writer{
		db: db, busy: f.opts.BusyTimeout, batch: batchTime, log: logOf(f.path),
		turn: make(chan struct{}, 1), closed: make(chan struct{}),
	}
}

// do runs a change in a transaction and returns once it is committed. The change may run more than
// once but takes effect once. It shares its transaction with others, so it must detect its own
// errors before it writes. If do returns ctx.Err(), nothing was changed.
func (w *writer) do(ctx context.Context, run func(*tx) error) error {
	if w.isClosed() {
		return driver.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c := &change{ctx: ctx, run: run, done: make(chan error, 1)}
	w.mu.Lock()
	w.queue = append(w.queue, c)
	w.mu.Unlock()
	for {
		select {
		case err := <-c.done:
			return err
		case w.turn <- struct{}{}:
			w.useTurn(c)
		case <-ctx.Done():
			return w.withdraw(c, ctx.Err())
		case <-w.closed:
			return w.withdraw(c, driver.ErrClosed)
		}
	}
}

// useTurn runs waiting changes, if c is still among them, and releases the turn.
func (w *writer) useTurn(c *change) {
	defer func() { <-w.turn }()
	if w.isWaiting(c) {
		w.runBatch(c)
		w.trim(c.ctx)
	}
}

// withdraw removes a change from the queue and returns err. If the change is already running,
// withdraw waits for its result, which comes soon.
func (w *writer) withdraw(c *change, err error) error {
	if w.dequeue(c) {
		return err
	}
	return <-c.done
}

// runBatch runs a transaction with the waiting changes, which include c.
func (w *writer) runBatch(c *change) {
	t, err := w.begin(c.ctx)
	switch {
	case isBusy(err):
		// All have waited for the same lock, so none waits for another timeout.
		for waiting := w.next(); waiting != nil; waiting = w.next() {
			waiting.done <- err
		}
		return
	case err != nil:
		if w.dequeue(c) {
			c.done <- err
		}
		return
	}
	var ran []*change
	defer func() { w.failUnanswered(t, ran) }()
	for start := time.Now(); len(ran) == 0 || time.Since(start) < w.batch; {
		c := w.next()
		if c == nil {
			break
		}
		ran = append(ran, c)
		if !t.apply(c) {
			w.rollback(t)
			w.runSeparately(ran)
			ran = nil
			return
		}
	}
	err = w.commit(t)
	for _, c := range ran {
		if c.err == nil {
			c.err = err
		}
		c.done <- c.err
	}
	ran = nil
}

// failUnanswered fails the changes that have no result because one of them panicked or called
// runtime.Goexit in a callback: clocks and contexts belong to callers.
func (w *writer) failUnanswered(t *tx, ran []*change) {
	if len(ran) > 0 && w.conn != nil {
		w.rollback(t)
	}
	for _, c := range ran {
		select {
		case c.done <- fmt.Errorf("%w: another call in the same transaction panicked", driver.ErrUnavailable):
		default: // it has a result
		}
	}
}

// runSeparately finishes changes whose transaction was rolled back because the last one failed. A
// single change fails; several are run again, each in its own transaction.
func (w *writer) runSeparately(ran []*change) {
	if len(ran) == 1 {
		ran[0].done <- ran[0].err
		return
	}
	var busy error
	for _, c := range ran {
		if c.err = busy; busy == nil {
			c.err = w.runAlone(c)
		}
		if isBusy(c.err) {
			busy = c.err // as in runBatch
		}
		c.done <- c.err
	}
}

// runAlone runs a change in its own transaction.
func (w *writer) runAlone(c *change) error {
	t, err := w.begin(c.ctx)
	if err != nil {
		return err
	}
	if !t.apply(c) {
		w.rollback(t)
		return c.err
	}
	err = w.commit(t)
	return cmp.Or(c.err, err)
}

// begin begins a transaction, which locks the file for all other writers.
func (w *writer) begin(ctx context.Context) (*tx, error) {
	t := &tx{ctx: context.WithoutCancel(ctx)}
	if wait := w.pace.wait(time.Now()); wait > 0 && !sleep(ctx, wait, w.closed) {
		return nil, cmp.Or(ctx.Err(), driver.ErrClosed)
	}
	err := retryBusy(ctx, w.busy, w.closed, func() (err error) {
		if w.conn == nil {
			if w.conn, err = newConnection(t.ctx, w.db); err != nil {
				return err
			}
		}
		err = w.conn.run(t.ctx, "BEGIN IMMEDIATE")
		if isBusy(err) {
			w.pace.noteOther(time.Now())
		}
		return err
	})
	if err != nil {
		w.drop()
		return nil, err
	}
	t.connection = w.conn
	return t, nil
}

func (w *writer) commit(t *tx) error {
	err := w.conn.run(t.ctx, "COMMIT")
	if err != nil {
		w.rollback(t)
	}
	w.pace.noteEnd(time.Now())
	return err
}

// rollback ends a failed transaction and closes the connection, whose state is unknown.
func (w *writer) rollback(t *tx) {
	_ = w.conn.run(t.ctx, "ROLLBACK") // fails if SQLite has rolled back already
	w.drop()
}

// drop closes the connection. The next transaction opens a new one.
func (w *writer) drop() {
	if w.conn != nil {
		_ = w.conn.close()
		w.conn = nil
	}
}

// stop ends all current and future waiting.
func (w *writer) stop() { close(w.closed) }

// close waits for the running transaction, if any. The writer must have been stopped.
func (w *writer) close() error {
	w.turn <- struct{}{} // never released
	var err error
	if w.conn != nil {
		err = w.conn.close()
	}
	return errors.Join(err, w.db.Close())
}

func (w *writer) isClosed() bool {
	select {
	case <-w.closed:
		return true
	default:
		return false
	}
}
