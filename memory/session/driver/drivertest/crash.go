package drivertest

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// RunCrashes kills processes that write, at random moments as kill -9 does. It fails unless
// everything acknowledged before is there afterwards: every message either in its session or,
// if it was summarised, in the summary; the head as last written; and all of it readable, so
// that the next process goes on. Sessions are summarised by their managers, synchronously and
// in the background, and by the processes themselves, in one write with other changes.
func RunCrashes(t *testing.T, address string, open Opener, times int) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const sessions = 4
	for i := range sessions {
		t.Run(fmt.Sprintf("session %d", i+1), func(t *testing.T) {
			t.Parallel()
			c := crashes{address: address, open: open, times: (times + i) / sessions, random: rand.New(rand.NewPCG(seed, uint64(i)))}
			require.NoError(t, c.run(t.Context()))
			if c.times >= 2*livesOfSession {
				require.Positive(t, c.summarised, "nothing was summarised: the test has not tested that")
			}
		})
	}
}

// crashes runs processes that are killed, one after the other.
type crashes struct {
	address string
	open    Opener
	times   int
	random  *rand.Rand
	// summarised counts the sessions that had a summary in the end.
	summarised int
}

// livesOfSession is the number of processes that write one session. It keeps sessions small.
const livesOfSession = 10

func (c *crashes) run(ctx context.Context) error {
	store, closeStore, err := c.open(c.address)
	if err != nil {
		return fmt.Errorf("opening the store: %w", err)
	}
	defer func() { _ = closeStore() }()
	manager, err := session.NewManager(store, withoutSummaries())
	if err != nil {
		return err
	}
	for n := 0; n < c.times; {
		w := newWitness()
		for range min(livesOfSession, c.times-n) {
			n++
			if err := errors.Join(c.live(ctx, n, w), w.check(ctx, store, manager)); err != nil {
				return fmt.Errorf("life %d: %w", n, err)
			}
		}
		if w.summarised {
			c.summarised++
		}
		if err := manager.Delete(ctx, w.key); err != nil {
			return err
		}
	}
	return nil
}

// live starts a process, kills it after a random number of lines, and records all its lines.
func (c *crashes) live(ctx context.Context, n int, w *witness) error {
	child, err := startChild(ctx, job{Address: c.address, Key: w.key, Life: &lifeJob{Number: n, Turn: w.began, Again: w.open()}})
	if err != nil {
		return err
	}
	defer func() { child.Kill(); _ = child.Reap() }()
	if err := child.Begin(); err != nil {
		return err
	}
	for said, last := 0, c.random.IntN(60); ; said++ {
		if said == last {
			child.Kill()
		}
		line, err := child.Hear()
		if errors.Is(err, io.EOF) && said >= last {
			return child.Buried()
		}
		if err == nil {
			err = w.note(line)
		}
		if err != nil {
			child.Kill()
			return errors.Join(err, child.End())
		}
	}
}

// witness records what was begun and acknowledged in a session.
type witness struct {
	key driver.Key
	// messages maps each id that was begun to whether it was acknowledged.
	messages map[string]bool
	// began and done are the last turns of the head begun and acknowledged.
	began, done int
	// pending are ids that were not acknowledged yet.
	pending []string
	// summarised reports whether there is a summary.
	summarised bool
}

func newWitness() *witness {
	return &witness{
		key:      driver.Key{Namespace: "crashes", UserID: "who is killed", SessionID: cryptorand.Text()},
		messages: make(map[string]bool),
	}
}

// open returns the ids of messages that were begun and not acknowledged.
func (w *witness) open() []string {
	var ids []string
	for _, id := range w.pending {
		if !w.messages[id] {
			ids = append(ids, id)
		}
	}
	w.pending = ids
	return ids
}

// Lines that a process writes before and after a write.
const (
	beginMessages, doneMessages = "appending", "appended"
	beginTurn, doneTurn         = "turning", "turned"
)

func (w *witness) note(line string) error {
	words := strings.Fields(line)
	switch {
	case len(words) > 1 && words[0] == beginMessages:
		for _, id := range words[1:] {
			w.messages[id] = w.messages[id] || false
			w.pending = append(w.pending, id)
		}
	case len(words) > 1 && words[0] == doneMessages:
		for _, id := range words[1:] {
			w.messages[id] = true
		}
	case len(words) == 2 && words[0] == beginTurn:
		return scan(words[1], &w.began)
	case len(words) == 2 && words[0] == doneTurn:
		return scan(words[1], &w.done)
	default:
		return fmt.Errorf("a process wrote %q", line)
	}
	return nil
}

func scan(word string, n *int) (err error) {
	*n, err = strconv.Atoi(word)
	return err
}

// check compares the session with the record.
func (w *witness) check(ctx context.Context, store driver.Store, manager *session.Manager) error {
	s, err := manager.Load(ctx, w.key, nil)
	if errors.Is(err, driver.ErrNotFound) && w.done == 0 && len(w.acknowledged()) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if err := checkRecord(ctx, store, w.key); err != nil {
		return err
	}
	if err := w.checkMessages(s); err != nil {
		return err
	}
	turn, err := turnOf(s)
	if err != nil {
		return err
	}
	if turn < w.done || turn > w.began {
		return fmt.Errorf("the head has turn %d; turn %d was acknowledged and %d begun", turn, w.done, w.began)
	}
	page, err := store.List(ctx, driver.ListOptions{SessionID: &w.key.SessionID, Limit: -1})
	if err != nil {
		return err
	}
	if page.Total != 1 || len(page.Keys) != 1 || page.Keys[0] != w.key {
		return fmt.Errorf("the list of sessions with its id has %d: %v", page.Total, page.Keys)
	}
	return checkDue(ctx, store, w.key)
}

// checkDue requires that a session is listed as due exactly if it is. The last request of a
// killed process may still be executed.
func checkDue(ctx context.Context, store driver.Store, key driver.Key) error {
	for range 100 {
		before, err := store.Load(ctx, key, 0)
		if err != nil {
			return err
		}
		keys, err := store.Due(ctx, longAfter, 1000)
		if err != nil {
			return err
		}
		after, err := store.Load(ctx, key, 0)
		if err != nil {
			return err
		}
		if !before.DueAt.Equal(after.DueAt) {
			continue
		}
		if due := !after.DueAt.IsZero(); due != slices.Contains(keys, key) {
			return fmt.Errorf("the session is due: %t; it is listed as due: %t", due, !due)
		}
		return nil
	}
	return errors.New("the session becomes due and not due without a writer")
}

func (w *witness) acknowledged() []string {
	var ids []string
	for id, done := range w.messages {
		if done {
			ids = append(ids, id)
		}
	}
	return ids
}

// checkMessages looks for each message in the session and in the summary.
func (w *witness) checkMessages(s *session.Session) error {
	w.summarised = s.Context != ""
	summarised := make(map[string]bool)
	for word := range strings.FieldsFuncSeq(s.Context, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		summarised[word] = true
	}
	for _, m := range s.Messages {
		if _, begun := w.messages[m.ID]; !begun {
			return fmt.Errorf("message %q was never written", m.ID)
		}
		if m.Content != contentOf(m.ID) {
			return fmt.Errorf("message %q is %q", m.ID, m.Content)
		}
		if summarised[m.ID] {
			return fmt.Errorf("message %q was summarised and is still there", m.ID)
		}
		summarised[m.ID] = true
	}
	for _, id := range w.acknowledged() {
		if !summarised[id] {
			return fmt.Errorf("message %q was acknowledged and is lost (of %d; the session has %d)", id, len(w.messages), len(s.Messages))
		}
	}
	return nil
}
