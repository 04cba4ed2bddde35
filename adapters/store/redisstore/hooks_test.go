package redisstore_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"

	"github.com/redis/go-redis/v9"
)

// errCut is what a client sees of a connection that is cut.
var errCut = &net.OpError{Op: "read", Net: "tcp", Err: errors.New("cut")}

// around is a hook that does what it likes around each command, or pipeline.
type around func(next func() error) error

func (h around) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h around) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := h(func() error { return next(ctx, cmd) })
		cmd.SetErr(err)
		return err
	}
}

func (h around) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := h(func() error { return next(ctx, cmds) })
		if errors.Is(err, errCut) {
			for _, cmd := range cmds {
				cmd.SetErr(err)
			}
		}
		return err
	}
}

// crash makes a client fail from its n-th command on (from 1), which is done if
// done is set: as a process does that dies there. It says whether that was reached.
func crash(n int, done bool, reached *bool) around {
	return func(next func() error) error {
		n--
		if n > 0 {
			return next()
		}
		*reached = true
		if n == 0 && done {
			_ = next()
		}
		return errCut
	}
}

// cutSometimes cuts one command in ten, half of them after they were done.
func cutSometimes(next func() error) error {
	switch rand.IntN(20) {
	case 0:
		return errCut
	case 1:
		_ = next()
		return errCut
	}
	return next()
}

// count counts commands and pipelines.
func count(n *int) around {
	return func(next func() error) error {
		*n++
		return next()
	}
}

// twice sends each command twice, as a client does that does not know what became of
// the first one. In between, it calls between.
func twice(between func()) around {
	return func(next func() error) error {
		_ = next()
		if between != nil {
			between()
		}
		return next()
	}
}
