package contention_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/contention"
)

var (
	errConflict = errors.New("test: changed by another")
	errOther    = errors.New("something else")
)

func TestRetry(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		conflicts int
		then      error
		want      error
		calls     int
	}{
		"at once":        {0, nil, nil, 1},
		"after some":     {3, nil, nil, 4},
		"other error":    {2, errOther, errOther, 3},
		"for ever":       {1000, nil, errConflict, contention.Attempts},
		"final conflict": {2, contention.Final(errConflict), errConflict, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				err := contention.Retry(t.Context(), errConflict, func() error {
					if calls++; calls <= test.conflicts {
						return fmt.Errorf("writing: %w", errConflict)
					}
					return test.then
				})
				require.ErrorIs(t, err, test.want)
				require.Equal(t, test.calls, calls)
			})
		})
	}
}

func TestRetryGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	err := contention.Retry(ctx, errConflict, func() error {
		cancel()
		return errConflict
	})
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, errConflict)
}
