package promote

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
)

// errNothingKept is returned if a LongTerm neither kept nor refused its input.
var errNothingKept = errors.New("session: long-term memory kept nothing and returned no error")

// keepBatch hands over the next memories and messages, and commits the progress in one write.
// did is false if there are none.
func (r *run) keepBatch(ctx context.Context) (did bool, err error) {
	req := driver.PromoteRequest{Key: r.key, CreatedAt: r.head.CreatedAt, Now: r.j.Now()}
	var memories []driver.Record
	if !r.leaving {
		memories = r.pending(r.head, r.j.Batch)
		req.Memories = owned(r.key, memories)
	}
	was := r.head.Promotion.Kept
	r.unkept = head.From(r.unkept, was)
	req.Messages = head.Clone(r.unkept[:min(len(r.unkept), r.j.Batch)])
	r.head.Promotion.Mark(req.Messages)
	if len(memories) == 0 && len(req.Messages) == 0 {
		return false, nil
	}
	messages := req.Messages[:len(req.Messages):len(req.Messages)]
	if len(messages) > 0 {
		r.keeping = r.head
	}
	var result driver.PromoteResult
	failed := r.j.call(ctx, "promoting", func(ctx context.Context) (err error) {
		result, err = r.j.LongTerm.Promote(ctx, req)
		return err
	})
	messages = messages[:min(max(result.Messages, 0), len(messages))]
	done := r.settleRecords(result, memories)
	if done == 0 && len(messages) == 0 {
		if failed == nil {
			failed = errNothingKept
		}
		return false, failed
	}
	if err := r.commitKept(ctx, was, result, memories, messages); err != nil {
		return false, err
	}
	r.unkept = r.unkept[len(messages):]
	return true, failed
}

// owned fills in the owner of memories.
func owned(key driver.Key, memories []driver.Record) []driver.Record {
	memories = slices.Clone(memories)
	for i := range memories {
		m := &memories[i]
		m.Namespace = cmp.Or(m.Namespace, key.Namespace)
		m.UserID = cmp.Or(m.UserID, key.UserID)
		m.SessionID = cmp.Or(m.SessionID, key.SessionID)
	}
	return memories
}

// settleRecords notes which memories were refused, and returns how many were kept or refused.
func (r *run) settleRecords(result driver.PromoteResult, memories []driver.Record) (done int) {
	for i := range memories {
		switch id := memories[i].ID; {
		case slices.Contains(result.Memories, id):
			done++
		case slices.Contains(result.Refused, id):
			r.refused[valueOf(&memories[i])] = true
			r.outcome.Refused++
			done++
		}
	}
	return done
}

// commitKept commits what was kept. A memory that was changed concurrently stays pending.
func (r *run) commitKept(ctx context.Context, was uint64, result driver.PromoteResult, memories []driver.Record, messages []driver.Message) error {
	kept := make(map[string]bool, len(result.Memories))
	for i := range memories {
		if slices.Contains(result.Memories, memories[i].ID) {
			kept[valueOf(&memories[i])] = true
		}
	}
	var marked, moved int
	err := r.rewrite(ctx, func(h *head.Head, w *driver.Write) error {
		marked, moved = 0, 0
		if err := r.renew(h, w); err != nil {
			return err
		}
		now := r.j.Now().Truncate(time.Millisecond)
		for i := range h.Memories {
			if m := &h.Memories[i]; isPending(*m) && len(kept) > 0 && kept[valueOf(m)] {
				m.PersistedAt = now
				marked++
			}
		}
		if pr := &h.Promotion; len(messages) > 0 && pr.Kept == was {
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
