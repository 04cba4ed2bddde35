package memory_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Writers add batches of three and take some away again; whoever reads sees
// whole batches only.
func TestReadersSeeWholeBatches(t *testing.T) {
	t.Parallel()
	const batch, capacity, writers, rounds = 3, 5 * 3, 4, 200
	evictions := make(chan memory.Eviction, writers*rounds*batch)
	c := memory.NewWorkingContext(&memory.ContextOptions{
		Capacity: capacity,
		OnEvict:  func(e memory.Eviction) { evictions <- e },
	})
	check := func(entities []memory.Entity) {
		if !assert.Zero(t, len(entities)%batch) {
			return
		}
		for i, e := range entities {
			assert.Equal(t, entities[i-i%batch].Description, e.Description, "position %d", i)
			assert.Equal(t, fmt.Sprint(i%batch), e.Name)
		}
	}

	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	for w := range writers {
		writing.Go(func() {
			var before []memory.Ref
			for r := range rounds {
				var ch memory.Change
				if r%5 == 0 {
					ch.Remove = before
				}
				before = nil
				for i := range batch {
					e := memory.Entity{
						Type:        "page",
						ID:          fmt.Sprintf("page-%d-%d-%d", w, r, i),
						Name:        fmt.Sprint(i),
						Description: fmt.Sprint(w, "/", r),
					}
					ch.Add = append(ch.Add, e)
					before = append(before, memory.Ref{Type: e.Type, ID: e.ID})
				}
				assert.NoError(t, c.Apply(ch))
			}
		})
	}
	for reader := range 3 {
		reading.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				version := c.Version()
				switch reader {
				case 0:
					check(c.Recent(capacity))
				case 1:
					for range c.All() {
						break
					}
					check(all(c.Branch()))
				default:
					restored := memory.NewWorkingContext(&memory.ContextOptions{Capacity: capacity})
					data, err := json.Marshal(c)
					assert.NoError(t, err)
					assert.NoError(t, json.Unmarshal(data, restored))
					check(all(restored))
				}
				assert.GreaterOrEqual(t, c.Version(), version)
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	check(all(c))
	assert.Equal(t, uint64(writers*rounds), c.Version(), "one version a batch")
	assert.NotEmpty(t, evictions)
}
