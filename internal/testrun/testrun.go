// Package testrun runs tests that may fail, to see whether a suite of tests finds what is
// wrong.
package testrun

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Run is a test that was run: a testing.TB that notes what it would have failed with.
type Run struct {
	testing.TB // for what has nothing to do with failing

	mu       sync.Mutex
	log      strings.Builder
	failed   bool
	skipped  bool
	panicked any
	cleanups []func()
}

// Of runs a test to its end, cleanups and all.
func Of(t testing.TB, test func(tb testing.TB)) *Run {
	r := &Run{TB: t}
	r.during(func() { test(r) })
	for _, cleanup := range slices.Backward(r.cleanups) {
		r.during(cleanup)
	}
	return r
}

// Text is what the test has said.
func (r *Run) Text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.log.String()
}

// Panicked is what the test panicked with, nil if it did not.
func (r *Run) Panicked() any { return r.panicked }

// during runs a part of a test in a goroutine of its own, which FailNow can end.
func (r *Run) during(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				r.panicked = p
				r.Fail()
			}
		}()
		do()
	}()
	<-done
}

// Cleanup implements testing.TB.
func (r *Run) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

// Helper implements testing.TB.
func (r *Run) Helper() {}

// Log implements testing.TB.
func (r *Run) Log(args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintln(&r.log, args...)
}

// Logf implements testing.TB.
func (r *Run) Logf(text string, args ...any) { r.Log(fmt.Sprintf(text, args...)) }

// Fail implements testing.TB.
func (r *Run) Fail() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
}

// Failed implements testing.TB.
func (r *Run) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// FailNow implements testing.TB.
func (r *Run) FailNow() {
	r.Fail()
	runtime.Goexit()
}

// Error implements testing.TB.
func (r *Run) Error(args ...any) {
	r.Log(args...)
	r.Fail()
}

// Errorf implements testing.TB.
func (r *Run) Errorf(text string, args ...any) { r.Error(fmt.Sprintf(text, args...)) }

// Fatal implements testing.TB.
func (r *Run) Fatal(args ...any) {
	r.Log(args...)
	r.FailNow()
}

// Fatalf implements testing.TB.
func (r *Run) Fatalf(text string, args ...any) { r.Fatal(fmt.Sprintf(text, args...)) }

// SkipNow implements testing.TB.
func (r *Run) SkipNow() {
	r.skipped = true
	runtime.Goexit()
}

// Skip implements testing.TB.
func (r *Run) Skip(args ...any) {
	r.Log(args...)
	r.SkipNow()
}

// Skipf implements testing.TB.
func (r *Run) Skipf(text string, args ...any) { r.Skip(fmt.Sprintf(text, args...)) }

// Skipped implements testing.TB.
func (r *Run) Skipped() bool { return r.skipped }
