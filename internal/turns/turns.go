// Package turns limits how many calls do something at once. Their owners take turns, so that an
// owner with many calls does not make others wait for all of them.
package turns

import (
	"container/list"
	"context"
	"sync"
)

// Turns is a semaphore whose waiting owners take turns. It is safe for concurrent use.
type Turns struct {
	mu     sync.Mutex
	free   int              // turns to take; 0 while any call waits
	queues map[string]*line // of the owners that wait
	order  list.List        // of *line: the owner at the front is next
}

// line holds the waiting calls of an owner. It is never empty.
type line struct {
	owner   string
	waiting list.List // of chan struct{}, oldest first; closed when the turn comes
	place   *list.Element
}

// New returns Turns that n calls can have at once.
func New(n int) *Turns { return &Turns{free: n, queues: map[string]*line{}} }

// Acquire waits for a turn, which the caller must release. It returns ctx.Err() if ctx ends before.
func (t *Turns) Acquire(ctx context.Context, owner string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	l := t.queues[owner]
	if l == nil {
		l = &line{owner: owner}
		t.queues[owner], l.place = l, t.order.PushBack(l)
	}
	place := l.waiting.PushBack(turn)
	t.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	t.leave(l, place, turn)
	return ctx.Err()
}

// leave gives up a place in line, or the turn if it has come.
func (t *Turns) leave(l *line, place *list.Element, turn <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-turn:
		t.pass()
	default:
		t.remove(l, place)
	}
}

// Release ends a turn.
func (t *Turns) Release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass()
}

// pass gives a turn to the oldest call of the next owner. The caller holds t.mu.
func (t *Turns) pass() {
	front := t.order.Front()
	if front == nil {
		t.free++
		return
	}
	l := front.Value.(*line)
	t.order.MoveToBack(front)
	oldest := l.waiting.Front()
	t.remove(l, oldest)
	close(oldest.Value.(chan struct{}))
}

// remove removes a place in line, and the line if it was the last.
func (t *Turns) remove(l *line, place *list.Element) {
	l.waiting.Remove(place)
	if l.waiting.Len() == 0 {
		t.order.Remove(l.place)
		delete(t.queues, l.owner)
	}
}
