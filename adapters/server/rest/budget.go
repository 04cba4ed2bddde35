package rest

import "sync"

// smallBytes is what requests take that a quarter of a budget is kept for.
const smallBytes = 256 << 10

// budget is memory that requests share. Nobody waits for it: who waited would hold what he has,
// and all might wait for each other. Where it is short, whoever has most of it and only waits
// for his client must give it back, so that a client who is slow holds up no other:
//
//	of n loans that can be called in, one that is no larger than an n-th of what the
//	others leave is neither refused nor called in.
//
// For if there is no room, those n together want more than what is left to them, and the
// largest of them more than an n-th. What is there to leave is three quarters of the budget
// for who wants more than smallBytes.
type budget struct {
	max int64

	mu    sync.Mutex
	taken int64
	idle  map[*loan]func() error // loans that can be called in, and how
}

func newBudget(max int64) *budget { return &budget{max: max, idle: map[*loan]func() error{}} }

// room is how much all may have together when one of them would have size.
func (b *budget) room(size int64) int64 {
	if size > smallBytes {
		return b.max - b.max/4
	}
	return b.max
}

// fits says whether one may have size at all.
func (b *budget) fits(size int64) bool { return size <= b.room(size) }

// loan is what a request has of a budget. Its methods are for one goroutine at a time.
type loan struct {
	from *budget
	size int64
	gone bool // it was called in
}

// take takes n bytes more, if they are there, and the loan was not called in.
func (l *loan) take(n int64) bool {
	l.from.mu.Lock()
	defer l.from.mu.Unlock()
	return l.add(n)
}

// replace takes n bytes in place of all that the loan has.
func (l *loan) replace(n int64) bool {
	l.from.mu.Lock()
	defer l.from.mu.Unlock()
	l.from.taken -= l.size
	l.size = 0
	return l.add(n)
}

// add is take, for who holds the lock.
func (l *loan) add(n int64) bool {
	b := l.from
	for !l.gone && b.taken+n > b.room(l.size+n) {
		if !b.callIn(l.size + n) {
			return false
		}
	}
	if l.gone {
		return false
	}
	b.taken, l.size = b.taken+n, l.size+n
	return true
}

// give returns n bytes, unless the loan was called in with them.
func (l *loan) give(n int64) {
	l.from.mu.Lock()
	defer l.from.mu.Unlock()
	if !l.gone {
		l.from.taken, l.size = l.from.taken-n, l.size-n
	}
}

// idle lets the loan be called in from now on. stop is called then; it must be quick, and make
// its owner end what he does, who is told by take and keep. If it fails, the loan stays.
func (l *loan) idle(stop func() error) {
	l.from.mu.Lock()
	defer l.from.mu.Unlock()
	l.from.idle[l] = stop
}

// keep ends idle. It says whether the loan is still there; stop is not called any more.
func (l *loan) keep() bool {
	l.from.mu.Lock()
	defer l.from.mu.Unlock()
	delete(l.from.idle, l)
	return !l.gone
}

// expire calls the loan in, if it is idle.
func (l *loan) expire() {
	l.from.mu.Lock()
	defer l.from.mu.Unlock()
	l.recall()
}

// isGone says whether the loan was called in.
func (l *loan) isGone() bool {
	l.from.mu.Lock()
	defer l.from.mu.Unlock()
	return l.gone
}

// end returns all.
func (l *loan) end() {
	l.keep()
	l.give(l.size)
}

// callIn calls the largest loan in that can be, if it is larger than size.
func (b *budget) callIn(size int64) bool {
	for {
		var largest *loan
		for l := range b.idle {
			if l.size > size && (largest == nil || l.size > largest.size) {
				largest = l
			}
		}
		if largest == nil {
			return false
		}
		if largest.recall() {
			return true
		}
	}
}

// recall is callIn for one loan, if it is idle.
func (l *loan) recall() bool {
	stop, ok := l.from.idle[l]
	delete(l.from.idle, l)
	if !ok || stop() != nil {
		return false
	}
	l.from.taken -= l.size
	l.size, l.gone = 0, true
	return true
}
