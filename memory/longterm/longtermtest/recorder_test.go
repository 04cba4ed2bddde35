package longtermtest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// recorder is a testing.TB that notes what a test would have failed with.
type recorder struct {
	testing.TB // for what has nothing to do with failing

	mu       sync.Mutex
	log      strings.Builder
	failed   bool
	skipped  bool
	panicked any
	cleanups []func()
}

// recorded runs a test to its end, cleanups and all.
func recorded(t testing.TB, test func(tb testing.TB)) *recorder {
	r := &recorder{TB: t}
	r.during(func() { test(r) })
	for _, cleanup := range slices.Backward(r.cleanups) {
		r.during(cleanup)
	}
	return r
}

// during runs a part of a test in a goroutine of its own, which FailNow can end.
func (r *recorder) during(do func()) {
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

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Helper() {}

func (r *recorder) Log(args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintln(&r.log, args...)
}

func (r *recorder) Logf(text string, args ...any) { r.Log(fmt.Sprintf(text, args...)) }

func (r *recorder) Fail() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
}

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func (r *recorder) FailNow() {
	r.Fail()
	runtime.Goexit()
}

func (r *recorder) Error(args ...any) {
	r.Log(args...)
	r.Fail()
}

func (r *recorder) Errorf(text string, args ...any) { r.Error(fmt.Sprintf(text, args...)) }

func (r *recorder) Fatal(args ...any) {
	r.Log(args...)
	r.FailNow()
}

func (r *recorder) Fatalf(text string, args ...any) { r.Fatal(fmt.Sprintf(text, args...)) }

func (r *recorder) SkipNow() {
	r.skipped = true
	runtime.Goexit()
}

func (r *recorder) Skip(args ...any) {
	r.Log(args...)
	r.SkipNow()
}

func (r *recorder) Skipf(text string, args ...any) { r.Skip(fmt.Sprintf(text, args...)) }

func (r *recorder) Skipped() bool { return r.skipped }
