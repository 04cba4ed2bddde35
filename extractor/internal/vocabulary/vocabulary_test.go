package vocabulary_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

func TestSetHasItsWordsOnly(t *testing.T) {
	t.Parallel()
	set := vocabulary.Set{List: " order\n\tpull_request  order "}
	for word, want := range map[string]bool{
		"order": true, "pull_request": true,
		"pull": false, "Order": false, " ": false, "": false, "order\n": false,
	} {
		assert.Equal(t, want, set.Has(word), "%q", word)
		assert.Equal(t, want, set.HasBytes([]byte(word)), "%q", word)
	}
	assert.False(t, new(vocabulary.Set).Has(""))
}

func TestSetIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	set := vocabulary.Set{List: "order"}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { assert.True(t, set.Has("order")) })
	}
	wg.Wait()
}

func TestHasBytesDoesNotAllocate(t *testing.T) {
	word := []byte("order")
	assert.Zero(t, testing.AllocsPerRun(100, func() { vocabulary.EntityNouns.HasBytes(word) }))
}
