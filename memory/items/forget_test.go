package items_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

func TestForget(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what, instruction string
		forgotten         []string
	}{
		{"the oldest", "oldest", []string{"i1"}},
		{"the least important, of two the oldest", "least important", []string{"i3"}},
		{"a position", "position:3", []string{"i4"}},
		{"the first position", "position:0", []string{"i1"}},
		{"a position with zeros", "position:003", []string{"i4"}},
		{"before a step, strictly", "before:step_2", []string{"i1", "i2"}},
		{"before the first step", "before:step_0", []string{}},
		{"before a step far away", "before:step_99999999999999999999999", []string{"i1", "i2", "i3", "i4", "i5"}},
		{"capitals and spaces", " \tLeast IMPORTANT\n", []string{"i3"}},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []items.ForgetMode{items.ForgetSoft, items.ForgetHard} {
				s := newStore(t, items.Options{})
				for i, x := range []float64{0.5, 0.4, 0.2, 0.2, 0.9} {
					memorize(t, s, items.ItemInput{Importance: &x, StepIndex: &i, Text: "a b"})
				}
				f, err := s.Forget(t.Context(), test.instruction, mode)
				require.NoError(t, err)
				require.Equal(t, test.forgotten, itemIDs(f.Items))
				gone := 0
				if mode == items.ForgetHard {
					gone = len(test.forgotten)
				}
				require.Equal(t, []int{5 - gone, 2 * (5 - gone)}, []int{f.Size, f.Tokens}, mode)
				require.Equal(t, []int{5 - gone, 2 * (5 - gone)}, []int{s.Len(), s.Tokens()}, mode)
				for _, it := range f.Items {
					require.False(t, it.Deleted, "as it was before")
					got, err := s.Get(it.ID)
					require.Equal(t, mode == items.ForgetHard, err != nil)
					require.Equal(t, mode == items.ForgetSoft, got.Deleted)
				}
			}
		})
	}
}

func TestForgetInAnEmptyStore(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	for _, instruction := range []string{"oldest", "least important", "before:step_9"} {
		f, err := s.Forget(t.Context(), instruction, items.ForgetHard)
		require.NoError(t, err)
		require.Zero(t, f)
	}
}

func TestInstructionsThatAreNotUnderstood(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	memorizeMany(t, s, 0.5)
	for _, instruction := range []string{
		"", "s3cret", "newest", "oldest s3cret", "least  important", "position", "position:", "position:-1",
		"position:+1", "position:1.0", "position: 1", "position:0x1", "position:٣", "before:step_", "before:1", "before:step_-1",
		"position:1s3cret", "oldest\x00",
	} {
		_, err := s.Forget(t.Context(), instruction, items.ForgetHard)
		var wrong *items.InstructionError
		require.ErrorAs(t, err, &wrong, instruction)
		require.Equal(t, []string{"oldest", "least important", "position:N", "before:step_N"}, wrong.Understood)
		require.EqualError(t, err, "items: unknown instruction; valid are: oldest, least important, position:N, before:step_N")
		require.Equal(t, 1, s.Len())
		require.Equal(t, uint64(1), s.Version())
	}
}

func TestForgetAPositionThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	memorizeMany(t, s, 0.5)
	f, err := s.Forget(t.Context(), "position:1", items.ForgetHard)
	require.Equal(t, &items.PositionError{Position: 1, Size: 1}, err)
	require.EqualError(t, err, "items: position 1 is out of range of 1 items")
	require.Equal(t, items.Forgotten{Size: 1, Tokens: 1}, f)
	_, err = s.Forget(t.Context(), "position:"+strings.Repeat("9", 99), items.ForgetHard)
	require.Equal(t, &items.PositionError{Position: math.MaxInt, Size: 1}, err)
}

func TestSoftlyForgottenItems(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t, items.Options{MaxItems: 4})
	memorizeMany(t, s, 0.1, 0.2, 0.9, 0.1)
	for _, position := range []string{"position:0", "position:2"} {
		_, err := s.Forget(ctx, position, items.ForgetSoft)
		require.NoError(t, err)
	}

	require.Equal(t, []string{"i2", "i4"}, remember(t, s, "", items.Criteria{}), "they are hidden")
	require.Equal(t, []string{"i2", "i4"}, itemIDs(s.Notable(9)))
	summary, err := s.Summarize(ctx, items.SelectAll, 99)
	require.NoError(t, err)
	require.Equal(t, []string{"i2", "i4"}, summary.Sources)
	require.Equal(t, numbered(1, 4), keptIDs(s), "they count")
	require.Equal(t, 2, s.Capacity(ctx).ByClass[items.ClassDeleted])

	f, err := s.Forget(ctx, "oldest", items.ForgetSoft)
	require.NoError(t, err)
	require.Equal(t, []string{"i2"}, itemIDs(f.Items), "the oldest is one that is not deleted")
	require.NoError(t, s.Restore(ctx, "i2"))
	f, err = s.Forget(ctx, "least important", items.ForgetSoft)
	require.NoError(t, err)
	require.Equal(t, []string{"i4"}, itemIDs(f.Items))
	require.NoError(t, s.Restore(ctx, "i4"))
	f, err = s.Forget(ctx, "position:0", items.ForgetSoft)
	require.NoError(t, err)
	require.Empty(t, f.Items, "it is forgotten already")

	require.NoError(t, s.Restore(ctx, "i1"))
	require.Equal(t, []string{"i2", "i4", "i1"}, remember(t, s, "", items.Criteria{}))
	evicted := memorizeMany(t, s, 0.1, 0.1)
	require.Equal(t, []string{"i3: soft-deleted", "i1: low importance"}, evictions(evicted), "importance does not protect them")
	require.Equal(t, &memory.NotFoundError{ID: "i3"}, s.Restore(ctx, "i3"))
}

func TestHardForgettingRemovesWhatWasForgottenSoftly(t *testing.T) {
	t.Parallel()
	s := newStore(t, items.Options{})
	memorizeMany(t, s, 0.5, 0.5, 0.5)
	for _, instruction := range []string{"position:1", "before:step_1"} {
		_, err := s.Forget(t.Context(), instruction, items.ForgetSoft)
		require.NoError(t, err)
	}
	f, err := s.Forget(t.Context(), "position:1", items.ForgetHard)
	require.NoError(t, err)
	require.Equal(t, []string{"i2"}, itemIDs(f.Items))
	f, err = s.Forget(t.Context(), "before:step_1", items.ForgetHard)
	require.NoError(t, err)
	require.Equal(t, []string{"i1", "i3"}, itemIDs(f.Items))
	require.Equal(t, []int{0, 1}, []int{f.Items[0].Position, f.Items[1].Position}, "as they were before")
	require.Zero(t, s.Len())
}

func TestForgetItem(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t, items.Options{})
	memorizeMany(t, s, 0.5, 0.9, 0.5)
	f, err := s.ForgetItem(ctx, "i2", items.ForgetSoft)
	require.NoError(t, err)
	require.Equal(t, "i2", f.Items[0].ID)
	require.Equal(t, 3, f.Size)
	require.Len(t, s.Notable(3), 2)
	f, err = s.ForgetItem(ctx, "i2", items.ForgetSoft)
	require.NoError(t, err)
	require.Empty(t, f.Items, "it was forgotten already")
	f, err = s.ForgetItem(ctx, "i2", items.ForgetHard)
	require.NoError(t, err)
	require.Len(t, f.Items, 1)
	require.Equal(t, []string{"i1", "i3"}, keptIDs(s))
	_, err = s.ForgetItem(ctx, "i2", items.ForgetHard)
	require.Equal(t, &memory.NotFoundError{ID: "i2"}, err)
}

func TestSetImportance(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t, items.Options{MaxItems: 2})
	memorizeMany(t, s, 0.1, 0.1)
	require.NoError(t, s.SetImportance(ctx, "i1", 1))
	require.Equal(t, []string{"i2: low importance"}, evictions(memorizeMany(t, s, 0.2)))
	require.NoError(t, s.SetImportance(ctx, "i1", 0))
	require.Equal(t, []string{"i1: low importance"}, evictions(memorizeMany(t, s, 0.2)))

	for _, x := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		require.ErrorIs(t, s.SetImportance(ctx, "i3", x), items.ErrImportance)
	}
	err := s.SetImportance(ctx, "s3cret", 0.5)
	require.Equal(t, &memory.NotFoundError{ID: "s3cret"}, err)
	require.NotContains(t, err.Error(), "s3cret")
	_, err = s.Get("s3cret")
	require.Equal(t, &memory.NotFoundError{ID: "s3cret"}, err)
}

func TestSweep(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t, items.Options{Step: func() int { return 30 }})
	for _, in := range []items.ItemInput{
		{ID: "fresh"},
		{ID: "old by step", StepIndex: new(9), Importance: new(1.0)},
		{ID: "old by time", Timestamp: start.Add(-time.Hour - 1)},
		{ID: "old by both", StepIndex: new(0), Timestamp: start.Add(-2 * time.Hour)},
		{ID: "fresh but deleted"},
		{ID: "old and deleted", StepIndex: new(0)},
	} {
		memorize(t, s, in)
	}
	for _, position := range []string{"position:4", "position:5"} {
		_, err := s.Forget(ctx, position, items.ForgetSoft)
		require.NoError(t, err)
	}
	swept := s.Sweep(ctx)
	require.Equal(t, []string{
		"old by step: step TTL", "old by time: wall TTL", "old by both: step TTL", "old and deleted: step TTL",
	}, evictions(swept))
	require.Equal(t, []string{"fresh", "fresh but deleted"}, keptIDs(s))
	require.Equal(t, 2, s.Tokens())
	swept = s.Sweep(ctx)
	require.Empty(t, swept)
}
