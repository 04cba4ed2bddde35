package drivertest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance/child"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// RunWriters lets 32 writers in 4 processes append messages to one session at once, one message
// at a time, while others read it. It fails unless every message is there in the end, once, and
// those of each writer in order.
func RunWriters(t *testing.T, address string, open Opener) {
	t.Helper()
	w := crowd{address: address, writers: 32, processes: 4, each: soak.Times(50, 1000)}
	start := time.Now()
	require.NoError(t, w.run(t.Context(), open))
	t.Logf("%d messages in %v", w.writers*w.each, time.Since(start).Round(time.Millisecond))
}

// crowd is a number of writers of one session.
type crowd struct {
	address                  string
	writers, processes, each int
}

// writersJob is the job of one process: some of the writers.
type writersJob struct{ From, To, Each int }

func (c crowd) run(ctx context.Context, open Opener) error {
	key := driver.Key{Namespace: "writers", UserID: "of one", SessionID: rand.Text()}
	store, closeStore, err := open(c.address)
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	defer func() { _ = closeStore() }()
	manager, err := session.NewManager(store, withoutSummaries())
	if err != nil {
		return err
	}
	readings, stop := context.WithCancel(ctx)
	var writing atomic.Bool
	writing.Store(true)
	seen := make(chan error, 1)
	go func() { seen <- watchSession(readings, manager, key, &writing) }()
	err = c.write(ctx, key)
	writing.Store(false)
	if err != nil {
		stop()
	}
	defer stop()
	if err := errors.Join(err, <-seen); err != nil {
		return err
	}
	defer func() { _ = manager.Delete(context.WithoutCancel(ctx), key) }()
	s, err := manager.Load(ctx, key, nil)
	if err != nil {
		return err
	}
	if err := checkRecord(ctx, store, key); err != nil {
		return err
	}
	return c.check(s.Messages)
}

// withoutSummaries returns options without summaries.
func withoutSummaries() *session.Options {
	return &session.Options{Summaries: summary.Options{Mode: summary.Off}}
}

// write starts the processes, lets them begin together, and waits for them.
func (c crowd) write(ctx context.Context, key driver.Key) error {
	var children []*child.Process
	defer func() {
		for _, child := range children {
			child.Kill()
			_ = child.Reap()
		}
	}()
	for i := range c.processes {
		part := &writersJob{From: i * c.writers / c.processes, To: (i + 1) * c.writers / c.processes, Each: c.each}
		child, err := startChild(ctx, job{Address: c.address, Key: key, Writers: part})
		if err != nil {
			return err
		}
		children = append(children, child)
	}
	for _, child := range children {
		if err := child.Begin(); err != nil {
			return err
		}
	}
	for _, child := range children {
		if err := child.End(); err != nil {
			return err
		}
	}
	return nil
}

// do does the job in a child process.
func (j *writersJob) do(store driver.Store, key driver.Key) error {
	manager, err := session.NewManager(store, withoutSummaries())
	if err != nil {
		return err
	}
	failed := make(chan error)
	for writer := j.From; writer < j.To; writer++ {
		go func() {
			for n := range j.Each {
				message := driver.Message{Role: driver.RoleUser, Content: fmt.Sprintf("writer %d message %d", writer, n)}
				done, err := manager.Append(context.Background(), key, []driver.Message{message}, nil)
				if err == nil && done.Added != 1 {
					err = fmt.Errorf("%d messages were added", done.Added)
				}
				if err != nil {
					failed <- fmt.Errorf("writer %d: message %d: %w", writer, n, err)
					return
				}
			}
			failed <- nil
		}()
	}
	for range j.To - j.From {
		err = errors.Join(err, <-failed)
	}
	return err
}

// watchSession reads the session during writes: each read is whole, and no older than the
// one before.
func watchSession(ctx context.Context, manager *session.Manager, key driver.Key, writing *atomic.Bool) error {
	var version uint64
	for writing.Load() {
		s, err := manager.Load(ctx, key, &session.LoadOptions{Last: 100})
		switch {
		case errors.Is(err, driver.ErrNotFound) && version == 0:
			continue // nothing was written yet
		case ctx.Err() != nil:
			return nil // the writers have failed
		case err != nil:
			return fmt.Errorf("reading during writes: %w", err)
		case s.Version() < version:
			return fmt.Errorf("version %d was read after version %d", s.Version(), version)
		case len(s.Messages) != min(100, s.Len()):
			return fmt.Errorf("of the last 100 of %d messages %d were read", s.Len(), len(s.Messages))
		}
		if _, err := orders(s.Messages); err != nil {
			return fmt.Errorf("reading during writes: %w", err)
		}
		version = s.Version()
	}
	return nil
}

// check compares the messages with those written.
func (c crowd) check(messages []driver.Message) error {
	counts, err := orders(messages)
	if err != nil {
		return err
	}
	for writer := range c.writers {
		if counts[writer] != c.each {
			return fmt.Errorf("of %d messages of writer %d, %d are there", c.each, writer, counts[writer])
		}
	}
	return nil
}

// orders returns the number of messages of each writer, and an error if they are not in the
// order of writing.
func orders(messages []driver.Message) (map[int]int, error) {
	counts, next := make(map[int]int), make(map[int]int)
	for _, m := range messages {
		words := strings.Fields(m.Content)
		if len(words) != 4 {
			return nil, fmt.Errorf("%q was never written", m.Content)
		}
		writer, err := strconv.Atoi(words[1])
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(words[3])
		if err != nil {
			return nil, err
		}
		if expected, known := next[writer]; known && n != expected {
			return nil, fmt.Errorf("writer %d: message %d is at the place of %d", writer, n, expected)
		}
		next[writer] = n + 1
		counts[writer]++
	}
	return counts, nil
}

// checkRecord checks that the numbers of a stored session are consecutive and that its position
// matches its messages.
func checkRecord(ctx context.Context, store driver.Store, key driver.Key) error {
	r, err := store.Load(ctx, key, -1)
	if err != nil {
		return err
	}
	if uint64(len(r.Messages)) != r.Next-r.First {
		return fmt.Errorf("%d messages have the numbers from %d to before %d", len(r.Messages), r.First, r.Next)
	}
	ids := make(map[string]bool, len(r.Messages))
	var tokens int64
	for i, m := range r.Messages {
		if m.Seq != r.First+uint64(i) {
			return fmt.Errorf("message %d of a session that begins with number %d has number %d", i, r.First, m.Seq)
		}
		if ids[m.ID] {
			return fmt.Errorf("message %q is there twice", m.ID)
		}
		ids[m.ID] = true
		tokens += m.Tokens
	}
	if tokens != r.Tokens {
		return fmt.Errorf("messages of %d tokens count as %d", tokens, r.Tokens)
	}
	return nil
}
