package rest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The rates of tokens and addresses are bounded in number.
func TestLeastRecentlyUsedIsForgotten(t *testing.T) {
	t.Parallel()
	l := newLRU[string, int](2)
	for i, key := range []string{"a", "b", "a", "c"} {
		l.getOrAdd(key, func() int { return i })
	}
	for key, want := range map[string]bool{"a": true, "b": false, "c": true} {
		require.Equal(t, want, l.has(key), key)
	}
	require.Equal(t, 0, l.getOrAdd("a", func() int { return 9 }))
	require.Equal(t, 9, l.getOrAdd("b", func() int { return 9 }), "starts over")
}
