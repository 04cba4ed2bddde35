package items_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/items"
)

// The scenarios that an item store has to meet, each by its name.

func TestSeventyItemsAtCapacity64LoseTheFirstSix(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	evicted := memorizeMany(t, s, repeated(0.5, 70)...)
	require.Equal(t, numbered(7, 70), keptIDs(s))
	require.Equal(t, []string{
		"i1: normal importance", "i2: normal importance", "i3: normal importance",
		"i4: normal importance", "i5: normal importance", "i6: normal importance",
	}, evictions(evicted))
}

func TestSixtyFiveItemsOf100TokensLeave40(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	for range 65 {
		memorize(t, s, items.ItemInput{Text: strings.Repeat("word ", 100)})
	}
	require.Equal(t, numbered(26, 65), keptIDs(s))
	require.Equal(t, 4000, s.Tokens())
}

func TestOldestLowsLeaveFirst(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxItems: 10})
	evicted := memorizeMany(t, s, slices.Concat(repeated(0.2, 5), repeated(0.8, 5), repeated(0.2, 5))...)
	require.Equal(t, numbered(6, 15), keptIDs(s))
	require.Equal(t, []string{
		"i1: low importance", "i2: low importance", "i3: low importance", "i4: low importance", "i5: low importance",
	}, evictions(evicted))
}

func TestThreeHighsAndTheNewestTwoStay(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxItems: 5})
	memorizeMany(t, s, slices.Concat(repeated(0.8, 3), repeated(0.3, 5))...)
	require.Equal(t, []string{"i1", "i2", "i3", "i7", "i8"}, keptIDs(s))
}

func TestEqualImportanceIsFirstInFirstOut(t *testing.T) {
	t.Parallel()
	for _, importance := range []float64{0, 0.29, 0.3, 0.5, 0.69, 0.7, 1} {
		s := newStore(t, items.Options{MaxItems: 3})
		memorizeMany(t, s, repeated(importance, 8)...)
		require.Equal(t, numbered(6, 8), keptIDs(s), "importance %v", importance)
	}
}

func TestStepTTLAtStep25(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxItems: 2, Step: func() int { return 25 }})
	memorize(t, s, items.ItemInput{ID: "step 10", StepIndex: new(10), Importance: new(0.1)})
	memorize(t, s, items.ItemInput{ID: "step 0", StepIndex: new(0), Importance: new(0.6)})
	m := memorize(t, s, items.ItemInput{})
	require.Equal(t, []string{"step 0: step TTL"}, evictions(m.Evicted))
	require.Equal(t, items.ClassExpired, m.Evicted[0].Class)
	require.Equal(t, []string{"step 10: low importance"}, evictions(memorize(t, s, items.ItemInput{}).Evicted))
}

func TestWallTTLOfAnHour(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxItems: 2})
	memorize(t, s, items.ItemInput{ID: "half an hour old", Timestamp: start.Add(-30 * time.Minute), Importance: new(0.1)})
	memorize(t, s, items.ItemInput{ID: "two hours old", Timestamp: start.Add(-2 * time.Hour), Importance: new(0.6)})
	m := memorize(t, s, items.ItemInput{})
	require.Equal(t, []string{"two hours old: wall TTL"}, evictions(m.Evicted))
}

func TestExpiredButProtectedLeavesBeforeFreshButLow(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxItems: 2, Step: func() int { return 100 }})
	memorize(t, s, items.ItemInput{ID: "low", Importance: new(0.1)})
	memorize(t, s, items.ItemInput{ID: "protected", Importance: new(0.9), StepIndex: new(3)})
	m := memorize(t, s, items.ItemInput{})
	require.Equal(t, []string{"protected: step TTL"}, evictions(m.Evicted))
}

func TestPositionsHaveNoGapsAfterEachChange(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxItems: 4})
	for _, x := range []float64{0.8, 0.1, 0.5, 0.1, 0.9, 0.2, 0.2, 0.7, 0.7, 0.7} {
		m := memorize(t, s, items.ItemInput{Importance: &x})
		require.Equal(t, s.Len()-1, m.Position)
		position := 0
		for it := range s.All() {
			require.Equal(t, position, it.Position)
			got, err := s.Get(it.ID)
			require.NoError(t, err)
			require.Equal(t, it, got)
			position++
		}
	}
}

func TestAllProtectedAndFull(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{MaxItems: 3})
	memorizeMany(t, s, 0.8, 0.7, 1)
	m := memorize(t, s, items.ItemInput{Importance: new(0.1)})
	require.Equal(t, []string{"i1: only protected items were left"}, evictions(m.Evicted))
	require.Equal(t, items.ClassProtected, m.Evicted[0].Class)
	require.Equal(t, numbered(2, 4), keptIDs(s), "the new item does not evict itself")
}

// TestScenarioOfTheSeed replays the example of seed 002, of which the last
// arrivals would make 65 items and 4500 tokens.
func TestScenarioOfTheSeed(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	var evicted []items.Evicted
	step := func(to, list, tokens int, importance float64) {
		for s.Step() < to {
			s.AdvanceStep()
		}
		for range list {
			m := memorize(t, s, items.ItemInput{Text: strings.Repeat("word ", tokens/list), Importance: &importance})
			evicted = append(evicted, m.Evicted...)
			require.LessOrEqual(t, m.Size, 64)
			require.LessOrEqual(t, m.Tokens, 4000)
		}
	}
	step(0, 10, 500, 0.2)
	step(5, 20, 1000, 0.2)
	step(10, 30, 990, 0.5)
	step(15, 25, 1000, 0.5)
	step(20, 20, 1000, 0.5)

	require.Equal(t, 64, s.Len())
	for i, id := range numbered(1, 30) { // those of steps 0 and 5 are of low importance
		assert.Equal(t, id+": low importance", evictions(evicted)[i])
	}
	require.Equal(t, numbered(42, 105), keptIDs(s), "the newest stay")
}
