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
