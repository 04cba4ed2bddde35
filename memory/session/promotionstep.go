package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/oklog/ulid/v2"
)

// keptExtracted is how many of the memories that were extracted stay in their session
// when they are in long-term memory: a long conversation must not grow a head without
// end. What clients put there stays.
const keptExtracted = 256

// extract has memories extracted from the next messages, and from the entities if they
// changed. It commits them and how far it came in one write. did is false if there is
// nothing to extract from. If it fails, the rest of a promotion goes on.
func (r *promotionRun) extract(ctx context.Context) (did bool, err error) {
	wants, err := r.p.wants(r.head.Strategy)
	if err != nil || r.failed != nil && !r.leaving {
		return false, err
	}
	was := r.head.from.progress
	r.unextracted = behindMark(r.unextracted, was.Extracted)
	chunk := r.unextracted[:min(len(r.unextracted), r.p.Batch)]
	entities := was.Entities
	if wants.Entities && !r.leaving {
		entities = hashOfEntities(r.head.Entities)
	}
	if len(chunk) == 0 && entities == was.Entities {
		return false, nil
	}
	found, err := r.found(ctx, chunk, entities != was.Entities)
	if err == nil {
		err = r.commitExtracted(ctx, was, found, chunk, entities)
	}
	if err == nil {
		r.unextracted = r.unextracted[len(chunk):]
		return true, nil
	}
	if r.leaving || ctx.Err() != nil || errors.Is(err, errOutrun) || errors.Is(err, ErrBusy) || errors.Is(err, ErrNotFound) {
		return false, err
	}
	r.failed = err
	return true, nil
}

// behindMark leaves out what another has dealt with, as the head that was last read says.
func behindMark(messages []Message, mark uint64) []Message {
	for len(messages) > 0 && messages[0].Seq < mark {
		messages = messages[1:]
	}
	return messages
}

// found asks for the memories. Messages that say they were extracted from are left out.
func (r *promotionRun) found(ctx context.Context, chunk []Message, entities bool) (found []Memory, err error) {
	e := Extraction{Key: r.key, Strategy: r.head.Strategy, Known: slices.Clone(r.head.Memories), Now: r.p.m.now()}
	for _, m := range cloneMessages(chunk) {
		if !m.Extracted {
			e.Messages = append(e.Messages, m)
		}
	}
	if entities {
		e.Entities = r.head.Entities.Recent(r.head.Entities.Len())
	}
	if len(e.Messages) == 0 && len(e.Entities) == 0 {
		return nil, nil
	}
	err = r.p.call(ctx, "extracting memories", func(ctx context.Context) (err error) {
		found, err = r.p.longTerm.Extract(ctx, e)
		return err
	})
	return found, err
}

// commitExtracted adds memories to the head and moves the marks. errOutrun: another
// moved them, and what was found is dropped.
func (r *promotionRun) commitExtracted(ctx context.Context, was progress, found []Memory, chunk []Message, entities string) error {
	added := 0
	err := r.rewrite(ctx, func(head *Session, w *Write) error {
		if err := r.holds(head, w); err != nil {
			return err
		}
		pr := &head.from.progress
		if pr.Extracted != was.Extracted || pr.Entities != was.Entities {
			return errOutrun
		}
		if len(chunk) > 0 {
			pr.Extracted = chunk[len(chunk)-1].Seq + 1
		}
		pr.Entities = entities
		added = head.add(found, r.p.m.now())
		if w.Due == nil && head.from.at.DueAt.IsZero() && added > 0 {
			w.Due = new(r.p.m.now())
		}
		return nil
	})
	if err == nil {
		r.outcome.Extracted += added
	}
	return err
}

// add adds memories that are to be promoted, each id once, and returns how many were
// added. One with a later UpdatedAt replaces that of its id: what it says has changed.
func (s *Session) add(found []Memory, now time.Time) (added int) {
	known := make(map[string]time.Time, len(s.Memories)) // when they were updated
	for i := range s.Memories {
		known[s.Memories[i].ID] = s.Memories[i].UpdatedAt
	}
	for _, m := range found {
		if m.ID == "" {
			m.ID = ulid.Make().String()
		}
		updated, there := known[m.ID]
		if there && !m.UpdatedAt.After(updated) {
			continue
		}
		if there {
			s.Memories = slices.DeleteFunc(s.Memories, func(k Memory) bool { return k.ID == m.ID })
		}
		known[m.ID] = m.UpdatedAt
		m.PersistedAt = time.Time{}
		if m.CreatedAt.IsZero() {
			m.CreatedAt = now
		}
		s.Memories = append(s.Memories, m)
		added++
	}
	s.forgetExtracted()
	return added
}

// forgetExtracted takes memories out that were extracted and promoted, but for the last
// ones.
func (s *Session) forgetExtracted() {
	promoted := func(m Memory) bool { return m.ExtractionStrategy != "" && !isPending(m) }
	tooMany := -keptExtracted
	for i := range s.Memories {
		if promoted(s.Memories[i]) {
			tooMany++
		}
	}
	s.Memories = slices.DeleteFunc(s.Memories, func(m Memory) bool {
		if tooMany <= 0 || !promoted(m) {
			return false
		}
		tooMany--
		return true
	})
}

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
	r.kept = r.kept || len(messages) > 0
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
	if err == nil && len(messages) > 0 && moved == 0 {
		return errOutrun
	}
	return err
}

// valueOf is a memory as text: the same for those that are equal.
func valueOf(m *Memory) string {
	data, err := json.Marshal(m, json.Deterministic(true), numbersOut())
	if err != nil { // none that can be written
		return m.ID
	}
	return string(data)
}
