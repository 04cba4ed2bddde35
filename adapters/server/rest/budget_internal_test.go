package rest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Loans never exceed the budget, are refused only if they do not fit, and a quarter of the budget
// is reserved for small ones.
func TestBudgetAsAModel(t *testing.T) {
	t.Parallel()
	const most = 16 * smallBytes
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 0))
		b := &budget{max: most}
		loans := make([]loan, 1+random.IntN(12))
		for i := range loans {
			loans[i].from = b
		}
		for range 500 {
			l := &loans[random.IntN(len(loans))]
			before, size := l.size, random.Int64N(most/2)
			if random.IntN(2) == 0 {
				size = random.Int64N(smallBytes + 1)
			}
			others := b.taken - before
			resized := l.resize(size)
			fits := others+size <= most
			if size > smallBytes {
				fits = others+size <= most*3/4
			}
			require.Equal(t, fits || size <= before, resized)
			if !resized {
				require.Equal(t, before, l.size)
			}
			var sum int64
			for i := range loans {
				sum += loans[i].size
			}
			require.Equal(t, sum, b.taken)
			require.LessOrEqual(t, sum, int64(most))
		}
		for i := range loans {
			require.True(t, loans[i].resize(0))
		}
		require.Zero(t, b.taken)
	}
}

// The rates of tokens and addresses are bounded in number.
func TestLeastRecentlyUsedIsForgotten(t *testing.T) {
	t.Parallel()
	l := newLRU[string, int](2)
	for i, key := range []string{"a", "b", "a", "c"} {
		l.getOrAdd(key, func() int { return i })
	}
	for key, want := range map[string]bool{"a": true, "b": false, "c": true} {
		_, found := l.peek(key)
		require.Equal(t, want, found, key)
	}
	require.Equal(t, 0, l.getOrAdd("a", func() int { return 9 }))
	require.Equal(t, 9, l.getOrAdd("b", func() int { return 9 }), "starts over")
}
