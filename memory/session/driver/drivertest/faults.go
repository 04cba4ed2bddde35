package drivertest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// RunFaults uses a store through a Proxy in front of its server, at host:port, that fails as
// networks do. It fails unless every call ends by its deadline, with an appropriate error; no
// write is done twice, or reported as failed although it was done; and the same store works
// again afterwards. open opens a store on the server at host:port; it is called for each case.
func RunFaults(t *testing.T, server string, open func(tb testing.TB, address string) driver.Store) {
	t.Helper()
	for _, c := range faultCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			proxy := NewProxy(t, server)
			f := &faults{
				proxy: proxy, store: open(t, proxy.Address()),
				key: driver.Key{Namespace: "faults", SessionID: rand.Text()}, patience: long, slack: slack,
			}
			require.NoError(t, c.run(t.Context(), f), c.why)
		})
	}
}

// faultCase is a failure of a network.
type faultCase struct {
	name, why string
	run       func(ctx context.Context, f *faults) error
}

func faultCases() []faultCase {
	return []faultCase{
		{"refuses", "A server that is not there is ErrUnavailable, and the store works again when it is.", func(ctx context.Context, f *faults) error {
			return f.outage(ctx, f.proxy.Refuse)
		}},
		{"is silent", "A server that does not answer costs no more time than the context has.", func(ctx context.Context, f *faults) error {
			return f.outage(ctx, f.proxy.Silence)
		}},
		{"is slow", "A slow server is no fault while the context lives.", slow},
		{"cuts idle connections", "Connections that were cut while nobody used them are replaced.", cutIdle},
		{"loses answers to appends", "An append whose answer was lost is repeated without adding its messages twice.", loseAppends},
		{"loses answers to writes", "A write is done once or not at all, and is no conflict with itself.", loseWrites},
		{"loses answers to writes that make a session", "Making a session is no conflict with itself.", loseCreations},
		{"loses answers to deletions", "A deletion is no conflict with itself.", loseDeletions},
	}
}

// faults holds a store that works through a proxy, and a session in it.
type faults struct {
	proxy *Proxy
	store driver.Store
	key   driver.Key
	// patience is the deadline of calls that must succeed, and slack how much later than its
	// deadline a call may return.
	patience, slack time.Duration
}

const (
	// brief is the deadline of calls that must fail, unsure that of calls that may.
	brief, unsure = 100 * time.Millisecond, 300 * time.Millisecond
	// long is the usual patience, and slack the usual slack.
	long, slack = 30 * time.Second, 3 * time.Second
	// losses is the maximum number of answers of a call. No store needs more.
	losses = 20
)

// within runs do with a deadline, and returns an error if it exceeds that by slack. It counts
// short waits, as on a busy machine both are late.
func within(ctx context.Context, d, slack time.Duration, do func(ctx context.Context) error) (result, late error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	const wait = 100 * time.Millisecond
	start, returned, overdue := time.Now(), make(chan struct{}), make(chan bool, 1)
	go func() {
		for range (d + slack) / wait {
			select {
			case <-returned:
				overdue <- false
				return
			case <-time.After(wait):
			}
		}
		overdue <- true
	}()
	result = do(ctx)
	close(returned)
	if <-overdue {
		late = fmt.Errorf("a call with a deadline of %v took %v", d, time.Since(start))
	}
	return result, late
}

// calls returns all methods of a store, called on the session of f.
func (f *faults) calls() map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Load":   func(ctx context.Context) error { _, err := f.store.Load(ctx, f.key, -1); return err },
		"Append": func(ctx context.Context) error { return f.appendOnce(ctx, rand.Text()) },
		"Write": func(ctx context.Context) error {
			_, err := f.store.Write(ctx, f.key, faultWrite(0, `{"never":1}`))
			return err
		},
		"Delete": func(ctx context.Context) error {
			return f.store.Delete(ctx, f.key, &driver.Condition{Revision: 1 << 62})
		},
		"List": func(ctx context.Context) error { _, err := f.store.List(ctx, driver.ListOptions{Limit: 1}); return err },
		"Due":  func(ctx context.Context) error { _, err := f.store.Due(ctx, longAfter, 1); return err },
	}
}

func (f *faults) appendOnce(ctx context.Context, ids ...string) error {
	_, _, err := f.store.Append(ctx, f.key, faultAppend(ids...))
	return err
}

func faultAppend(ids ...string) driver.Append {
	a := driver.Append{Head: []byte(`{"made":"by append"}`), Format: driver.Format, Now: time.Now()}
	for _, id := range ids {
		a.Messages = append(a.Messages, driver.StoredMessage{ID: id, Tokens: 3, Body: []byte(`{"content":"` + id + `"}`)})
	}
	return a
}

func faultWrite(revision uint64, head string, ids ...string) driver.Write {
	return driver.Write{
		If: driver.Condition{Revision: revision}, Head: []byte(head),
		Messages: faultAppend(ids...).Messages, Format: driver.Format, Now: time.Now(),
	}
}

// unavailable returns an error unless err is ErrUnavailable or that of the context.
func unavailable(err error) error {
	if errors.Is(err, driver.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return fmt.Errorf("the server did not answer, and the error is: %w", errOrNone(err))
}

var errNone = errors.New("none")

func errOrNone(err error) error {
	if err == nil {
		return errNone
	}
	return err
}

// outage makes the server unreachable and reachable again, twice.
func (f *faults) outage(ctx context.Context, begin func()) error {
	if err := f.works(ctx); err != nil {
		return fmt.Errorf("before the outage: %w", err)
	}
	for range 2 {
		begin()
		for name, call := range f.calls() {
			result, late := within(ctx, brief, f.slack, call)
			if late != nil {
				return fmt.Errorf("%s: %w", name, late)
			}
			if err := unavailable(result); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if err := f.proxy.Heal(); err != nil {
			return err
		}
		if err := f.recovers(ctx); err != nil {
			return err
		}
	}
	return checkRecord(ctx, f.store, f.key)
}

// works appends a message and finds it, once. It need not be the last one, as a server may
// receive earlier requests late.
func (f *faults) works(ctx context.Context) error {
	id := rand.Text()
	ctx, cancel := context.WithTimeout(ctx, f.patience)
	defer cancel()
	if err := f.appendOnce(ctx, id); err != nil {
		return err
	}
	r, err := f.store.Load(ctx, f.key, -1)
	if err != nil {
		return err
	}
	times := 0
	for _, m := range r.Messages {
		if m.ID == id {
			times++
		}
	}
	if times != 1 {
		return fmt.Errorf("an appended message is there %d times", times)
	}
	return nil
}

// recovers waits until the store works again. A few calls may fail, on connections that the
// outage broke.
func (f *faults) recovers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, f.patience)
	defer cancel()
	for {
		result, late := within(ctx, time.Second, f.slack, f.works)
		if result == nil || late != nil {
			return late
		}
		if err := unavailable(result); err != nil {
			return fmt.Errorf("after the outage: %w", err)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the store does not recover: %w", result)
		}
	}
}

// slow delays each answer. Calls with enough time succeed.
func slow(ctx context.Context, f *faults) error {
	if err := f.works(ctx); err != nil {
		return err
	}
	f.proxy.Delay(20 * time.Millisecond)
	if err := f.works(ctx); err != nil {
		return fmt.Errorf("with the time it needs: %w", err)
	}
	f.proxy.Delay(time.Minute)
	for name, call := range f.calls() {
		result, late := within(ctx, brief, f.slack, call)
		if late != nil {
			return fmt.Errorf("%s: %w", name, late)
		}
		if err := unavailable(result); err != nil {
			return fmt.Errorf("%s: without the time it needs: %w", name, err)
		}
	}
	if err := f.proxy.Heal(); err != nil {
		return err
	}
	return f.recovers(ctx)
}

// cutIdle cuts the connections between calls.
func cutIdle(ctx context.Context, f *faults) error {
	for range 5 {
		if err := f.recovers(ctx); err != nil {
			return err
		}
		f.proxy.Cut()
	}
	if err := f.recovers(ctx); err != nil {
		return err
	}
	return checkRecord(ctx, f.store, f.key)
}
