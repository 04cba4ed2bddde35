package drivertest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// load models Store.Load.
func (m *model) load(key driver.Key, last int) (*driver.StoredSession, error) {
	s := m.find(key)
	if s == nil {
		return nil, driver.ErrNotFound
	}
	r := s.StoredSession
	if last >= 0 {
		r.Messages = r.Messages[max(len(r.Messages)-last, 0):]
	}
	r.Messages = slices.Clone(r.Messages)
	return &r, nil
}

// dueKeys returns the keys of the sessions that are due by a time, the earliest first.
func (m *model) dueKeys(by time.Time) []driver.Key {
	var keys []driver.Key
	for key := range m.sessions {
		if s := m.find(key); s != nil && !s.DueAt.IsZero() && !s.DueAt.After(by) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b driver.Key) int { return m.sessions[a].DueAt.Compare(m.sessions[b].DueAt) })
	return keys
}

// first returns the first keys, none if the limit is negative.
func first(keys []driver.Key, limit int) []driver.Key {
	return keys[:min(max(limit, 0), len(keys))]
}

// call is a call of a store, in a form that can be written to a file or a network.
type call struct {
	Key      driver.Key
	Append   *driver.Append      `json:",omitempty"`
	Write    *driver.Write       `json:",omitempty"`
	Delete   bool                `json:",omitempty"`
	Where    *driver.Condition   `json:",omitempty"`
	Load     *int                `json:",omitempty"`
	List     *driver.ListOptions `json:",omitempty"`
	Due      *time.Time          `json:",omitempty"`
	Limit    int                 `json:",omitempty"` // of Due
	Revision uint64              // of a session that the call creates
	// Doubles adds messages even if their ids exist, which is a fault.
	Doubles bool `json:",omitempty"`
}

// reply is the result of a call.
type reply struct {
	Position driver.Position
	Added    int
	Record   *driver.StoredSession `json:",omitempty"`
	Page     driver.Listing
	Error    string `json:",omitempty"`
}

func (r reply) err() error {
	for _, err := range []error{driver.ErrNotFound, driver.ErrConflict} {
		if r.Error == err.Error() {
			return err
		}
	}
	if r.Error != "" {
		return errors.New(r.Error)
	}
	return nil
}

// table is a model that does calls. Nothing expires in it.
type table struct{ model }

func newTable() *table { return &table{model{sessions: map[driver.Key]*modelSession{}}} }

func (t *table) do(c call) (r reply) {
	if s := t.find(c.Key); s != nil && c.Doubles {
		clear(s.ids)
	}
	made := driver.Position{Revision: c.Revision}
	var errs []error
	switch {
	case c.Append != nil:
		r.Position, r.Added, errs = t.append(c.Key, *c.Append, made)
	case c.Write != nil:
		r.Position, errs = t.write(c.Key, *c.Write, made)
	case c.Delete:
		errs = t.delete(c.Key, c.Where)
	case c.Load != nil:
		var err error
		if r.Record, err = t.load(c.Key, *c.Load); err != nil {
			errs = append(errs, err)
		}
	case c.Due != nil:
		r.Page.Keys = first(t.dueKeys(*c.Due), c.Limit)
	default:
		r.Page = t.list(*c.List)
	}
	if len(errs) > 0 {
		r.Error = errs[0].Error()
	}
	return r
}

// caller is a driver.Store on a function that does calls.
type caller func(ctx context.Context, c call) (reply, error)

var _ driver.Store = caller(nil)

func (do caller) Load(ctx context.Context, key driver.Key, last int) (*driver.StoredSession, error) {
	r, err := do(ctx, call{Key: key, Load: &last})
	return r.Record, err
}

func (do caller) Append(ctx context.Context, key driver.Key, a driver.Append) (driver.Position, int, error) {
	r, err := do(ctx, call{Key: key, Append: &a, Revision: driver.NewRevision()})
	return r.Position, r.Added, err
}

func (do caller) Write(ctx context.Context, key driver.Key, w driver.Write) (driver.Position, error) {
	r, err := do(ctx, call{Key: key, Write: &w, Revision: driver.NewRevision()})
	return r.Position, err
}

func (do caller) Delete(ctx context.Context, key driver.Key, where *driver.Condition) error {
	_, err := do(ctx, call{Key: key, Delete: true, Where: where})
	return err
}

func (do caller) List(ctx context.Context, f driver.ListOptions) (driver.Listing, error) {
	r, err := do(ctx, call{List: &f})
	return r.Page, err
}

func (do caller) Due(ctx context.Context, by time.Time, limit int) ([]driver.Key, error) {
	r, err := do(ctx, call{Due: &by, Limit: limit})
	return r.Page.Keys, err
}
