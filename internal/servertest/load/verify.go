package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// losses counts the differences between what was acknowledged and what the server has.
type losses struct {
	mu                        sync.Mutex
	missing, changed, doubled int
	unread                    int // sessions
	first                     string
}

func (l *losses) any() bool { return l.missing+l.changed+l.doubled+l.unread > 0 }

// note counts a loss and keeps the first as an example.
func (l *losses) note(n *int, example string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*n++
	if l.first == "" {
		l.first = example
	}
}

// verify reads all sessions back and reports whether anything is lost.
func (r *loadRun) verify(ctx context.Context, w io.Writer) bool {
	bySession := make([][]message, r.sessions)
	for _, m := range r.total.acknowledged {
		bySession[m.session] = append(bySession[m.session], m)
	}
	var l losses
	r.each(func(n int) {
		if len(bySession[n]) == 0 {
			return
		}
		s, err := r.read(ctx, r.session(n))
		if err != nil {
			l.note(&l.unread, r.session(n)+": "+kind(err))
			return
		}
		r.compare(s, bySession[n], &l)
	})
	printLine(w, "read back: %d messages missing, %d changed, %d duplicated, %d sessions unreadable", l.missing, l.changed, l.doubled, l.unread)
	if l.any() {
		printLine(w, "the first: %s", l.first)
	}
	return l.any()
}

// compare counts the missing, changed and duplicated messages of a session.
func (r *loadRun) compare(s *wire.Session, acknowledged []message, l *losses) {
	contents := make(map[string]string, len(s.Messages))
	for _, m := range s.Messages {
		if _, ok := contents[m.ID]; ok {
			l.note(&l.doubled, s.SessionID+": "+m.ID)
		}
		contents[m.ID] = m.Content
	}
	for _, m := range acknowledged {
		content, ok := contents[m.id()]
		switch {
		case !ok:
			l.note(&l.missing, s.SessionID+": "+m.id())
		case content != m.content(r.bytes):
			l.note(&l.changed, s.SessionID+": "+m.id())
		}
	}
}

// read reads a session, with retries because a restarted server may need time.
func (r *loadRun) read(ctx context.Context, id string) (s *wire.Session, err error) {
	for try := range tries {
		s, err = r.client.Session(ctx, id, nil)
		if err == nil || errors.Is(err, client.ErrNotFound) {
			if err != nil {
				return &wire.Session{SessionID: id}, nil // all messages are missing
			}
			return s, nil
		}
		time.Sleep(min(50*time.Millisecond<<try, time.Second))
	}
	return nil, err
}

// remove deletes the sessions of the run, ignoring errors.
func (r *loadRun) remove(ctx context.Context) {
	r.each(func(n int) { _ = r.client.DeleteSession(ctx, r.session(n), nil) })
}

// each calls do for each session, from as many goroutines as there are clients.
func (r *loadRun) each(do func(n int)) {
	var all sync.WaitGroup
	for first := range min(r.clients, r.sessions) {
		all.Go(func() {
			for n := first; n < r.sessions; n += r.clients {
				do(n)
			}
		})
	}
	all.Wait()
}
