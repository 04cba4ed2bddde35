package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/internal/callee"
)

// keptExtracted is how many of the memories that were extracted stay in their session
// when they are in long-term memory: a long conversation must not grow a head without
// end. What clients put there stays.
const keptExtracted = 256

// extractEntities has memories extracted from the entities if they changed: in a step of
// its own, which needs no model.
func (r *promotionRun) extractEntities(ctx context.Context) error {
	wants, err := r.p.wants(r.head.Strategy)
	if err != nil || !wants.Entities {
		return err
	}
	entities := hashOfEntities(r.head.Entities)
	if entities == r.head.from.progress.Entities {
		return nil
	}
	_, err = r.extractFrom(ctx, nil, entities)
	return err
}

// extract has memories extracted from the next messages. did is false if there are none.
func (r *promotionRun) extract(ctx context.Context) (did bool, err error) {
	was := r.head.from.progress
	r.unextracted = behindMark(r.unextracted, was.Extracted)
	if r.batch == 0 { // smaller after each failure: it may be one message that fails
		r.batch = max(1, r.p.Batch>>min(was.Failures, maxBackoff+1))
	}
	chunk := r.unextracted[:min(len(r.unextracted), r.batch)]
	if len(chunk) == 0 {
		return false, nil
	}
	committed, err := r.extractFrom(ctx, chunk, was.Entities)
	if committed {
		r.batch = min(2*r.batch, r.p.Batch)
	} else {
		r.unextracted = nil
	}
	return true, err
}

// extractFrom has memories extracted, and commits them and how far it came in one write.
// If it fails, it says so in r.failed, and the rest of a promotion goes on.
func (r *promotionRun) extractFrom(ctx context.Context, chunk []Message, entities string) (committed bool, err error) {
	was := r.head.from.progress
	found, err := r.found(ctx, chunk, entities != was.Entities)
	if err != nil && len(chunk) == 1 && len(r.unextracted) > 1 && was.Failures > maxBackoff {
		found, chunk, err = r.passOver(ctx, err)
	}
	if err == nil {
		err = r.commitExtracted(ctx, was, found, chunk, entities)
	}
	if err == nil {
		return true, nil
	}
	if r.leaving || ctx.Err() != nil || errors.Is(err, errOutrun) || isOurs(err, ErrBusy) || isOurs(err, ErrNotFound) {
		return false, err
	}
	r.failed = err
	return false, nil
}

// passOver looks whether it is the next message that nothing can be extracted from, after
// trying for long, or all: the one behind it is tried, and it once more.
func (r *promotionRun) passOver(ctx context.Context, failed error) (found []Memory, chunk []Message, err error) {
	if found, err = r.found(ctx, r.unextracted[1:2], false); err != nil {
		return nil, nil, failed
	}
	if again, err := r.found(ctx, r.unextracted[:1], false); err == nil {
		return again, r.unextracted[:1], nil
	}
	r.p.m.opts.Logger.WarnContext(ctx, "session: a message was passed over, from which no memories can be extracted",
		"session", r.key.Short(), "number", r.unextracted[0].Seq, "error", callee.Loggable(failed))
	return found, r.unextracted[:2], nil
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
