// Package syncbuffer has a buffer that tests can read while other goroutines write.
package syncbuffer

import (
	"bytes"
	"sync"
)

// Buffer collects what is written to it. The zero value is empty and ready for use. It is safe
// for concurrent use.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer. The error is nil.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns everything that was written.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
