package sessiontest

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// lifeJob is what a process does that is going to be killed: it writes without end,
// and says so before and after each write.
type lifeJob struct {
	// Name is what the ids of the life's messages begin with.
	Name string
	// Turn is the last turn of the head that was begun before.
	Turn int
	// Again are messages to append that were begun in another life.
	Again []string
}

// crashWindow is a context window, in tokens, that some 40 messages fill.
const crashWindow = 4000

// keptMessages is how many messages the process leaves in the session when it
// summarises.
const keptMessages = 8

func (j *lifeJob) do(store session.Store, key session.Key) error {
	manager, err := crashManager(store)
	if err != nil {
		return err
	}
	ctx := context.Background()
	failed := make(chan error)
	go func() { failed <- j.converse(ctx, manager, key) }()
	go func() { failed <- j.turn(ctx, manager, key) }()
	return <-failed // neither ends otherwise
}

// converse appends messages, one to three at a time, first those that are to be
// appended again.
func (j *lifeJob) converse(ctx context.Context, manager *session.Manager, key session.Key) error {
	ids := j.Again
	for n := 0; ; {
		if len(ids) > 0 {
			say(append([]string{beginMessages}, ids...)...)
			if _, err := manager.Append(ctx, key, messagesOf(ids), nil); err != nil {
				return err
			}
			say(append([]string{doneMessages}, ids...)...)
		}
		ids = nil
		for range n%3 + 1 {
			n++
			ids = append(ids, j.Name+"-"+strconv.Itoa(n))
		}
	}
}

func messagesOf(ids []string) []session.Message {
	messages := make([]session.Message, len(ids))
	for i, id := range ids {
		messages[i] = session.Message{ID: id, Role: session.RoleUser, Content: contentOf(id)}
	}
	return messages
}

// contentOf is the text of a message: long enough that some fill a window, with
// nothing in it that a summary must keep but its id.
func contentOf(id string) string {
	return "This is about " + id + " and nothing else." + strings.Repeat(" So it goes on and on.", 15)
}

// turn changes the head, and every third time summarises in the same write.
func (j *lifeJob) turn(ctx context.Context, manager *session.Manager, key session.Key) error {
	for turn := j.Turn + 1; ; turn++ {
		say(beginTurn, strconv.Itoa(turn))
		set := func(s *session.Session) error {
			s.Data = map[string]any{"turn": turn, "ballast": strings.Repeat("much ", 400)}
			return nil
		}
		var err error
		if turn%3 == 0 {
			_, err = manager.Update(ctx, key, func(s *session.Session) error { summarise(s); return set(s) }, nil)
		} else {
			_, err = manager.UpdateHead(ctx, key, set, nil)
		}
		if err != nil {
			return err
		}
		say(doneTurn, strconv.Itoa(turn))
	}
}

// summarise moves the ids of all but the last messages into the summary.
func summarise(s *session.Session) {
	leave := max(len(s.Messages)-keptMessages, 0)
	for _, m := range s.Messages[:leave] {
		s.Context += m.ID + " "
	}
	s.Messages = s.Messages[leave:]
}

// turnOf is the turn that the head is of, 0 if it is of none.
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
