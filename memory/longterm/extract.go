package longterm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/secret"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Extract implements driver.LongTerm. Memories are of the session whatever a strategy
// or a model says of them. Errors: ErrStrategy, ErrModel, ErrAnswer, and those of
// strategies of the caller's.
//
// Nothing is extracted from messages of the system, which are not said by anybody; from
// the results of tools, which are strangers' texts: what one of them asks to be
// remembered would be so for ever; from blocks of ours in a message, which would be
// what is known already; nor from messages that are marked as extracted. Memories with
// a key, a token or a password that can be told by its form are dropped, and counted in
// the log.
func (p *Promoter) Extract(ctx context.Context, e sessiondriver.ExtractRequest) ([]session.Record, error) {
	do, err := p.plan(e.Strategy)
	if err != nil {
		return nil, err
	}
	if e.Strategy == nil {
		e.Strategy = p.opts.Strategy
	}
	e.Messages = spokenMessages(e.Messages)
	var memories []session.Record
	if do.messages != nil && len(e.Messages) > 0 {
		found, err := do.messages.Extract(ctx, e)
		if err != nil {
			return nil, err
		}
		memories = p.finish(memories, found, &e, do.name)
	}
	if do.entities != nil && len(e.Entities) > 0 {
		found, err := do.entities.Extract(ctx, e)
		if err != nil {
			return nil, err
		}
		memories = p.finish(memories, found, &e, StrategyEntities)
	}
	return memories, nil
}

// spokenMessages returns the messages that memories are extracted from, without our blocks.
func spokenMessages(messages []session.Message) []session.Message {
	var left []session.Message
	for _, m := range messages {
		if m.Extracted || m.IsResult() || m.Role == session.RoleSystem {
			continue
		}
		m.Content = strings.TrimSpace(prompt.RemoveEcho(m.Content))
		if m.Content != "" {
			left = append(left, m)
		}
	}
	return left
}

// finish appends what a strategy found, as memories of the session, each once.
func (p *Promoter) finish(memories []session.Record, found []Record, e *sessiondriver.ExtractRequest, strategy string) []session.Record {
	ids := make(map[string]bool, len(memories)+len(found))
	for i := range memories {
		ids[memories[i].ID] = true
	}
	refused := 0
	for _, r := range found {
		r.Namespace, r.UserID, r.SessionID = e.Key.Namespace, e.Key.UserID, e.Key.SessionID
		r.Text = strings.TrimSpace(r.Text)
		r.PersistedAt, r.LastAccessed, r.AccessCount, r.Hash = time.Time{}, time.Time{}, 0, ""
		r.ExtractionStrategy = cmp.Or(r.ExtractionStrategy, strategy)
		if r.CreatedAt.IsZero() {
			r.CreatedAt = e.Now
		}
		if r.Type == session.RecordMessage || r.Type == "" {
			r.Type = session.RecordSemantic
		}
		if len(r.ExtractedFrom) == 0 && strategy != StrategyEntities {
			r.ExtractedFrom = idsOf(e.Messages)
		}
		if r.ID == "" {
			r.ID = extractedID(e.Key, &r)
		}
		if longtermdriver.CheckRecord(&r) != nil || secret.InProse(r.Text) || slices.ContainsFunc(r.Entities, secret.InProse) || slices.ContainsFunc(r.Topics, secret.InProse) {
			refused++
			continue
		}
		if !ids[r.ID] {
			ids[r.ID] = true
			memories = append(memories, r)
		}
	}
	if refused > 0 {
		p.opts.Logger.Warn("longterm: memories that were extracted cannot be kept", "session", e.Key.Short(), "strategy", fmt.Sprintf("%.40s", strategy), "memories", refused)
	}
	return memories
}

func idsOf(messages []session.Message) []string {
	ids := make([]string, len(messages))
	for i := range messages {
		ids[i] = messages[i].ID
	}
	return ids
}

// extractedID is the id of a memory that is the same whenever the same text is
// extracted by the same strategy from the same messages.
func extractedID(key session.Key, r *Record) string {
	parts := []string{key.SessionID, r.ExtractionStrategy, r.Text}
	return "extracted:" + record.Digest(append(parts, r.ExtractedFrom...)...)
}
