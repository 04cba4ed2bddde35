package sqlitestore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestPace: a process that writes continuously pauses, others do not wait.
func TestPace(t *testing.T) {
	t.Parallel()
	var p pace
	now := time.Unix(1000, 0)
	write := func(took time.Duration) (waited time.Duration) {
		waited = p.wait(now)
		now = now.Add(waited + took)
		p.noteEnd(now)
		return waited
	}
	var total time.Duration
	for range 100 {
		total += write(time.Millisecond)
	}
	assert.Equal(t, 3*gap, total, "one gap per run of 30 ms")
	for range 100 {
		now = now.Add(gap + 1)
		assert.Zero(t, write(time.Millisecond))
	}
	for range 100 {
		p.noteOther(now)
		assert.Zero(t, write(time.Millisecond), "others had the file")
	}
}
