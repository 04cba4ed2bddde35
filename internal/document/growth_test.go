package document_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/attack"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// eventCount counts events of every kind.
type eventCount struct{ n int }

func (c *eventCount) Object()                          { c.n++ }
func (c *eventCount) Array()                           { c.n++ }
func (c *eventCount) Key([]byte) document.Decision     { c.n++; return document.Take }
func (c *eventCount) Item() document.Decision          { c.n++; return document.Take }
func (c *eventCount) End()                             { c.n++ }
func (c *eventCount) Scalar(_ document.Kind, _ []byte) { c.n++ }

// TestEventsAreLinear: a row of two bytes has five events, which is the most that any
// decoder delivers for so little text.
func TestEventsAreLinear(t *testing.T) {
	t.Parallel()
	for _, g := range attack.Repeated() {
		text := g.Make(16 << 10)
		for name, read := range decoders {
			var got eventCount
			_ = read([]byte(text), &got, document.Limits{})
			assert.LessOrEqual(t, got.n, 3*len(text)+8, "%s of %s", name, g.Filling)
		}
	}
}
