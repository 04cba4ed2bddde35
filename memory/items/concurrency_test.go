package items_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

// Readers see limits that hold and positions without gaps, and every item is either
// present or evicted.
func TestStoreConcurrentUse(t *testing.T) {
	t.Parallel()
	const writers, maxItems, maxTokens = 4, 12, 30
	rounds := soak.Times(40, 400)
	var evicted atomic.Int64
	s := newStore(t, items.Options{
		MaxItems: maxItems, MaxTokens: maxTokens, StepTTL: 3,
		Audit: func(r items.AuditRecord) {
			if r.Operation == items.OpEvict {
				evicted.Add(1)
			}
		},
	})
	ctx := t.Context()
	read := func() {
		tokens, size := 0, 0
		for it := range s.All() {
			assert.Equal(t, size, it.Position)
			tokens += it.Tokens
			size++
		}
		assert.LessOrEqual(t, size, maxItems)
		assert.LessOrEqual(t, tokens, maxTokens)
		s.Notable(3)
		s.Branch().Clear(ctx)
		_, err := s.Remember(ctx, "a b", items.Criteria{AnyTag: []string{"tag"}}, 3)
		assert.NoError(t, err)
		_, err = s.Summarize(ctx, items.SelectAll, 9)
		assert.NoError(t, err)
		_, err = s.MarshalJSON()
		assert.NoError(t, err)
		s.Capacity(ctx)
	}
	var running sync.WaitGroup
	for w := range writers {
		running.Go(func() {
			for r := range rounds {
				id := fmt.Sprint(w, "/", r)
				in := items.ItemInput{ID: id, Text: "a b c"[:1+r%3*2], Tags: []string{"tag"}, Importance: new(float64(r%10) / 10)}
				_, err := s.Memorize(ctx, in)
				assert.NoError(t, err)
				_ = s.SetImportance(ctx, id, 0.9) // may be evicted
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
		running.Go(func() {
			for range rounds {
				read()
			}
		})
	}
	running.Wait()
	assert.Equal(t, int64(writers*rounds), evicted.Load()+int64(s.Len()))
}
