package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// stdinName is the file name of standard input.
const stdinName = "-"

// open opens a file, or standard input for "-" and "".
func open(cmd *cobra.Command, name string) (io.ReadCloser, error) {
	if name == "" || name == stdinName {
		return io.NopCloser(&interruptible{ctx: cmd.Context(), r: cmd.InOrStdin()}), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err // has the operation and the name
	}
	return f, nil
}

// eachEpisode calls do with the episodes of a part of a file of traces, up to the first error.
func eachEpisode(cmd *cobra.Command, name string, part evaluation.Part, do func(*evaluation.Episode) error) error {
	in, err := open(cmd, name)
	if err != nil {
		return err
	}
	defer in.Close()
	for ep, err := range part.Episodes(evaluation.Episodes(in)) {
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := do(ep); err != nil {
			return err
		}
	}
	return nil
}

// atMostOneFile checks the arguments of commands that read one file.
func atMostOneFile(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("at most one FILE is allowed, not %d", len(args))
	}
	return nil
}

// traceFiles checks the arguments of commands that read traces.
func traceFiles(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("TRACES is required")
	}
	return nil
}

// interruptible is a reader that returns when its context is done, even while it
// waits for input.
type interruptible struct {
	ctx  context.Context
	r    io.Reader
	buf  []byte
	left []byte
	done chan readResult
}

type readResult struct {
	n   int
	err error
}

// Read implements io.Reader. A pending read is abandoned when the context is done.
func (i *interruptible) Read(p []byte) (int, error) {
	if len(i.left) > 0 {
		n := copy(p, i.left)
		i.left = i.left[n:]
		return n, nil
	}
	if i.done == nil {
		i.buf, i.done = make([]byte, 64<<10), make(chan readResult, 1)
	}
	go func() {
		n, err := i.r.Read(i.buf)
		i.done <- readResult{n, err}
	}()
	select {
	case <-i.ctx.Done():
		return 0, fmt.Errorf("reading standard input: %w", i.ctx.Err())
	case got := <-i.done:
		n := copy(p, i.buf[:got.n])
		i.left = i.buf[n:got.n]
		if n < got.n {
			return n, nil // the reader will repeat its error
		}
		return n, got.err
	}
}
