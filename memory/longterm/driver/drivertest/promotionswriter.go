package drivertest

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// promoted is a session with everything that was written to it.
type promoted struct {
	key      driver.Key
	messages []string          // contents, in the order of their ids
	memories map[string]string // texts by id
	entities map[string]string
}

// promotionOwners are the owners of the sessions. Several are the same if their parts are joined.
var promotionOwners = []driver.Key{
	{Namespace: "shop", UserID: "anna"}, {Namespace: "shop", UserID: "bert"}, {Namespace: "shopanna"}, {UserID: "shopanna"}, {Namespace: "shop\x00anna"},
}

// promotionWriter writes to sessions while it starts and kills processes.
type promotionWriter struct {
	p      *promotions
	number int
	random *rand.Rand
	mine   []*promoted
}

func (w *promotionWriter) run(ctx context.Context, lives int) error {
	for n := range lives {
		err := w.p.runProcess(ctx, w.random, func() error { return w.write(ctx, n) })
		if err != nil {
			return fmt.Errorf("process %d of %d: %w", n, w.number, err)
		}
	}
	return nil
}

// write creates a session, and writes to it and to earlier ones. All owners have sessions,
// messages and memories with the same ids.
func (w *promotionWriter) write(ctx context.Context, n int) error {
	key := promotionOwners[n%len(promotionOwners)]
	key.SessionID = fmt.Sprintf("session %d/%d", w.number, n/len(promotionOwners))
	made := &promoted{key: key, memories: map[string]string{}, entities: map[string]string{}}
	w.mine = append(w.mine, made)
	w.p.mu.Lock()
	w.p.sessions = append(w.p.sessions, made)
	w.p.mu.Unlock()
	for range 3 {
		s := w.mine[w.random.IntN(len(w.mine))]
		if err := errors.Join(w.say(ctx, made, 1+w.random.IntN(6)), w.say(ctx, s, 1), w.remember(ctx, made), w.remember(ctx, s)); err != nil {
			return err
		}
	}
	return nil
}

// textOf returns a text that begins with a unique word.
func textOf(key driver.Key, kind string, n int) string {
	return fmt.Sprintf("%s is %s %d of %s", word(), kind, n, key)
}

// word returns a unique word. It is lower-case, because random capitals may look like a key, and
// secrets are not extracted.
func word() string { return strings.ToLower(cryptorand.Text()) }

func (w *promotionWriter) say(ctx context.Context, s *promoted, n int) error {
	var messages []driver.Message
	for range n {
		content := textOf(s.key, "message", len(s.messages))
		messages = append(messages, driver.Message{ID: fmt.Sprint("m", len(s.messages)), Role: driver.RoleUser, Content: content})
		s.messages = append(s.messages, content)
	}
	_, err := w.p.manager.Append(ctx, s.key, messages, nil)
	return err
}

// remember adds a memory, and adds or renames an entity.
func (w *promotionWriter) remember(ctx context.Context, s *promoted) error {
	n := len(s.memories)
	id, text := fmt.Sprintf("%s memory %d", s.key.SessionID, n), textOf(s.key, "memory", n)
	entity, name := fmt.Sprintf("%s E%d", s.key.SessionID, w.random.IntN(3)), fmt.Sprint("name ", n)
	_, err := w.p.manager.UpdateHead(ctx, s.key, func(head *session.Session) error {
		head.Memories = append(head.Memories, driver.Record{ID: id, Text: text})
		return head.Entities.Add(memory.Entity{Type: "thing", ID: entity, Name: name})
	}, nil)
	s.memories[id], s.entities[entity] = text, fmt.Sprintf("thing %q (%s)", name, entity)
	return err
}
