package head

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Promotion is the progress of a promotion, as the head of a session records it. Its marks
// apply to messages by their numbers, so that a promotion writes the head alone.
type Promotion struct {
	// Kept and Extracted are the numbers below which messages were kept, the last of them
	// at KeptAt, and extracted from.
	Kept      uint64    `json:"kept,omitzero"`
	KeptAt    time.Time `json:"kept_at,omitzero"`
	Extracted uint64    `json:"extracted,omitzero"`
	// Entities is the DigestEntities of the entities last extracted from.
	Entities string `json:"entities,omitempty"`
	// Lease is when the lease of a running promotion expires.
	Lease time.Time `json:"lease,omitzero"`
	// Failures is the number of failures in a row.
	Failures int `json:"failures,omitzero"`
	// Unrestored marks a session that was created without a check for messages of an
	// expired one.
	Unrestored bool `json:"unrestored,omitzero"`
}

// check rejects marks that no promotion sets: with them messages would never be kept.
func (p *Promotion) check(at driver.Position) error {
	if p.Kept > at.Next || p.Extracted > at.Next || p.Failures < 0 {
		return errors.New("progress is out of range")
	}
	return nil
}

// Behind reports whether any of the messages from first up to next are still to be promoted.
func (p *Promotion) Behind(wants driver.Wants, first, next uint64) bool {
	return wants.Messages && next > max(p.Kept, first) || wants.Extract && next > max(p.Extracted, first)
}

// Mark applies the marks to messages.
func (p *Promotion) Mark(messages []driver.Message) {
	for i := range messages {
		m := &messages[i]
		if m.PersistedAt.IsZero() && p.keeps(m) {
			m.PersistedAt = p.KeptAt
		}
		m.Extracted = m.Extracted || m.Seq < p.Extracted
	}
}

func (p *Promotion) keeps(m *driver.Message) bool { return m.Seq < p.Kept }

// Same reports whether a message is the one that was read. It ignores what the marks
// record, as the caller's message may come from an earlier read or from a client that omits
// it.
func (p *Promotion) Same(had, m driver.Message) bool {
	return sameMessage(had, m) &&
		(had.PersistedAt.Equal(m.PersistedAt) || had.PersistedAt.IsZero() && p.keeps(&had)) &&
		(had.Extracted == m.Extracted || had.Seq < p.Extracted)
}

// Carry marks messages that are written again, after others that changed, as extracted.
func (p *Promotion) Carry(had, messages []driver.Message) {
	if p.Extracted == 0 || len(had) == 0 || len(messages) == 0 {
		return
	}
	extracted := make(map[string]*driver.Message, len(had))
	for i := range had {
		if had[i].Extracted || had[i].Seq < p.Extracted {
			extracted[had[i].ID] = &had[i]
		}
	}
	for i := range messages {
		if before := extracted[messages[i].ID]; before != nil && sameMessage(*before, messages[i]) {
			messages[i].Extracted = true
		}
	}
}

// DigestEntities returns a digest of the entities that ignores how often and when they were
// used. It is empty if there are none.
func DigestEntities(entities *memory.WorkingContext) string {
	if entities == nil || entities.Len() == 0 {
		return ""
	}
	var texts []string
	for e := range entities.All() {
		text := ""
		for _, part := range []string{e.Type, e.ID, e.Name, e.Slug, e.Description} {
			text += strconv.Itoa(len(part)) + ":" + part // injective
		}
		texts = append(texts, text)
	}
	slices.Sort(texts) // the order of use does not count
	sum := sha256.New()
	for _, text := range texts {
		sum.Write([]byte(text))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// sameMessage compares messages except for their numbers, tokens and marks.
func sameMessage(a, b driver.Message) bool {
	return a.ID == b.ID && a.Role == b.Role && a.Content == b.Content && a.Name == b.Name && a.Reasoning == b.Reasoning &&
		a.ToolCallID == b.ToolCallID && slices.Equal(a.ToolCalls, b.ToolCalls) && a.CreatedAt.Equal(b.CreatedAt)
}
