package longterm

import (
	"context"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// keepMessages keeps messages, and returns how many were, from the first on. Those of
// several Puts are kept when the last of their records is.
func (p *Promoter) keepMessages(ctx context.Context, work *session.Promotion) (kept int, err error) {
	if !p.opts.Messages {
		return len(work.Messages), nil
	}
	var records []Record
	for i := range work.Messages {
		more, err := messageRecords(work, &work.Messages[i])
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

// DeleteMessages implements session.LongTerm. Errors are the Memory's.
func (p *Promoter) DeleteMessages(ctx context.Context, key session.Key, made time.Time) error {
	return p.eachPage(ctx, key, func(hits []Hit) error {
		var ids []string
		for i := range hits {
			if r := &hits[i].Record; made.IsZero() || r.Metadata[metadataMade] == madeText(made) {
				ids = append(ids, r.ID)
			}
		}
		if len(ids) == 0 {
			return nil
		}
		_, err := p.memory.Delete(ctx, Of(key.Namespace, key.UserID), ids...)
		return err
	})
}

// maxMessagePage is how many records of messages are read at once: they are long.
const maxMessagePage = 100

// eachPage reads the records of a session's messages, by key, so that none is left out
// or comes twice when others are written meanwhile.
func (p *Promoter) eachPage(ctx context.Context, key session.Key, do func(hits []Hit) error) error {
	if err := key.Check(); err != nil {
		return err
	}
	scope := Of(key.Namespace, key.UserID)
	if err := p.memory.check(scope); err != nil {
		return fmt.Errorf("longterm: reading messages: %w", err)
	}
	search := driver.Search{
		Scope: scope,
		Filter: RecordFilter{
			SessionID: &TextCondition{Eq: &key.SessionID},
			Type:      &TextCondition{Eq: new(string(session.MemoryMessage))},
			ID:        &TextCondition{StartsWith: new(messagePrefix)},
		},
		Order: OrderKey, Limit: maxMessagePage,
	}
	for {
		page, err := p.memory.index.Search(ctx, search)
		if err != nil {
			return fmt.Errorf("longterm: reading messages: %w", err)
		}
		if len(page.Hits) == 0 {
			return nil
		}
		last := driver.KeyOf(&page.Hits[len(page.Hits)-1].Record)
		if err := do(page.Hits); err != nil {
			return err
		}
		search.After = &last
	}
}
