package sessiontest

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

func concurrencyFaults() []fault {
	return []fault{{
		"write looks, then writes", looksThenWrites,
		[]string{"made at once", "changed at once"},
	}, {
		"append writes the whole session", appendsWhole,
		[]string{"appended at once", "appends and drops"},
	}, {
		"append looks for ids, then adds", looksThenAdds,
		[]string{"the same ids at once"},
	}, {
		"write writes the head, then the messages", writesInTwo,
		[]string{"reads are whole"},
	}, {
		"append gives up when the session changes", givesUp,
		[]string{"appended and deleted at once"},
	}, {
		"a handle reads what it has read before", readsBefore,
		[]string{"handles see each other's writes"},
	}}
}

// letOthers lets the other clients go on.
func letOthers() {
	for range 100 {
		runtime.Gosched()
	}
}

func looksThenWrites(s session.Store, _ *clock) *broken {
	return &broken{Store: s, write: func(ctx context.Context, key session.Key, w session.Write) (session.Position, error) {
		r, err := s.Load(ctx, key, 0)
		if err != nil && w.If.Revision != 0 || err == nil && (w.If.Revision != r.Revision || w.If.Next != 0 && w.If.Next != r.Next) {
			return session.Position{}, session.ErrConflict
		}
		letOthers()
		for {
			w.If = session.Condition{}
			if r, err := s.Load(ctx, key, 0); err == nil {
				w.If = at(r.Position)
			}
			if p, err := s.Write(ctx, key, w); err == nil {
				return p, nil
			}
		}
	}}
}

func appendsWhole(s session.Store, _ *clock) *broken {
	return &broken{Store: s, append: func(ctx context.Context, key session.Key, a session.Append) (session.Position, int, error) {
		r, err := s.Load(ctx, key, -1)
		if err == nil {
			a.Messages = slices.Concat(r.Messages, a.Messages)
		}
		letOthers()
		_ = s.Delete(ctx, key, nil)
		p, added, err := s.Append(ctx, key, a)
		if r != nil {
			added -= len(r.Messages)
		}
		return p, added, err
	}}
}

func looksThenAdds(s session.Store, _ *clock) *broken {
	b := idsAgain(s, nil)
	load, add := b.load, b.append
	b.append = func(ctx context.Context, key session.Key, a session.Append) (session.Position, int, error) {
		if r, err := load(ctx, key, -1); err == nil {
			there := idsOf(r.Messages)
			a.Messages = slices.DeleteFunc(slices.Clone(a.Messages), func(m session.StoredMessage) bool { return slices.Contains(there, m.ID) })
		}
		letOthers()
		return add(ctx, key, a)
	}
	return b
}

func writesInTwo(s session.Store, _ *clock) *broken {
	return &broken{Store: s, write: func(ctx context.Context, key session.Key, w session.Write) (session.Position, error) {
		messages := w.Messages
		w.Messages = nil
		p, err := s.Write(ctx, key, w)
		if err != nil {
			return p, err
		}
		letOthers()
		p, _, err = s.Append(ctx, key, session.Append{Messages: messages, Head: []byte(fmt.Sprint(len(messages))), Format: w.Format, Now: w.Now})
		return p, err
	}}
}

func givesUp(s session.Store, _ *clock) *broken {
	return &broken{Store: s, append: func(ctx context.Context, key session.Key, a session.Append) (session.Position, int, error) {
		var where session.Condition
		r, err := s.Load(ctx, key, 0)
		if err == nil {
			where = at(r.Position)
		}
		letOthers()
		p, err := s.Write(ctx, key, session.Write{If: where, Head: a.Head, Messages: a.Messages, Format: a.Format, Now: a.Now})
		return p, len(a.Messages), err
	}}
}

// readsBefore keeps what it has read until it writes.
func readsBefore(s session.Store, c *clock) *broken {
	read := map[session.Key]*session.Record{}
	return &broken{
		Store:   s,
		another: func() *broken { return readsBefore(s, c) },
		load: func(ctx context.Context, key session.Key, last int) (*session.Record, error) {
			if r := read[key]; r != nil {
				return r, nil
			}
			r, err := s.Load(ctx, key, last)
			if err == nil {
				read[key] = r
			}
			return r, err
		},
		append: func(ctx context.Context, key session.Key, a session.Append) (session.Position, int, error) {
			delete(read, key)
			return s.Append(ctx, key, a)
		},
	}
}
