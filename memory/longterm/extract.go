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

// Extract implements driver.LongTerm. Every memory belongs to the session, whatever owner a
// strategy or a model claims. Errors: ErrStrategy, ErrModel, ErrAnswer, and those of the
// caller's strategies.
//
// Some messages are excluded: those of the system, which no person said; results of tools,
// since a text from outside could otherwise plant lasting memories; and messages already
// marked as extracted. Blocks that this module placed in a message are removed, because they
// repeat what is known. A memory that contains a key, token or password of a known form is
// dropped and counted in the log.
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
		memories = p.appendFound(memories, found, &e, do.name)
	}
	if do.entities != nil && len(e.Entities) > 0 {
		found, err := do.entities.Extract(ctx, e)
		if err != nil {
			return nil, err
		}
		memories = p.appendFound(memories, found, &e, StrategyEntities)
	}
	return memories, nil
}

// spokenMessages returns the messages to extract from, without blocks of this module.
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

// appendFound appends the results of a strategy as memories of the session, each id once.
func (p *Promoter) appendFound(memories []session.Record, found []Record, e *sessiondriver.ExtractRequest, strategy string) []session.Record {
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
		if longtermdriver.CheckRecord(&r) != nil || secret.Within(r.Text) || slices.ContainsFunc(r.Entities, secret.Within[string]) || slices.ContainsFunc(r.Topics, secret.Within[string]) {
			refused++
			continue
		}
		if !ids[r.ID] {
			ids[r.ID] = true
			memories = append(memories, r)
		}
	}
	if refused > 0 {
		p.opts.Logger.Warn("longterm: extracted memories refused", "session", e.Key.Short(), "strategy", fmt.Sprintf("%.40s", strategy), "memories", refused)
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

// extractedID returns the id of a memory. It is the same whenever a strategy extracts the same
// text from the same messages.
func extractedID(key session.Key, r *Record) string {
	parts := []string{key.SessionID, r.ExtractionStrategy, r.Text}
	return "extracted:" + record.Digest(append(parts, r.ExtractedFrom...)...)
}
