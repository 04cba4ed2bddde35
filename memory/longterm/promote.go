package longterm

import (
	"cmp"
	"context"
	"errors"

	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/transcript"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Promote implements driver.LongTerm. Memories without an owner or a session get those of
// the session. Memories of another owner, and those that driver.CheckRecord refuses, are
// reported as refused. Errors: those of Memory.Put, and a *RecordError if the session's key
// is not valid UTF-8.
func (p *Promoter) Promote(ctx context.Context, work sessiondriver.PromoteRequest) (sessiondriver.PromoteResult, error) {
	var done sessiondriver.PromoteResult
	if err := p.promoteMemories(ctx, &work, &done); err != nil {
		return done, err
	}
	var err error
	done.Messages, err = p.keepMessages(ctx, &work)
	return done, err
}

func (p *Promoter) promoteMemories(ctx context.Context, work *sessiondriver.PromoteRequest, done *sessiondriver.PromoteResult) error {
	var records []Record
	at := make(map[string]int) // of ids in records
	for _, m := range work.Memories {
		if !assignOwner(&m, work) || longtermdriver.CheckRecord(&m) != nil {
			done.Refused = append(done.Refused, m.ID)
			continue
		}
		m.PersistedAt = work.Now
		if i, repeated := at[m.ID]; repeated {
			records[i] = m // the last one of an id replaces the others
			continue
		}
		at[m.ID] = len(records)
		records = append(records, m)
	}
	for len(records) > 0 {
		n := batchSize(records)
		kept, refused, err := p.put(ctx, work.Key, records[:n])
		done.Memories, done.Refused = append(done.Memories, kept...), append(done.Refused, refused...)
		if err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// assignOwner fills in the owner and the session of a memory. It reports false if the
// memory names another owner.
func assignOwner(m *session.Record, work *sessiondriver.PromoteRequest) bool {
	m.Namespace = cmp.Or(m.Namespace, work.Key.Namespace)
	m.UserID = cmp.Or(m.UserID, work.Key.UserID)
	m.SessionID = cmp.Or(m.SessionID, work.Key.SessionID)
	return m.Namespace == work.Key.Namespace && m.UserID == work.Key.UserID
}

// put puts records of the key's owner. It returns the ids of those that were put and of
// those that the memory refuses.
func (p *Promoter) put(ctx context.Context, key session.Key, records []Record) (kept, refused []string, err error) {
	for len(records) > 0 {
		_, err := p.memory.Put(ctx, Of(key.Namespace, key.UserID), records, nil)
		if wrong, ok := errors.AsType[*RecordError](err); ok && wrong.Index >= 0 && wrong.Index < len(records) {
			refused = append(refused, records[wrong.Index].ID)
			records = append(records[:wrong.Index:wrong.Index], records[wrong.Index+1:]...)
			continue
		}
		if err != nil {
			return nil, refused, err
		}
		for i := range records {
			kept = append(kept, records[i].ID)
		}
		return kept, refused, nil
	}
	return nil, refused, nil
}

// keepMessages keeps messages and returns how many were kept, counted from the first. A
// message whose records need several Puts counts once the last of them is put.
func (p *Promoter) keepMessages(ctx context.Context, work *sessiondriver.PromoteRequest) (kept int, err error) {
	if !p.opts.Messages {
		return len(work.Messages), nil
	}
	var records []Record
	for i := range work.Messages {
		if m := &work.Messages[i]; m.PersistedAt.IsZero() { // else a client says that it is kept
			more, err := transcript.Records(work, m)
			if err != nil {
				return kept, err
			}
			records = append(records, more...)
		}
		if i < len(work.Messages)-1 && batchSize(records) == len(records) {
			continue // the batch has room for another message
		}
		if err := p.putMessages(ctx, work.Key, records); err != nil {
			return kept, err
		}
		kept, records = i+1, nil
	}
	return kept, nil
}

func (p *Promoter) putMessages(ctx context.Context, key session.Key, records []Record) error {
	for len(records) > 0 {
		n := batchSize(records)
		// Two messages with the same text are distinct.
		if _, err := p.memory.Put(ctx, Of(key.Namespace, key.UserID), records[:n], &PutOptions{NoMerge: true}); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// The limits of one Put.
const (
	maxBatch      = 100
	maxBatchBytes = 8 << 20
)

// batchSize returns how many of the records fit in one Put, at least one.
func batchSize(records []Record) int {
	size := 0
	for i := range records {
		size += len(records[i].Text)
		if i == maxBatch || i > 0 && size > maxBatchBytes {
			return i
		}
	}
	return len(records)
}
