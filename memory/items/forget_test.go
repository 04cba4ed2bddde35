package items_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/items"
)

func TestForgetInstructions(t *testing.T) {
	t.Parallel()
	for instruction, want := range map[string][]string{
		" \tLeast IMPORTANT\n":                   {"i2"},
		"position:001":                           {"i2"},
		"before:step_" + strings.Repeat("9", 99): {"i1", "i2"},
	} {
		s := newStore(t, items.Options{})
		memorizeAll(t, s, 0.5, 0.4)
		require.Equal(t, want, forget(t, s, instruction, 7), "%q", instruction)
		require.Equal(t, len(want), s.Capacity(t.Context()).ByClass[items.ClassDeleted], "any other mode is soft")
	}

	s := newStore(t, items.Options{})
	require.Empty(t, forget(t, s, "oldest", items.ForgetHard))
	memorizeAll(t, s, 0.5)
	for _, instruction := range []string{
		"", "newest", "oldest s3cret", "least  important", "position:", "position:-1", "position:+1", "position:٣", "before:1",
	} {
		_, err := s.Forget(t.Context(), instruction, items.ForgetHard)
		require.Equal(t, &items.InstructionError{Understood: []string{"oldest", "least important", "position:N", "before:step_N"}}, err, instruction)
		require.EqualError(t, err, "items: unknown instruction; valid are: oldest, least important, position:N, before:step_N")
	}
	f, err := s.Forget(t.Context(), "position:1", items.ForgetHard)
	require.Equal(t, items.Forgotten{Size: 1, Tokens: 1}, f)
	require.EqualError(t, err, "items: position 1 is out of range of 1 items")
	_, err = s.Forget(t.Context(), "position:"+strings.Repeat("9", 99), items.ForgetHard)
	require.Equal(t, &items.PositionError{Position: math.MaxInt, Size: 1}, err)
}
