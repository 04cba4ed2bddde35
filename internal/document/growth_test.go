package document_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// repeated are pieces that, repeated, have no end to look for, or many.
var repeated = []string{
	"- ", `"`, "'", "[", "{'a':", `\`, "a\n", "<", "<a ", "<a b=1 ", "f(", "{(", "a: \n", "```\n", "| a\n", "a,",
	"A  B\n", "{\"a\":1}\n", "{\n", "<script></SCRIPT>", "<p>", "<tr><td>", "<table><tr><td>a</td></tr>", " ", "\n", "'''", "/*", "a=[", "a=<b c=", "A B C 1\n", "A  B\n1  2\n\n",
}

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
	for name, read := range decoders {
		for _, piece := range repeated {
			text := strings.Repeat(piece, 16<<10/len(piece))
			var got eventCount
			_ = read([]byte(text), &got, document.Limits{})
			assert.LessOrEqual(t, got.n, 3*len(text)+8, "%s of %q", name, piece)
		}
	}
}

// BenchmarkGrowth reads repeated pieces of growing size: the speed in MB/s must not
// fall as the size grows.
func BenchmarkGrowth(b *testing.B) {
	for _, piece := range repeated {
		for _, size := range []int{64 << 10, 1 << 20} {
			text := []byte(strings.Repeat(piece, size/len(piece)))
			b.Run(fmt.Sprintf("%q/%dKB", piece, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					document.ReadText(text, takeAll{}, document.Limits{})
				}
			})
		}
	}
}
