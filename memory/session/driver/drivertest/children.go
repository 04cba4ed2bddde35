package drivertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/go-workingmemory/workingmemory/internal/conformance/child"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Opener opens a store at an address, such as a path or a URL, in each process that shares it.
// It returns a function that closes the store.
type Opener func(address string) (store driver.Store, close func() error, err error)

// Main runs the jobs of child processes. It must be called by TestMain in a package that uses
// RunWriters or RunCrashes, which start the test binary again.
//
//	func TestMain(m *testing.M) { Main(m, open) }
func Main(m *testing.M, open Opener) {
	child.Main(jobVariable, func(j job, begin func() error) error { return j.do(open, begin) })
	os.Exit(m.Run())
}

const jobVariable = "WORKINGMEMORY_SESSIONTEST_JOB"

// job is the job of a child process.
type job struct {
	Address string
	Key     driver.Key
	Writers *writersJob `json:",omitempty"`
	Life    *lifeJob    `json:",omitempty"`
}

func startChild(ctx context.Context, j job) (*child.Process, error) {
	return child.Start(ctx, jobVariable, j)
}

// do opens the store, waits for begin, and does the job.
func (j *job) do(open Opener, begin func() error) (err error) {
	store, closeStore, err := open(j.Address)
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	if err := begin(); err != nil {
		return err
	}
	if j.Writers != nil {
		return j.Writers.do(store, j.Key)
	}
	return j.Life.do(store, j.Key)
}
