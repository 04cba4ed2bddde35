package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/go-workingmemory/workingmemory/internal/jsonnumbers"
)

// errNothingKept says that a LongTerm did nothing with what it got.
var errNothingKept = errors.New("session: long-term memory kept nothing, and said nothing of it")

// keep has the next memories and messages kept, and notes that in one write. did is
// false if there are none.
func (r *promotionRun) keep(ctx context.Context) (did bool, err error) {
	p := Promotion{Key: r.key, CreatedAt: r.head.CreatedAt, Now: r.p.m.now()}
	var memories []Memory
	if !r.leaving {
		memories = r.pending(r.head, r.p.Batch)
		p.Memories = owned(r.key, memories)
	}
	was := r.head.from.progress.Kept
	r.unkept = behindMark(r.unkept, was)
	p.Messages = cloneMessages(r.unkept[:min(len(r.unkept), r.p.Batch)])
	r.head.from.progress.mark(p.Messages)
	if len(memories) == 0 && len(p.Messages) == 0 {
		return false, nil
	}
	messages := p.Messages[:len(p.Messages):len(p.Messages)]
	if len(messages) > 0 {
		r.keeping = r.head
	}
	var promoted Promoted
	failed := r.p.call(ctx, "promoting", func(ctx context.Context) (err error) {
		promoted, err = r.p.longTerm.Promote(ctx, p)
		return err
	})
	messages = messages[:min(max(promoted.Messages, 0), len(messages))]
	done := r.settle(promoted, memories)
	if done == 0 && len(messages) == 0 {
		if failed == nil {
			failed = errNothingKept
		}
		return false, failed
	}
	if err := r.commitKept(ctx, was, promoted, memories, messages); err != nil {
		return false, err
	}
	r.unkept = r.unkept[len(messages):]
	return true, failed
}

// pending returns the first memories that are to be promoted, without those that were
// refused as they are.
func (r *promotionRun) pending(head *Session, limit int) []Memory {
	var pending []Memory
	for _, m := range head.Memories {
		if len(pending) == limit {
			break
		}
		if isPending(m) && (len(r.refused) == 0 || !r.refused[valueOf(&m)]) {
			pending = append(pending, m)
		}
	}
	return pending
}

// owned fills in whose memories are.
func owned(key Key, memories []Memory) []Memory {
	memories = slices.Clone(memories)
	for i := range memories {
		m := &memories[i]
		for _, part := range []struct{ has, is *string }{{&m.Namespace, &key.Namespace}, {&m.UserID, &key.UserID}, {&m.SessionID, &key.SessionID}} {
			if *part.has == "" {
				*part.has = *part.is
			}
		}
	}
	return memories
}

// settle notes which memories were refused, and returns of how many it is known what
// became of them.
func (r *promotionRun) settle(promoted Promoted, memories []Memory) (done int) {
	for i := range memories {
		switch id := memories[i].ID; {
		case slices.Contains(promoted.Memories, id):
			done++
		case slices.Contains(promoted.Refused, id):
			r.refused[valueOf(&memories[i])] = true
			r.outcome.Refused++
			done++
		}
	}
	return done
}

// commitKept notes what was kept. A memory that was changed meanwhile is promoted again.
func (r *promotionRun) commitKept(ctx context.Context, was uint64, promoted Promoted, memories []Memory, messages []Message) error {
	kept := make(map[string]bool, len(promoted.Memories))
	for i := range memories {
		if slices.Contains(promoted.Memories, memories[i].ID) {
			kept[valueOf(&memories[i])] = true
		}
	}
	var marked, moved int
	err := r.rewrite(ctx, func(head *Session, w *Write) error {
		marked, moved = 0, 0
		if err := r.holds(head, w); err != nil {
			return err
		}
		now := r.p.m.now().Truncate(time.Millisecond)
		for i := range head.Memories {
			if m := &head.Memories[i]; isPending(*m) && len(kept) > 0 && kept[valueOf(m)] {
				m.PersistedAt = now
				marked++
			}
		}
		if pr := &head.from.progress; len(messages) > 0 && pr.Kept == was {
			pr.Kept, pr.KeptAt = messages[len(messages)-1].Seq+1, now
			moved = len(messages)
		}
		return nil
	})
	r.outcome.Memories += marked
	r.outcome.Messages += moved
	if err == nil {
		r.keeping = nil
	}
	if err == nil && len(messages) > 0 && moved == 0 {
		return errOutrun
	}
	return err
}

// valueOf is a memory as text: the same for those that are equal.
func valueOf(m *Memory) string {
	data, err := json.Marshal(m, json.Deterministic(true), jsonnumbers.Out())
	if err != nil { // none that can be written
		return m.ID
	}
	return string(data)
}
