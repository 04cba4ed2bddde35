package memory_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Writers add batches of three and remove some again. Readers see whole batches only.
func TestChangesAreAtomic(t *testing.T) {
	t.Parallel()
	const batch, capacity, writers = 3, 5 * 3, 4
	rounds := soak.Times(40, 400)
	var evicted atomic.Int64
	c := memory.NewWorkingContext(&memory.ContextOptions{
		Capacity: capacity,
		OnEvict:  func(memory.Eviction) { evicted.Add(1) },
	})
	check := func(entities []memory.Entity) {
		for i, e := range entities {
			assert.Equal(t, entities[i-i%batch].Description, e.Description, "position %d", i)
			assert.Equal(t, fmt.Sprint(i%batch), e.Name)
		}
		assert.Zero(t, len(entities)%batch)
	}
	var running sync.WaitGroup
	for w := range writers {
		running.Go(func() {
			var last []memory.Ref
			for r := range rounds {
				var ch memory.Change
				if r%5 == 0 {
					ch.Remove = last
				}
				last = nil
				for i := range batch {
					e := memory.Entity{Type: "page", ID: fmt.Sprintf("page-%d-%d-%d", w, r, i), Name: fmt.Sprint(i), Description: fmt.Sprint(w, "/", r)}
					ch.Add, last = append(ch.Add, e), append(last, memory.Ref{Type: e.Type, ID: e.ID})
				}
				assert.NoError(t, c.Apply(ch))
			}
		})
	}
	running.Go(func() {
		for range rounds {
			version := c.Version()
			check(c.Recent(capacity))
			check(all(c.Branch()))
			restored := memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity})
			data, err := json.Marshal(c)
			assert.NoError(t, err)
			assert.NoError(t, json.Unmarshal(data, restored))
			check(all(restored))
			assert.GreaterOrEqual(t, c.Version(), version)
		}
	})
	running.Wait()
	check(all(c))
	assert.Equal(t, uint64(writers*rounds), c.Version(), "each change counts once")
	assert.Positive(t, evicted.Load())
}
