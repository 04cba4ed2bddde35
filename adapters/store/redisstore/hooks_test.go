package redisstore_test

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"
)

// errCut is the error of a cut connection.
var errCut = &net.OpError{Op: "read", Net: "tcp", Err: errors.New("cut")}

// around is a hook that wraps each command or pipeline.
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

// crash simulates a process that dies at its n-th command (from 1), which the server executes if done
// is set. It sets reached if the client gets there.
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

// count counts commands and pipelines.
func count(n *int) around {
	return func(next func() error) error {
		*n++
		return next()
	}
}

// twice sends each command twice, like a client that has lost the first reply, and calls between in
// between.
func twice(between func()) around {
	return func(next func() error) error {
		_ = next()
		if between != nil {
			between()
		}
		return next()
	}
}
