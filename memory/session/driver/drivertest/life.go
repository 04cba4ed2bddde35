package drivertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/conformance/child"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// lifeJob is the job of a process that will be killed: it writes without end, and reports each
// write before and after it.
type lifeJob struct {
	// Number is the number of the life. It is part of the ids of its messages, the hours that
	// its clock is ahead, and determines how it summarises.
	Number int
	// Turn is the last turn of the head begun before.
	Turn int
	// Again are messages begun in another life, to append again.
	Again []string
}

// crashWindow is a context window in tokens. It is so large that all identifiers of a session
// fit behind its summary; some 40 messages fill it.
const crashWindow = 12_000

// keptMessages is the number of messages that a process keeps when it summarises by itself.
const keptMessages = 8

func (j *lifeJob) do(store driver.Store, key driver.Key) error {
	failed := make(chan error)
	manager, err := j.manager(store, failed)
	if err != nil {
		return err
	}
	ctx := context.Background()
	go func() { failed <- j.converse(ctx, manager, key) }()
	go func() { failed <- j.turn(ctx, manager, key) }()
	go func() { failed <- fallDue(ctx, store, key) }()
	return <-failed // no goroutine ends without a failure
}

// manager returns a manager that summarises in the write, in the background or not at all, and
// reports failures.
func (j *lifeJob) manager(store driver.Store, failed chan<- error) (*session.Manager, error) {
	return session.NewManager(store, &session.Options{
		Window: crashWindow,
		Now: func() time.Time { // leases of earlier lives have expired
			return time.Now().Add(time.Duration(j.Number) * time.Hour)
		},
		Summaries: summary.Options{
			Mode: j.mode(),
			OnSummary: func(_ driver.Key, outcome summary.Outcome) {
				switch {
				case outcome.Err != nil:
					failed <- fmt.Errorf("a summary failed: %w", outcome.Err)
				case outcome.Lost > 0:
					failed <- fmt.Errorf("%d identifiers do not fit behind a summary: the test has too many", outcome.Lost)
				}
			},
		},
	})
}

func (j *lifeJob) mode() summary.Mode {
	return []summary.Mode{summary.Off, summary.Sync, summary.InBackground}[j.Number%3]
}

// converse appends messages, one to three at a time, beginning with those to append again.
func (j *lifeJob) converse(ctx context.Context, manager *session.Manager, key driver.Key) error {
	ids := j.Again
	for n := 0; ; {
		if len(ids) > 0 {
			child.Say(append([]string{beginMessages}, ids...)...)
			if _, err := manager.Append(ctx, key, messagesOf(ids), nil); err != nil {
				return err
			}
			child.Say(append([]string{doneMessages}, ids...)...)
		}
		ids = nil
		for range n%3 + 1 {
			n++
			ids = append(ids, "life"+strconv.Itoa(j.Number)+"-"+strconv.Itoa(n))
		}
	}
}

func messagesOf(ids []string) []driver.Message {
	messages := make([]driver.Message, len(ids))
	for i, id := range ids {
		messages[i] = driver.Message{ID: id, Role: driver.RoleUser, Content: contentOf(id)}
	}
	return messages
}

// contentOf returns the text of a message: long enough that some fill a window, with no
// identifier but its id.
func contentOf(id string) string {
	return "This is about " + id + " and nothing else." + strings.Repeat(" So it goes on and on.", 50)
}

// turn changes the head. If the manager does not summarise, every third turn does so, in the
// same write.
func (j *lifeJob) turn(ctx context.Context, manager *session.Manager, key driver.Key) error {
	for turn := j.Turn + 1; ; turn++ {
		child.Say(beginTurn, strconv.Itoa(turn))
		set := func(s *session.Session) error {
			s.Data = map[string]any{"turn": turn, "ballast": strings.Repeat("much ", 400)}
			return nil
		}
		var err error
		if turn%3 == 0 && j.mode() == summary.Off {
			_, err = manager.Update(ctx, key, func(s *session.Session) error { summarise(s); return set(s) }, nil)
		} else {
			_, err = manager.UpdateHead(ctx, key, set, nil)
		}
		if err != nil {
			return err
		}
		child.Say(doneTurn, strconv.Itoa(turn))
	}
}

// fallDue makes an existing session due and not due in turn.
func fallDue(ctx context.Context, store driver.Store, key driver.Key) error {
	for ; ; time.Sleep(time.Millisecond) {
		r, err := store.Load(ctx, key, 0)
		switch {
		case errors.Is(err, driver.ErrNotFound):
			continue
		case err != nil:
			return err
		case r.DueAt.IsZero():
			_, _, err = store.Append(ctx, key, driver.Append{Head: r.Head, Format: r.Format, Now: r.UpdatedAt, Due: time.Now()})
		default:
			_, err = store.Write(ctx, key, driver.Write{
				If: driver.Condition{Revision: r.Revision}, Head: r.Head, Format: r.Format, Now: r.UpdatedAt, Due: new(time.Time{}),
			})
		}
		if err != nil && !errors.Is(err, driver.ErrConflict) {
			return err
		}
	}
}

// summarise moves the ids of all but the last messages into the summary, before the text of a
// manager.
func summarise(s *session.Session) {
	leave := max(len(s.Messages)-keptMessages, 0)
	var ids strings.Builder
	for _, m := range s.Messages[:leave] {
		ids.WriteString(m.ID + " ")
	}
	s.Context = ids.String() + s.Context
	s.Messages = s.Messages[leave:]
}

// turnOf returns the turn of the head, 0 if it has none.
func turnOf(s *session.Session) (int, error) {
	switch turn := s.Data["turn"].(type) {
	case nil:
		return 0, nil
	case json.Number:
		return strconv.Atoi(turn.String())
	default:
		return 0, fmt.Errorf("turn %v of type %T", turn, turn)
	}
}
