package conformance

import (
	"fmt"
	"io"
	"sync"
	"testing"
)

// Part returns what a suite needs to open and to close a part of a store, such as its
// index or its tokens: closing the part closes the store that open returned for it. The
// parts of different stores must not compare equal.
func Part[S io.Closer, P any](open func(tb testing.TB) S, part func(store S) P) (openPart func(tb testing.TB) P, closePart func(part P) error) {
	var stores sync.Map // by part
	openPart = func(tb testing.TB) P {
		tb.Helper()
		store := open(tb)
		p := part(store)
		stores.Store(p, store)
		return p
	}
	closePart = func(p P) error {
		store, ok := stores.Load(p)
		if !ok {
			return fmt.Errorf("%T was not opened here", p)
		}
		return store.(S).Close()
	}
	return openPart, closePart
}
