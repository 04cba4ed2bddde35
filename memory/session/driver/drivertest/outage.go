package drivertest

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Server is the server of a store that a test may stop and start again. Package
// internal/conformance/servers starts some.
type Server interface {
	// Address returns host:port.
	Address() string
	// Kill kills the server. Stop ends it in an orderly way. Start starts it on its data, and
	// returns when it serves.
	Kill()
	Stop()
	Start()
	// Pause stops the process: it accepts connections, but does not answer until Resume.
	Pause()
	Resume()
}

// RunOutage kills, stops and pauses a server while writers use it through one store. It fails
// unless each call ends by its deadline, and each writer, which repeats failed calls, goes on
// when the server is back: in the end every message is there, once, in the order of its writer.
// open opens a store on the server at host:port.
func RunOutage(t *testing.T, s Server, open func(tb testing.TB, address string) driver.Store) {
	t.Helper()
	require.NoError(t, endure(t.Context(), s, open(t, s.Address()), long))
}

// persistent runs writers that repeat failed calls.
type persistent struct {
	store driver.Store
	key   driver.Key
	// patience is how long to wait for the writers.
	patience time.Duration
	// written and failed count calls.
	written, failed atomic.Int64
	ending          atomic.Bool
}

func endure(ctx context.Context, s Server, store driver.Store, patience time.Duration) error {
	const writers = 4
	p := &persistent{store: store, key: driver.Key{Namespace: "outage", SessionID: rand.Text()}, patience: patience}
	writing, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var wg sync.WaitGroup
	for writer := range writers {
		wg.Go(func() {
			if err := p.write(writing, writer); err != nil {
				fail(fmt.Errorf("writer %d: %w", writer, err))
			}
		})
	}
	if err := p.suffer(writing, s); err != nil {
		fail(err) // only the first error counts
	}
	p.ending.Store(true)
	wg.Wait()
	if err := context.Cause(writing); err != nil {
		return err
	}
	if err := p.check(ctx, writers); err != nil {
		return err
	}
	return checkRecord(ctx, store, p.key)
}

// suffer makes the server fail in each way, twice.
func (p *persistent) suffer(ctx context.Context, s Server) error {
	for range 2 {
		for _, outage := range []struct {
			name       string
			begin, end func()
		}{
			{"killed", s.Kill, s.Start},
			{"stopped", s.Stop, s.Start},
			{"hung", s.Pause, s.Resume},
		} {
			const some = 40
			if err := p.grows(ctx, &p.written, some); err != nil {
				return fmt.Errorf("before the server was %s: %w", outage.name, err)
			}
			outage.begin()
			if err := p.grows(ctx, &p.failed, 2); err != nil {
				return fmt.Errorf("while the server was %s, no write failed: %w", outage.name, err)
			}
			outage.end()
			if err := p.grows(ctx, &p.written, some); err != nil {
				return fmt.Errorf("after the server was %s: %w", outage.name, err)
			}
		}
	}
	return nil
}

// grows waits until a counter has grown by n.
func (p *persistent) grows(ctx context.Context, counter *atomic.Int64, n int64) error {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for from := counter.Load(); counter.Load() < from+n; {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// write writes messages, each until it is acknowledged.
func (p *persistent) write(ctx context.Context, writer int) error {
	for n := 0; !p.ending.Load(); n++ {
		a := faultAppend(fmt.Sprintf("writer %d message %d", writer, n))
		for {
			result, late := within(ctx, time.Second, slack, func(ctx context.Context) error {
				_, _, err := p.store.Append(ctx, p.key, a)
				return err
			})
			if ctx.Err() != nil {
				return nil
			}
			if late != nil {
				return late
			}
			if result == nil {
				p.written.Add(1)
				break
			}
			if err := unavailable(result); err != nil {
				return err
			}
			p.failed.Add(1)
		}
	}
	return nil
}

// check compares the acknowledged messages with those of the session.
func (p *persistent) check(ctx context.Context, writers int) error {
	r, err := p.store.Load(ctx, p.key, -1)
	if err != nil {
		return err
	}
	messages := make([]driver.Message, len(r.Messages))
	for i, m := range r.Messages {
		messages[i].Content = m.ID
	}
	counts, err := orders(messages)
	if err != nil {
		return err
	}
	sum := 0
	for writer := range writers {
		sum += counts[writer]
	}
	if acknowledged := p.written.Load(); int64(sum) != acknowledged || len(messages) != sum {
		return fmt.Errorf("%d messages were acknowledged, %d are there", acknowledged, len(messages))
	}
	return nil
}
