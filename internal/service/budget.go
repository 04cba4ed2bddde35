package service

import (
	"context"
	"errors"
	"reflect"
	"sync"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// smallBytes is the maximum size of requests for which a quarter of a Budget is reserved.
const smallBytes = 256 << 10

// Errors of a Loan.
var (
	// ErrNoMemory is returned if other requests use the memory: a later attempt may succeed.
	ErrNoMemory = errors.New("service: memory of requests is exhausted")
	// ErrTooMuch is returned for more memory than one request may use.
	ErrTooMuch = errors.New("service: request would take too much memory")
)

// Budget bounds the memory of all requests in flight. A request that does not fit is refused at
// once: if it waited, it would keep holding its own part, and all requests might wait for each
// other.
type Budget struct {
	max   int64
	mu    sync.Mutex
	taken int64
}

// NewBudget returns a budget of max bytes.
func NewBudget(max int64) *Budget { return &Budget{max: max} }

// room returns the limit of all requests that applies to one of size bytes.
func (b *Budget) room(size int64) int64 {
	if size > smallBytes {
		return b.max - b.max/4
	}
	return b.max
}

// Loan returns an empty loan for a request, which must return it.
func (b *Budget) Loan() *Loan { return &Loan{from: b} }

// Loan is the part of a Budget that one request uses. It is safe for concurrent use.
type Loan struct {
	from     *Budget
	mu       sync.Mutex
	parts    map[any]int64
	size     int64 // the sum of the parts
	returned bool
}

// Resize sets a part of the loan to so many bytes. A smaller part always fits. Errors: ErrNoMemory,
// ErrTooMuch.
func (l *Loan) Resize(part any, bytes int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.resize(part, bytes)
}

func (l *Loan) resize(part any, bytes int64) error {
	if l.returned {
		return nil // of work in the background that the request began
	}
	if err := l.setSize(l.size - l.parts[part] + bytes); err != nil {
		return err
	}
	if l.parts == nil {
		l.parts = map[any]int64{}
	}
	l.parts[part] = bytes
	return nil
}

// Replace makes a part of so many bytes the only one. Errors: as Resize, after which nothing has
// changed.
func (l *Loan) Replace(part any, bytes int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.returned {
		return nil
	}
	if err := l.setSize(bytes); err != nil {
		return err
	}
	l.parts = map[any]int64{part: bytes}
	return nil
}

// Return returns the loan. Later calls of its methods have no effect.
func (l *Loan) Return() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.setSize(0) // always fits
	l.returned = true
}

// setSize takes or gives back the difference to a size.
func (l *Loan) setSize(size int64) error {
	b := l.from
	b.mu.Lock()
	defer b.mu.Unlock()
	taken, room := b.taken-l.size+size, b.room(size)
	switch {
	case size <= l.size:
	case size > room:
		return ErrTooMuch
	case taken > room:
		return ErrNoMemory
	}
	b.taken, l.size = taken, size
	return nil
}

// Context returns a context in which what stores return counts against the loan. Errors of
// refused reads: TooLarge, Unavailable.
func (l *Loan) Context(ctx context.Context) context.Context {
	return driver.WithReserve(ctx, func(store any, bytes int64) error {
		if !reflect.ValueOf(store).Comparable() { // no key of a map
			store = reflect.TypeOf(store)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if bytes <= l.parts[store] {
			return nil
		}
		switch err := l.resize(store, bytes); {
		case errors.Is(err, ErrTooMuch):
			return &Error{Kind: TooLarge, Detail: "Read would take too much memory: ask for less"}
		case err != nil:
			return &Error{Kind: Unavailable, Detail: "Memory for reads is exhausted: try again"}
		}
		return nil
	})
}
