package rest

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is taken, given and called in, in whatever order: no more is taken than there is, and
// no loan is refused or called in that is no larger than its share of what is left.
func TestWhatABudgetPromises(t *testing.T) {
	t.Parallel()
	const most = 10_000 // all is small: there is one limit
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		b := newBudget(most)
		loans := make([]*loan, 1+random.IntN(12))
		var calledIn *loan // by the last call
		begin := func(i int) {
			l := &loan{from: b}
			loans[i] = l
			if i%3 > 0 { // the others are at work
				l.idle(func() error { calledIn = l; return nil })
			}
		}
		for i := range loans {
			begin(i)
		}
		// share is an n-th of what those leave who cannot be called in.
		share := func(asks *loan) int64 {
			left, n := int64(most), int64(0)
			for _, l := range loans {
				if _, idle := b.idle[l]; idle {
					n++
				} else if l != asks {
					left -= l.size
				}
			}
			if _, idle := b.idle[asks]; !idle {
				n++
			}
			return left / n
		}
		for range 500 {
			i := random.IntN(len(loans))
			l, n := loans[i], 1+random.Int64N(most/4)
			before := make(map[*loan]int64, len(loans))
			for _, other := range loans {
				before[other] = other.size
			}
			fair, gone := share(l), l.gone
			calledIn = nil
			switch random.IntN(4) {
			case 0:
				if !gone {
					n = random.Int64N(before[l] + 1)
				}
				l.give(n) // of what was called in nothing is left
			case 1:
				l.end()
				begin(i)
			default:
				took := l.take(n)
				if gone {
					require.False(t, took)
					require.Nil(t, calledIn)
				} else if !took {
					require.Greater(t, before[l]+n, fair, "it was refused")
				}
			}
			if calledIn != nil {
				require.Greater(t, before[calledIn], before[l]+n, "who has less must not give way")
				require.Greater(t, before[calledIn], fair, "it was called in")
				require.True(t, calledIn.gone)
			}
			var sum int64
			for _, l := range loans {
				sum += l.size
				require.GreaterOrEqual(t, l.size, int64(0))
			}
			require.Equal(t, sum, b.taken)
			require.LessOrEqual(t, sum, int64(most))
		}
		for _, l := range loans {
			l.end()
			l.end() // once more returns nothing
		}
		require.Zero(t, b.taken)
		require.Empty(t, b.idle)
	}
}

// A loan that cannot be called in, whose client nobody can interrupt, is one of a request at work.
func TestLoansThatCannotBeCalledIn(t *testing.T) {
	t.Parallel()
	b := newBudget(1000)
	stuck, other := &loan{from: b}, &loan{from: b}
	require.True(t, stuck.take(600))
	tried := 0
	stuck.idle(func() error { tried++; return errors.ErrUnsupported })
	for range 2 {
		require.False(t, other.take(500))
	}
	require.Equal(t, 1, tried)
	require.True(t, stuck.keep())
	require.True(t, other.take(400))
	stuck.end()
	require.True(t, other.take(600))
}
