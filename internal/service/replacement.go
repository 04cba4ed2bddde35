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

// replacement applies a SessionWrite to the stored session. What the write leaves out is
// removed, except for:
//
//   - the entities and the creation time of the session;
//   - fields of a message or memory with the same id that most clients do not know, such as
//     tool calls, unless they were cleared: see SessionWrite.Cleared. A time is kept if the
//     client sent a truncation of it;
//   - the state of promotion, which clients cannot set for a message that the session has: one
//     with the same content keeps it, a changed one is promoted again. That of a new message is
//     believed, since the session may have been copied from another server;
//   - memories that were extracted from the conversation and wait to be promoted, which the
//     client may never have seen, unless WriteView.If shows that it has.
type replacement struct {
	given    *SessionWrite
	strategy *session.StrategyConfig
	entities []byte // state of a memory.WorkingContext; if nil, the entities are kept
	now      time.Time
	seen     bool // the client has seen the version it replaces
	foreign  foreignMemories
}

// replacement checks a write. Errors: Invalid, Forbidden.
func (s *Service) replacement(t Tenant, v *WriteView, given *SessionWrite) (*replacement, error) {
	r := &replacement{given: given, now: s.sessions.Now(), foreign: foreignMemories{}, seen: v.If != nil && !v.If.Any}
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

// checkMemory returns Forbidden for a memory of another tenant and Invalid for one that
// long-term memory would refuse, except for a blank one, which is not promoted.
func (s *Service) checkMemory(t Tenant, index int, m *session.Record) error {
	// Empty parts become the session's.
	if _, _, err := owner(t, orRequested(m.Namespace, nil), orRequested(m.UserID, nil)); err != nil {
		return err
	}
	if s.opts.Memory == nil || !m.PersistedAt.IsZero() {
		return nil
	}
	record := *m
	record.ID = cmp.Or(record.ID, "made later")
	if err := driver.CheckRecord(&record); err != nil && !errors.Is(err, longterm.ErrNoText) {
		return recordError(&longterm.RecordError{Index: index, Err: err})
	}
	return nil
}

// apply changes a session to the written one. After an error, which is Bad, the session may
// have changed.
func (r *replacement) apply(found *session.Session) error {
	messages, err := r.messages(found.Messages)
	if err != nil {
		return err
	}
	found.Messages, found.Memories = messages, r.memories(found)
	found.Context, found.Data, found.Strategy, found.ReportedTokens = r.given.Context, r.given.Data, r.strategy, r.given.Tokens
	if made := r.given.CreatedAt; !made.IsZero() {
		found.CreatedAt = mergeTime(made, found.CreatedAt)
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
		messages[i] = r.given.Messages[i]
		if was := known[messages[i].ID]; was != nil {
			mergeMessage(&messages[i], was, r.given.Cleared[i])
		}
		if err := checkContent(&messages[i]); err != nil {
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
			mergeMemory(&m, was, r.given.Unpinned[i])
			delete(known, m.ID)
		} else {
			r.setTimes(&m)
		}
		memories = append(memories, m)
	}
	promoted := !found.Progress.Due.IsZero() // a promotion is due
	for i := range had {
		if promoted && !r.seen && isPendingExtract(&had[i]) && known[had[i].ID] != nil {
			memories = append(memories, had[i])
		}
	}
	return memories
}

// setTimes sets the missing times of a new memory.
func (r *replacement) setTimes(m *session.Record) {
	for _, at := range []*time.Time{&m.CreatedAt, &m.UpdatedAt, &m.LastAccessed} {
		if at.IsZero() {
			*at = r.now
		}
	}
}

// isPendingExtract reports whether a memory was extracted from a session and is not promoted
// yet.
func isPendingExtract(m *session.Record) bool {
	return m.PersistedAt.IsZero() && (len(m.ExtractedFrom) > 0 || m.ExtractionStrategy == "entities")
}

// DefaultStrategy is the strategy of a session that names none.
const DefaultStrategy = "discrete"

// strategyIn completes a strategy, whose name was checked, and checks its settings. Settings
// without a name are those of DefaultStrategy. Errors: Invalid.
func (s *Service) strategyIn(in *session.StrategyConfig) (*session.StrategyConfig, error) {
	if in == nil {
		return nil, nil
	}
	strategy := &session.StrategyConfig{Name: cmp.Or(in.Name, DefaultStrategy), Config: in.Config}
	if s.opts.Promoter == nil {
		return strategy, nil
	}
	if err := s.opts.Promoter.Check(strategy); err != nil {
		wrong := invalidValue(err.Error(), "long_term_memory_strategy")
		wrong.Err = err
		return nil, wrong
	}
	return strategy, nil
}

// entitiesIn converts entities to the state of a context. Errors: Invalid.
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
	return nil, invalidValue(err.Error(), path...)
}
