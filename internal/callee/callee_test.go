package callee_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory"
)

func TestLoggable(t *testing.T) {
	t.Parallel()
	ours := errors.New("ours: model failed")
	fails := func(err error) error { return callee.Call(func() error { return err }) }
	secret := errors.New("secret")
	for name, tc := range map[string]struct {
		err  error
		want string
	}{
		"ours alone":        {fmt.Errorf("doing: %w", ours), "doing: ours: model failed"},
		"a callee's":        {fmt.Errorf("doing: %w: %w", ours, fails(secret)), "doing: ours: model failed: *errors.errorString"},
		"a typed one":       {fmt.Errorf("doing: %w", fails(&url.Error{Op: "Post", URL: "secret", Err: io.EOF})), "doing: *url.Error: *errors.errorString"},
		"a context's":       {fmt.Errorf("doing: %w", fails(fmt.Errorf("secret: %w", context.DeadlineExceeded))), "doing: context deadline exceeded"},
		"two":               {errors.Join(fails(secret), fails(errors.New("private"))), "*errors.errorString\n*errors.errorString"},
		"one in another":    {fails(fmt.Errorf("secret: %w", fails(secret))), "*errors.errorString"},
		"without a text":    {fmt.Errorf("doing: %w", fails(errors.New(""))), "doing: "},
		"a changed text":    {rewritten{fails(secret)}, "callee_test.rewritten: *errors.errorString"},
		"a panic":           {callee.Call(func() error { panic("secret") }), "memory: callback panicked: string"},
		"a panicking error": {callee.Call(func() error { panic(secret) }), "memory: callback panicked: *errors.errorString"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, callee.Loggable(tc.err))
		})
	}
}

// rewritten is an error that does not say its cause as it is.
type rewritten struct{ cause error }

func (r rewritten) Error() string { return "SECRET" }

func (r rewritten) Unwrap() error { return r.cause }

func TestCallPassesOnWhatFailed(t *testing.T) {
	t.Parallel()
	require.NoError(t, callee.Call(func() error { return nil }))
	err := callee.Call(func() error { return io.EOF })
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, "EOF", err.Error())
	require.ErrorIs(t, callee.Call(func() error { panic(1) }), memory.ErrPanic)
}
