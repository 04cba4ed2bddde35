package items_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory/items"
)

// Whatever happens at the same time, whoever reads sees limits that hold and
// positions without gaps, and each item that came is either there or has left.
func TestStoreUnderConcurrentUse(t *testing.T) {
	t.Parallel()
	const writers, rounds, maxItems, maxTokens = 4, 150, 12, 30
	var memorized, left atomic.Int64
	s := newStore(t, items.Options{
		MaxItems: maxItems, MaxTokens: maxTokens, StepTTL: 3,
		Audit: func(r items.AuditRecord) {
			if r.Operation == items.OpEvict {
				left.Add(1)
			}
		},
	})
	check := func(items []items.Item) {
		tokens := 0
		for i, it := range items {
			assert.Equal(t, i, it.Position)
			tokens += it.Tokens
		}
		assert.LessOrEqual(t, len(items), maxItems)
		assert.LessOrEqual(t, tokens, maxTokens)
	}

	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	ctx := t.Context()
	for w := range writers {
		writing.Go(func() {
			for r := range rounds {
				id := fmt.Sprint(w, "/", r)
				in := items.ItemInput{ID: id, Text: "a b c"[:1+r%3*2], Tags: []string{"tag"}, Importance: new(float64(r%10) / 10)}
				_, err := s.Memorize(ctx, in)
				assert.NoError(t, err)
				memorized.Add(1)
				_ = s.SetImportance(ctx, id, 0.9) // it may be gone
				_ = s.Restore(ctx, id)
				switch r % 10 {
				case 3:
					s.Sweep(ctx)
				case 6:
					s.AdvanceStep()
				case 9:
					_, err = s.Forget(ctx, "oldest", items.ForgetSoft)
				}
				assert.NoError(t, err)
			}
		})
	}
	for reader := range 4 {
		reading.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				switch reader {
				case 0:
					check(slices.Collect(s.All()))
					_ = s.Notable(3)
				case 1:
					branch := s.Branch()
					branch.Clear(ctx)
					_, err := s.Remember(ctx, "a b", items.Criteria{AnyTag: []string{"tag"}}, 3)
					assert.NoError(t, err)
				case 2:
					summary, err := s.Summarize(ctx, items.SelectAll, 9)
					assert.NoError(t, err)
					assert.LessOrEqual(t, summary.Tokens, 9)
				default:
					data, err := json.Marshal(s)
					assert.NoError(t, err)
					restored, err := items.New(nil)
					assert.NoError(t, err)
					assert.NoError(t, json.Unmarshal(data, restored))
					check(slices.Collect(restored.All()))
					info := s.Capacity(ctx)
					assert.GreaterOrEqual(t, min(info.FreeItems, info.FreeTokens), 0)
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	check(slices.Collect(s.All()))
	assert.Equal(t, memorized.Load(), left.Load()+int64(s.Len()))
}
