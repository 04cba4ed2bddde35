package service

import (
	"cmp"
	"encoding/json"
	"errors"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// replacement is what a body makes of a session, whatever that is when it is written. What
// the body does not have is gone, but for:
//
//   - the entities, and the time when the session was made; it was accessed when it is
//     written, whatever the body says;
//   - what a message or memory that was there, by its id, has beyond what most clients know,
//     calls of tools, say, where the body does not name it at all: see wire.Message.Emptied.
//     The time of a message is one to the microsecond on the wire; it
//     stays what it was;
//   - what became of it in long-term memory, which is not for clients to say: a message that
//     says the same as before keeps it, another one has it ahead;
//   - memories that were extracted from the conversation and are waiting to be promoted, which
//     the client may never have seen; unless it says, by If-Match, that it has seen them all.
type replacement struct {
	body     *wire.SessionBody
	strategy *session.Strategy
	entities []byte // a memory.WorkingContext's state; nil: they stay
	now      time.Time
	seen     bool // the client has seen all that is there
	others   others
}

// replacement checks a body. Errors: Invalid, Forbidden.
func (s *Service) replacement(t Tenant, v *WriteView, body *wire.SessionBody) (*replacement, error) {
	r := &replacement{body: body, now: s.sessions.Now(), others: others{}, seen: v.IfMatch != "" && !parseTags(v.IfMatch).any}
	if err := checkDuplicates(body.Messages); err != nil {
		return nil, err
	}
	for i := range body.Memories {
		if err := s.checkMemory(t, i, &body.Memories[i]); err != nil {
			return nil, err
		}
	}
	var err error
	if r.strategy, err = s.strategyIn(body.Strategy); err != nil {
		return nil, err
	}
	if body.Entities != nil {
		r.entities, err = s.entitiesIn(*body.Entities)
	}
	return r, err
}

// checkMemory refuses a memory that is not the tenant's to write, and one that would never
// come into long-term memory. A blank one may be, and does not. Errors: Invalid, Forbidden.
func (s *Service) checkMemory(t Tenant, index int, m *wire.Memory) error {
	// Empty parts are the session's.
	if _, _, err := owner(t, orNull(orElse(m.Namespace, "")), orNull(orElse(m.UserID, ""))); err != nil {
		return err
	}
	if s.opts.Memory == nil || m.PersistedAt != nil {
		return nil
	}
	record := memoryRecord(m)
	record.ID = cmp.Or(record.ID, "made later")
	if err := longterm.Check(&record); err != nil && !errors.Is(err, longterm.ErrNoText) {
		return wrongRecord(&longterm.RecordError{Index: index, Err: err})
	}
	return nil
}

// apply makes a session what the body says. Errors: Bad, with which it may be changed.
func (r *replacement) apply(found *session.Session) error {
	messages, err := r.messages(found.Messages)
	if err != nil {
		return err
	}
	found.Messages, found.Memories = messages, r.memories(found)
	found.Context, found.Data, found.Strategy = orElse(r.body.Context, ""), r.body.Data, r.strategy
	if made := timeIn(r.body.CreatedAt); !made.IsZero() {
		found.CreatedAt = unlessShown(made, found.CreatedAt)
	}
	if r.entities != nil {
		return found.Entities.UnmarshalJSON(r.entities)
	}
	return nil
}

func (r *replacement) messages(had []session.Message) ([]session.Message, error) {
	known := make(map[string]*session.Message, len(had))
	for i := range had {
		known[had[i].ID] = &had[i]
	}
	messages := make([]session.Message, len(r.body.Messages))
	for i := range messages {
		messages[i] = messageIn(&r.body.Messages[i])
		if was := known[messages[i].ID]; was != nil {
			keepMessage(&messages[i], was, &r.body.Messages[i])
		}
		if err := checkContent(i, &messages[i]); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

func (r *replacement) memories(found *session.Session) []session.Memory {
	had := found.Memories
	known := make(map[string]*session.Memory, len(had))
	for i := range had {
		known[had[i].ID] = &had[i]
	}
	memories := make([]session.Memory, 0, len(r.body.Memories))
	for i := range r.body.Memories {
		m := memoryRecord(&r.body.Memories[i])
		if was := known[m.ID]; was != nil {
			keepMemory(&m, was, &r.body.Memories[i])
			delete(known, m.ID)
		} else {
			r.date(&m)
		}
		memories = append(memories, m)
	}
	promoted := !found.Progress.Due.IsZero() // soon
	for i := range had {
		if promoted && !r.seen && isPendingExtract(&had[i]) && known[had[i].ID] != nil {
			memories = append(memories, had[i])
		}
	}
	return memories
}

// date gives a new memory the times that it lacks.
func (r *replacement) date(m *session.Memory) {
	for _, at := range []*time.Time{&m.CreatedAt, &m.UpdatedAt, &m.LastAccessed} {
		if at.IsZero() {
			*at = r.now
		}
	}
}

// isPendingExtract reports whether a memory was extracted from a session, and is not
// promoted yet.
func isPendingExtract(m *session.Memory) bool {
	return m.PersistedAt.IsZero() && (len(m.ExtractedFrom) > 0 || m.ExtractionStrategy == "entities")
}

// strategyIn returns the strategy of a body, the name of which was checked: settings alone
// are of the one that clients have by default. Errors: Invalid.
func (s *Service) strategyIn(in *wire.Strategy) (*session.Strategy, error) {
	if in == nil {
		return nil, nil
	}
	strategy := &session.Strategy{Name: cmp.Or(in.Strategy, defaultStrategy), Config: in.Config}
	if s.opts.Promoter == nil {
		return strategy, nil
	}
	if err := s.opts.Promoter.Check(strategy); err != nil {
		wrong := invalid("value_error", "Value error, "+err.Error(), "body", "long_term_memory_strategy")
		wrong.Err = err
		return nil, wrong
	}
	return strategy, nil
}

// entitiesIn returns entities as the state of a context. Errors: Invalid.
func (s *Service) entitiesIn(entities []memory.Entity) ([]byte, error) {
	state, err := json.Marshal(map[string][]memory.Entity{"entities": entities})
	if err == nil {
		err = s.sessions.New(session.Key{}).Entities.UnmarshalJSON(state)
	}
	if err == nil {
		return state, nil
	}
	loc := []any{"body", "entities"}
	if damaged, ok := errors.AsType[*memory.StateError](err); ok && damaged.Index >= 0 {
		loc, err = append(loc, damaged.Index), damaged.Err
	}
	return nil, invalid("value_error", "Value error, "+err.Error(), loc...)
}
