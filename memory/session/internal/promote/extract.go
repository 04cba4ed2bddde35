package promote

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/head"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
)

// keptExtracted is the number of extracted memories that stay in a session after they were
// promoted. Without a limit, a long conversation would grow its head without bound. Memories
// of clients stay.
const keptExtracted = 256

// extractEntities extracts memories from the entities if they changed. It is a separate step
// as it needs no model.
func (r *run) extractEntities(ctx context.Context) error {
	wants, err := r.j.wants(r.head.Strategy)
	if err != nil || !wants.Entities {
		return err
	}
	entities := head.DigestEntities(r.head.Entities)
	if entities == r.head.Promotion.Entities {
		return nil
	}
	_, err = r.extractFrom(ctx, nil, entities)
	return err
}

// extract extracts memories from the next messages. did is false if there are none.
func (r *run) extract(ctx context.Context) (did bool, err error) {
	was := r.head.Promotion
	r.unextracted = head.From(r.unextracted, was.Extracted)
	if r.batch == 0 { // smaller after each failure: a single message may be the cause
		r.batch = max(1, r.j.Batch>>min(was.Failures, maxBackoff+1))
	}
	chunk := r.unextracted[:min(len(r.unextracted), r.batch)]
	if len(chunk) == 0 {
		return false, nil
	}
	committed, err := r.extractFrom(ctx, chunk, was.Entities)
	if committed {
		r.batch = min(2*r.batch, r.j.Batch)
	} else {
		r.unextracted = nil
	}
	return true, err
}

// extractFrom extracts memories, and commits them and the progress in one write. It notes a
// failure in r.failed, and the rest of the promotion goes on.
func (r *run) extractFrom(ctx context.Context, chunk []driver.Message, entities string) (committed bool, err error) {
	was := r.head.Promotion
	found, err := r.extractRecords(ctx, chunk, entities != was.Entities)
	if err != nil && len(chunk) == 1 && len(r.unextracted) > 1 && was.Failures > maxBackoff {
		found, chunk, err = r.passOver(ctx, err)
	}
	if err == nil {
		err = r.commitExtracted(ctx, was, found, chunk, entities)
	}
	if err == nil {
		return true, nil
	}
	if r.leaving || ctx.Err() != nil || errors.Is(err, errOutrun) || isOurs(err, promotion.ErrBusy) || isOurs(err, driver.ErrNotFound) {
		return false, err
	}
	r.failed = err
	return false, nil
}

// passOver checks, after many failures, whether only the next message fails: it tries the
// message after it, and then the next one again.
func (r *run) passOver(ctx context.Context, failed error) (found []driver.Record, chunk []driver.Message, err error) {
	if found, err = r.extractRecords(ctx, r.unextracted[1:2], false); err != nil {
		return nil, nil, failed
	}
	if again, err := r.extractRecords(ctx, r.unextracted[:1], false); err == nil {
		return again, r.unextracted[:1], nil
	}
	r.j.Logger.WarnContext(ctx, "session: skipped a message from which no memories can be extracted",
		"session", r.key.Short(), "number", r.unextracted[0].Seq, "error", callee.Loggable(failed))
	return found, r.unextracted[:2], nil
}

// extractRecords calls LongTerm.Extract. It omits messages that are marked as extracted.
func (r *run) extractRecords(ctx context.Context, chunk []driver.Message, entities bool) (found []driver.Record, err error) {
	e := driver.ExtractRequest{Key: r.key, Strategy: r.head.Strategy, Known: slices.Clone(r.head.Memories), Now: r.j.Now()}
	for _, m := range head.Clone(chunk) {
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
	err = r.j.call(ctx, "extracting memories", func(ctx context.Context) (err error) {
		found, err = r.j.LongTerm.Extract(ctx, e)
		return err
	})
	return found, err
}

// commitExtracted adds memories to the head and moves the marks. It returns errOutrun, and
// drops the memories, if another worker moved the marks.
func (r *run) commitExtracted(ctx context.Context, was head.Promotion, found []driver.Record, chunk []driver.Message, entities string) error {
	added := 0
	err := r.rewrite(ctx, func(h *head.Head, w *driver.Write) error {
		if err := r.renew(h, w); err != nil {
			return err
		}
		pr := &h.Promotion
		if pr.Extracted != was.Extracted || pr.Entities != was.Entities {
			return errOutrun
		}
		if len(chunk) > 0 {
			pr.Extracted = chunk[len(chunk)-1].Seq + 1
		}
		pr.Entities = entities
		added = add(h, found, r.j.Now())
		if w.Due == nil && h.At.DueAt.IsZero() && added > 0 {
			w.Due = new(r.j.Now())
		}
		return nil
	})
	if err == nil {
		r.outcome.Extracted += added
	}
	return err
}

// add adds memories to a head, each id once, and returns the number of those added. One with
// a later UpdatedAt replaces the memory with its id.
func add(h *head.Head, found []driver.Record, now time.Time) (added int) {
	known := make(map[string]time.Time, len(h.Memories)) // to UpdatedAt
	for i := range h.Memories {
		known[h.Memories[i].ID] = h.Memories[i].UpdatedAt
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
			h.Memories = slices.DeleteFunc(h.Memories, func(k driver.Record) bool { return k.ID == m.ID })
		}
		known[m.ID] = m.UpdatedAt
		m.PersistedAt = time.Time{}
		if m.CreatedAt.IsZero() {
			m.CreatedAt = now
		}
		h.Memories = append(h.Memories, m)
		added++
	}
	forgetExtracted(h)
	return added
}

// forgetExtracted removes memories that were extracted and promoted, except for the last.
func forgetExtracted(h *head.Head) {
	promoted := func(m driver.Record) bool { return m.ExtractionStrategy != "" && !isPending(m) }
	tooMany := -keptExtracted
	for i := range h.Memories {
		if promoted(h.Memories[i]) {
			tooMany++
		}
	}
	h.Memories = slices.DeleteFunc(h.Memories, func(m driver.Record) bool {
		if tooMany <= 0 || !promoted(m) {
			return false
		}
		tooMany--
		return true
	})
}
