package longterm

import (
	"context"
	"fmt"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/transcript"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Messages implements driver.LongTerm. Messages are as they were given to Promote, including
// Seq, with PersistedAt set. If a session expired or was deleted and then made again, its
// messages follow those of the earlier one. Records that are not messages of a Promoter, or
// are incomplete, are left out. Errors: those of Memory.Search.
func (p *Promoter) Messages(ctx context.Context, key session.Key) ([]session.Message, error) {
	var reader transcript.Reader
	reserve := sessiondriver.ReserveParts(ctx, p) // an index asks for one page at a time
	err := p.eachPage(ctx, key, func(hits []Hit) error {
		if err := reserve(textBytes(hits)); err != nil {
			return err
		}
		for i := range hits {
			reader.Add(&hits[i].Record)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return reader.Messages(key), nil
}

// DeleteMessages implements driver.LongTerm. Errors: those of Memory.Delete.
func (p *Promoter) DeleteMessages(ctx context.Context, key session.Key, made time.Time) error {
	return p.eachPage(ctx, key, func(hits []Hit) error {
		var ids []string
		for i := range hits {
			if r := &hits[i].Record; made.IsZero() || transcript.IsOf(r, made) {
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

// eachPage calls do with the records of a session's messages, in pages, ordered by key.
func (p *Promoter) eachPage(ctx context.Context, key session.Key, do func(hits []Hit) error) error {
	if err := key.Check(); err != nil {
		return err
	}
	filter := RecordFilter{
		SessionID: &TextCondition{Eq: &key.SessionID},
		Type:      &TextCondition{Eq: new(string(session.RecordMessage))},
		ID:        &TextCondition{StartsWith: new(transcript.Prefix)},
	}
	for hits, err := range p.memory.pages(ctx, Of(key.Namespace, key.UserID), filter) {
		if err != nil {
			return fmt.Errorf("longterm: reading messages: %w", err)
		}
		if err := do(hits); err != nil {
			return err
		}
	}
	return nil
}
