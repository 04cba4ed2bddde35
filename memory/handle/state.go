package handle

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// state is the JSON of a table.
type state struct {
	Next     map[string]int `json:"next,omitempty"`
	Known    [][2]string    `json:"known,omitempty"` // handle and id, the oldest first
	Literals []string       `json:"literals,omitempty"`
	Branch   string         `json:"branch,omitempty"`
	Branches int            `json:"branches,omitempty"`
}

// MarshalJSON returns the state of the table, without its options. The error is always nil.
func (t *Table) MarshalJSON() ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := state{Next: t.next, Literals: t.literals, Branch: t.branch, Branches: t.branches}
	for _, e := range t.known {
		s.Known = append(s.Known, [2]string{e.handle, e.id})
	}
	return json.Marshal(s)
}

// UnmarshalJSON replaces the handles of the table by a state. The options are kept. After an
// error nothing is changed.
func (t *Table) UnmarshalJSON(data []byte) error {
	var s state
	if err := json.Unmarshal(data, &s); err != nil {
		return errors.New("handle: reading state: invalid JSON") // the cause may quote ids
	}
	if err := s.check(); err != nil {
		return err
	}
	read := NewTable(t.Options())
	read.literals, read.branch, read.branches = s.Literals, s.Branch, s.Branches
	read.next = maps.Clone(s.Next)
	for i, e := range s.Known {
		if read.ids[e[0]] != "" || read.handles[e[1]] != "" || !Is(e[0]) || e[1] == "" {
			return fmt.Errorf("handle: reading state: handle %d is invalid or twice", i)
		}
		if n, _ := parse(e[0]); n.branch == s.Branch && n.number >= read.next[n.typ] {
			return fmt.Errorf("handle: reading state: handle %d is to be given out again", i)
		}
		read.add(entry{e[0], e[1]})
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next, t.known, t.ids, t.handles = read.next, read.known, read.ids, read.handles
	t.literals, t.branch, t.branches, t.index = read.literals, read.branch, read.branches, nil
	t.version++
	return nil
}

// check returns an error for a state that no table has.
func (s *state) check() error {
	switch {
	case s.Branches < 0 || strings.Trim(s.Branch, "abcdefghijklmnopqrstuvwxyz") != "":
		return errors.New("handle: reading state: the branch is invalid")
	case len(s.Next) > maxTypes+1:
		return fmt.Errorf("handle: reading state: %d types", len(s.Next))
	case len(s.Literals) > maxLiterals || slices.ContainsFunc(s.Literals, func(l string) bool { return !Is(l) }):
		return errors.New("handle: reading state: the literals are invalid")
	}
	return nil
}

// IsEmpty reports whether the table has nothing to store.
func (t *Table) IsEmpty() bool {
	if t == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.next)+len(t.literals)+len(t.branch)+t.branches == 0
}
