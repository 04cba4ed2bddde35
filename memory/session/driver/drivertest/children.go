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

// Opener opens a store on what an address names, as each process does that shares
// it: a path, a URL, or whatever the tests of a store give. It returns what closes it.
type Opener func(address string) (store driver.Store, close func() error, err error)

// Main runs the tests of a package, as TestMain, if the package uses RunWriters or
// RunCrashes: these start the program of the test again, as child processes that
// use the store too. There Main does their part.
//
//	func TestMain(m *testing.M) { Main(m, open) }
func Main(m *testing.M, open Opener) {
	child.Main(jobVariable, func(j job, begin func() error) error { return j.do(open, begin) })
	os.Exit(m.Run())
}

const jobVariable = "WORKINGMEMORY_SESSIONTEST_JOB"

// job is what a child process is to do.
type job struct {
	Address string
	Key     driver.Key
	Writers *writersJob `json:",omitempty"`
	Life    *lifeJob    `json:",omitempty"`
}

func startChild(ctx context.Context, j job) (*child.Process, error) {
	return child.Start(ctx, jobVariable, j)
}

// do opens the store, waits until it may begin, and does the job.
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
