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

// batchTime is how long changes that wait are added to a transaction before it is
// committed. A commit waits for the disk, which takes as long as many changes.
const batchTime = 5 * time.Millisecond

// writer runs changes on the one connection that writes. There is no goroutine for
// it: of those who wait, one takes the turn and runs what all of them want, in one
// transaction.
type writer struct {
	db   *sql.DB
	busy time.Duration
	// batch is batchTime, but in tests of what shares a transaction.
	batch time.Duration
	// turn is full while someone has the turn: only they use conn.
	turn chan struct{}
	conn *connection
	pace pace
	log  log
	// closed is closed first when the writer closes, and ends all waiting.
	closed chan struct{}

	mu    sync.Mutex
	queue []*change
}

// change is what a call wants changed.
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

// do runs a change in a transaction and returns once that is committed. The change
// may run more than once, of which one run counts, and in a transaction with those
// of others: it must not write before it knows that it will not fail by itself.
// Where do fails with ctx.Err() nothing was changed.
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
			w.hold(c)
		case <-ctx.Done():
			return w.withdraw(c, ctx.Err())
		case <-w.closed:
			return w.withdraw(c, driver.ErrClosed)
		}
	}
}

// hold uses the turn, if c still needs it, and gives it back.
func (w *writer) hold(c *change) {
	defer func() { <-w.turn }()
	if w.isWaiting(c) {
		w.lead(c)
		w.trim(c.ctx)
	}
}

// withdraw takes a change out of the queue. One that is running already is waited for:
// it ends soon, and only then it is known what became of it.
func (w *writer) withdraw(c *change, err error) error {
	if w.enqueue(c) {
		return err
	}
	return <-c.done
}

// lead runs a transaction with all that waits, among it c.
func (w *writer) lead(c *change) {
	t, err := w.begin(c.ctx)
	switch {
	case isBusy(err):
		// All have waited for the same lock: none waits for another timeout.
		for c := w.next(); c != nil; c = w.next() {
			c.done <- err
		}
		return
	case err != nil:
		if w.enqueue(c) {
			c.done <- err
		}
		return
	}
	var ran []*change
	defer func() { w.unwind(t, ran) }()
	for start := time.Now(); len(ran) == 0 || time.Since(start) < w.batch; {
		c := w.next()
		if c == nil {
			break
		}
		ran = append(ran, c)
		if !t.apply(c) {
			w.rollback(t)
			w.apart(ran)
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

// unwind ends changes that have no answer because one of them panicked, or ended its
// goroutine: clocks and contexts are the callers'.
func (w *writer) unwind(t *tx, ran []*change) {
	if len(ran) > 0 && w.conn != nil {
		w.rollback(t)
	}
	for _, c := range ran {
		select {
		case c.done <- fmt.Errorf("%w: a call that wrote at the same time panicked", driver.ErrUnavailable):
		default: // it has an answer
		}
	}
}

// apart ends changes of which the last one failed halfway: it alone if there were
// no others, and else each in its own transaction.
func (w *writer) apart(ran []*change) {
	if len(ran) == 1 {
		ran[0].done <- ran[0].err
		return
	}
	var busy error
	for _, c := range ran {
		if c.err = busy; busy == nil {
			c.err = w.alone(c)
		}
		if isBusy(c.err) {
			busy = c.err // as in lead
		}
		c.done <- c.err
	}
}

// alone runs a change in a transaction of its own.
func (w *writer) alone(c *change) error {
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

// begin begins a transaction that locks the file for all other writers.
func (w *writer) begin(ctx context.Context) (*tx, error) {
	t := &tx{ctx: context.WithoutCancel(ctx)}
	if wait := w.pace.wait(time.Now()); wait > 0 && !sleep(ctx, wait, w.closed) {
		return nil, cmp.Or(ctx.Err(), driver.ErrClosed)
	}
	err := untilFree(ctx, w.busy, w.closed, func() (err error) {
		if w.conn == nil {
			if w.conn, err = newConnection(t.ctx, w.db); err != nil {
				return err
			}
		}
		err = w.conn.run(t.ctx, "BEGIN IMMEDIATE")
		if isBusy(err) {
			w.pace.others(time.Now())
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
	w.pace.ended(time.Now())
	return err
}

// rollback ends a transaction that failed, and with it the connection: what state
// the failure left it in does not matter then.
func (w *writer) rollback(t *tx) {
	_ = w.conn.run(t.ctx, "ROLLBACK") // an error: SQLite has rolled back already
	w.drop()
}

// drop gives up the connection. The next transaction gets a new one.
func (w *writer) drop() {
	if w.conn != nil {
		_ = w.conn.close()
		w.conn = nil
	}
}

// stop ends all waiting, of now and of later.
func (w *writer) stop() { close(w.closed) }

// close waits for the transaction that runs, if there is one. The writer must have
// been stopped.
func (w *writer) close() error {
	w.turn <- struct{}{} // and never given back
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
