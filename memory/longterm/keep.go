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

// Promote implements driver.LongTerm. Memories that carry no owner and no session
// get the session's. Those of another owner are refused, and those that Check refuses.
// Errors are the Memory's, and a *RecordError if the session's key cannot be that of
// records: it is not valid UTF-8.
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
		if i, twice := at[m.ID]; twice {
			records[i] = m // the same id replaces
			continue
		}
		at[m.ID] = len(records)
		records = append(records, m)
	}
	for len(records) > 0 {
		n := batchOf(records)
		kept, refused, err := p.put(ctx, work.Key, records[:n])
		done.Memories, done.Refused = append(done.Memories, kept...), append(done.Refused, refused...)
		if err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// assignOwner gives a memory the owner and the session it is of, and reports false for one
// that names another owner.
func assignOwner(m *session.Record, work *sessiondriver.PromoteRequest) bool {
	m.Namespace = cmp.Or(m.Namespace, work.Key.Namespace)
	m.UserID = cmp.Or(m.UserID, work.Key.UserID)
	m.SessionID = cmp.Or(m.SessionID, work.Key.SessionID)
	return m.Namespace == work.Key.Namespace && m.UserID == work.Key.UserID
}

// put puts records that are of the key's owner, and returns the ids of those that were
// put and of those that the memory refuses.
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

// keepMessages keeps messages, and returns how many were, from the first on. Those of
// several Puts are kept when the last of their records is.
func (p *Promoter) keepMessages(ctx context.Context, work *sessiondriver.PromoteRequest) (kept int, err error) {
	if !p.opts.Messages {
		return len(work.Messages), nil
	}
	var records []Record
	for i := range work.Messages {
		more, err := transcript.Records(work, &work.Messages[i])
		if err != nil {
			return kept, err
		}
		records = append(records, more...)
		if i < len(work.Messages)-1 && batchOf(records) == len(records) {
			continue // there is room for another one
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
		n := batchOf(records)
		// A message is not the same as another of the same text.
		if _, err := p.memory.Put(ctx, Of(key.Namespace, key.UserID), records[:n], &PutOptions{NoMerge: true}); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// The size of what is put at once.
const (
	maxBatch      = 100
	maxBatchBytes = 8 << 20
)

// batchOf is how many of some records are put at once, at least one.
func batchOf(records []Record) int {
	size := 0
	for i := range records {
		size += len(records[i].Text)
		if i == maxBatch || i > 0 && size > maxBatchBytes {
			return i
		}
	}
	return len(records)
}
