package items_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

func TestForgetInstructions(t *testing.T) {
	t.Parallel()
	for instruction, want := range map[string][]string{
		"oldest":                                 {"i1"},
		" \tLeast IMPORTANT\n":                   {"i3"}, // the oldest of two
		"position:003":                           {"i4"},
		"before:step_0":                          {},
		"before:step_2":                          {"i1", "i2"},
		"before:step_999999999999":               numbered(1, 5),
		"before:step_" + strings.Repeat("9", 99): numbered(1, 5),
	} {
		for _, mode := range []items.ForgetMode{items.ForgetSoft, items.ForgetHard, 7} {
			s := newStore(t, items.Options{})
			for i, x := range []float64{0.5, 0.4, 0.2, 0.2, 0.9} {
				memorize(t, s, items.ItemInput{Importance: &x, StepIndex: &i})
			}
			require.Equal(t, want, forget(t, s, instruction, mode), "%q", instruction)
			deleted := s.Capacity(t.Context()).ByClass[items.ClassDeleted]
			require.Equal(t, len(want), map[bool]int{true: 5 - s.Len(), false: deleted}[mode == items.ForgetHard])
		}
	}

	s := newStore(t, items.Options{})
	require.Empty(t, forget(t, s, "oldest", items.ForgetHard))
	memorizeAll(t, s, 0.5)
	for _, instruction := range []string{
		"", "s3cret", "newest", "oldest s3cret", "least  important", "position", "position:", "position:-1",
		"position:+1", "position:1.0", "position: 1", "position:0x1", "position:٣", "before:step_", "before:1", "before:step_-1",
		"position:1s3cret", "oldest\x00",
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

func TestDeletedItemsAreHidden(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	memorizeAll(t, s, 0.1, 0.2, 0.9)
	forget(t, s, "position:0", items.ForgetSoft)
	require.Equal(t, []string{"i3", "i2"}, remember(t, s, "text", items.Criteria{}))
	require.Equal(t, []string{"i2", "i3"}, summarize(t, s, items.SelectAll, 99).Sources)
}

func TestSetImportanceErrors(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	memorizeAll(t, s, 0.1)
	for _, x := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		require.ErrorIs(t, s.SetImportance(t.Context(), "i1", x), items.ErrImportance)
	}
	err := s.SetImportance(t.Context(), secret, 0.5)
	require.Equal(t, &memory.NotFoundError{ID: secret}, err)
	require.NotContains(t, err.Error(), secret)
}
