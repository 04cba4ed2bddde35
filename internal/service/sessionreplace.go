package service

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// replacement is what a SessionWrite makes of a session, whatever that is when it is written.
// What is not given is gone, but for:
//
//   - the entities, and the time when the session was made; it was accessed when it is
//     written;
//   - what a message or memory that was there, by its id, has beyond what most clients know,
//     calls of tools, say, unless it was cleared: see SessionWrite.Cleared. The time of a
//     message, which clients know to the microsecond, stays what it was;
//   - what became of it in long-term memory, which is not for clients to say: a message that
//     says the same as before keeps it, another one has it ahead;
//   - memories that were extracted from the conversation and are waiting to be promoted, which
//     the client may never have seen; unless it says, by WriteView.If, that it has seen them
//     all.
type replacement struct {
	given    *SessionWrite
	strategy *session.StrategyConfig
	entities []byte // a memory.WorkingContext's state; nil: they stay
	now      time.Time
	seen     bool // the client has seen all that is there
	others   others
}

// replacement checks what is given. Errors: Invalid, Forbidden.
func (s *Service) replacement(t Tenant, v *WriteView, given *SessionWrite) (*replacement, error) {
	r := &replacement{given: given, now: s.sessions.Now(), others: others{}, seen: v.If != nil && !v.If.Any}
	if err := checkDuplicates(given.Messages); err != nil {
		return nil, err
	}
	for i := range given.Memories {
		if err := s.checkMemory(t, i, &given.Memories[i]); err != nil {
			return nil, err
		}
	}
	var err error
	if r.strategy, err = s.strategyIn(given.Strategy); err != nil {
		return nil, err
	}
	if given.Entities != nil {
		r.entities, err = s.entitiesIn(*given.Entities)
	}
	return r, err
}

// checkMemory refuses a memory that is not the tenant's to write, and one that would never
// come into long-term memory. A blank one may be, and does not. Errors: Invalid, Forbidden.
func (s *Service) checkMemory(t Tenant, index int, m *session.Record) error {
	// Empty parts are the session's.
	if _, _, err := owner(t, named(m.Namespace, nil), named(m.UserID, nil)); err != nil {
		return err
	}
	if s.opts.Memory == nil || !m.PersistedAt.IsZero() {
		return nil
	}
	record := *m
	record.ID = cmp.Or(record.ID, "made later")
	if err := driver.CheckRecord(&record); err != nil && !errors.Is(err, longterm.ErrNoText) {
		return wrongRecord(&longterm.RecordError{Index: index, Err: err})
	}
	return nil
}

// apply makes a session what is given. Errors: Bad, with which it may be changed.
func (r *replacement) apply(found *session.Session) error {
	messages, err := r.messages(found.Messages)
	if err != nil {
		return err
	}
	found.Messages, found.Memories = messages, r.memories(found)
	found.Context, found.Data, found.Strategy = r.given.Context, r.given.Data, r.strategy
	if made := r.given.CreatedAt; !made.IsZero() {
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
	messages := make([]session.Message, len(r.given.Messages))
	for i := range messages {
		messages[i] = fresh(r.given.Messages[i])
		if was := known[messages[i].ID]; was != nil {
			keepMessage(&messages[i], was, r.given.Cleared[i])
		}
		if err := checkContent(i, &messages[i]); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

func (r *replacement) memories(found *session.Session) []session.Record {
	had := found.Memories
	known := make(map[string]*session.Record, len(had))
	for i := range had {
		known[had[i].ID] = &had[i]
	}
	memories := make([]session.Record, 0, len(r.given.Memories))
	for i, m := range r.given.Memories {
		if was := known[m.ID]; was != nil {
			keepMemory(&m, was, r.given.Unpinned[i])
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
func (r *replacement) date(m *session.Record) {
	for _, at := range []*time.Time{&m.CreatedAt, &m.UpdatedAt, &m.LastAccessed} {
		if at.IsZero() {
			*at = r.now
		}
	}
}

// isPendingExtract reports whether a memory was extracted from a session, and is not
// promoted yet.
func isPendingExtract(m *session.Record) bool {
	return m.PersistedAt.IsZero() && (len(m.ExtractedFrom) > 0 || m.ExtractionStrategy == "entities")
}

// DefaultStrategy is what clients take the strategy of a session to be that has none.
const DefaultStrategy = "discrete"

// strategyIn returns a strategy whose name was checked: settings alone are of the
// DefaultStrategy. Errors: Invalid.
func (s *Service) strategyIn(in *session.StrategyConfig) (*session.StrategyConfig, error) {
	if in == nil {
		return nil, nil
	}
	strategy := &session.StrategyConfig{Name: cmp.Or(in.Name, DefaultStrategy), Config: in.Config}
	if s.opts.Promoter == nil {
		return strategy, nil
	}
	if err := s.opts.Promoter.Check(strategy); err != nil {
		wrong := unfit(err.Error(), "long_term_memory_strategy")
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
	path := []string{"entities"}
	if damaged, ok := errors.AsType[*memory.StateError](err); ok && damaged.Index >= 0 {
		path, err = append(path, strconv.Itoa(damaged.Index)), damaged.Err
	}
	return nil, unfit(err.Error(), path...)
}
