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

// Promotion is what the head of a session records of its promotion. Its marks stand for
// what would have to be written into each message: a promotion writes the head alone.
type Promotion struct {
	// Kept and Extracted are numbers below which messages were kept, at KeptAt the last
	// of them, and extracted from.
	Kept      uint64    `json:"kept,omitzero"`
	KeptAt    time.Time `json:"kept_at,omitzero"`
	Extracted uint64    `json:"extracted,omitzero"`
	// Entities is what DigestEntities returned when memories were last extracted from them.
	Entities string `json:"entities,omitempty"`
	// Lease is until when somebody is promoting the session.
	Lease time.Time `json:"lease,omitzero"`
	// Failures is how often promoting has failed in a row.
	Failures int `json:"failures,omitzero"`
	// Unrestored: the session was made by who did not look whether an expired one can
	// be rebuilt.
	Unrestored bool `json:"unrestored,omitzero"`
}

// check refuses marks that no promotion sets: messages would never be kept.
func (p *Promotion) check(at driver.Position) error {
	if p.Kept > at.Next || p.Extracted > at.Next || p.Failures < 0 {
		return errors.New("its progress is out of range")
	}
	return nil
}

// Behind reports whether messages are waiting for what is wanted with them, of those
// from first up to next.
func (p *Promotion) Behind(wants driver.Wants, first, next uint64) bool {
	return wants.Messages && next > max(p.Kept, first) || wants.Extract && next > max(p.Extracted, first)
}

// Mark puts into messages what the marks say of them.
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

// Same reports whether a message is the one that was read. Where the marks say what
// became of it, it does not matter what the caller's message says: that may be from an
// earlier reading, or from a client that leaves it out.
func (p *Promotion) Same(had, m driver.Message) bool {
	return sameMessage(had, m) &&
		(had.PersistedAt.Equal(m.PersistedAt) || had.PersistedAt.IsZero() && p.keeps(&had)) &&
		(had.Extracted == m.Extracted || had.Seq < p.Extracted)
}

// Carry keeps messages that are written anew, behind others that changed, from being
// extracted from again.
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

// DigestEntities returns a digest of what entities say about themselves: how often and when they
// were used is nothing to extract from. It is "" for none.
func DigestEntities(entities *memory.WorkingContext) string {
	if entities == nil || entities.Len() == 0 {
		return ""
	}
	var texts []string
	for e := range entities.All() {
		text := ""
		for _, part := range []string{e.Type, e.ID, e.Name, e.Slug, e.Description} {
			text += strconv.Itoa(len(part)) + ":" + part // no two lists of parts give the same text
		}
		texts = append(texts, text)
	}
	slices.Sort(texts) // in whatever order they were used
	sum := sha256.New()
	for _, text := range texts {
		sum.Write([]byte(text))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// sameMessage compares messages, but for their numbers, their tokens, and what the
// marks say of them.
func sameMessage(a, b driver.Message) bool {
	return a.ID == b.ID && a.Role == b.Role && a.Content == b.Content && a.Name == b.Name && a.Reasoning == b.Reasoning &&
		a.ToolCallID == b.ToolCallID && slices.Equal(a.ToolCalls, b.ToolCalls) && a.CreatedAt.Equal(b.CreatedAt)
}
