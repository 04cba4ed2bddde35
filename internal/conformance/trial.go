package conformance

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// trial is a testing.TB that records failures instead of reporting them.
type trial struct {
	testing.TB // for what has nothing to do with failing

	mu       sync.Mutex
	log      strings.Builder
	failed   bool
	skipped  bool
	panicked bool
	cleanups []func()
}

// try runs a test, including its cleanups.
func try(tb testing.TB, test func(tb testing.TB)) *trial {
	t := &trial{TB: tb}
	t.during(func() { test(t) })
	for _, cleanup := range slices.Backward(t.cleanups) {
		t.during(cleanup)
	}
	return t
}

// text returns the log of the test.
func (t *trial) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.log.String()
}

// during runs a part of a test in a new goroutine, which FailNow can end.
func (t *trial) during(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				t.panicked = true
				t.Errorf("panic: %v", p)
			}
		}()
		do()
	}()
	<-done
}

// Cleanup implements testing.TB.
func (t *trial) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

// Helper implements testing.TB.
func (t *trial) Helper() {}

// Log implements testing.TB.
func (t *trial) Log(args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintln(&t.log, args...)
}

// Logf implements testing.TB.
func (t *trial) Logf(text string, args ...any) { t.Log(fmt.Sprintf(text, args...)) }

// Fail implements testing.TB.
func (t *trial) Fail() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = true
}

// Failed implements testing.TB.
func (t *trial) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// FailNow implements testing.TB.
func (t *trial) FailNow() {
	t.Fail()
	runtime.Goexit()
}

// Error implements testing.TB.
func (t *trial) Error(args ...any) {
	t.Log(args...)
	t.Fail()
}

// Errorf implements testing.TB.
func (t *trial) Errorf(text string, args ...any) { t.Error(fmt.Sprintf(text, args...)) }

// Fatal implements testing.TB.
func (t *trial) Fatal(args ...any) {
	t.Log(args...)
	t.FailNow()
}

// Fatalf implements testing.TB.
func (t *trial) Fatalf(text string, args ...any) { t.Fatal(fmt.Sprintf(text, args...)) }

// SkipNow implements testing.TB.
func (t *trial) SkipNow() {
	t.skipped = true
	runtime.Goexit()
}

// Skip implements testing.TB.
func (t *trial) Skip(args ...any) {
	t.Log(args...)
	t.SkipNow()
}

// Skipf implements testing.TB.
func (t *trial) Skipf(text string, args ...any) { t.Skip(fmt.Sprintf(text, args...)) }

// Skipped implements testing.TB.
func (t *trial) Skipped() bool { return t.skipped }
