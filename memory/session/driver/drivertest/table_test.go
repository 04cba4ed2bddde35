package drivertest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// table is a simple store: it is slow, ignores expiry and forgets no id.
type table map[session.Key]*row

type row struct {
	driver.Position
	head     []byte
	messages []driver.StoredMessage
	ids      map[string]bool
}

// call is a call of a store, in a form that can be written to a file or a network.
type call struct {
	Key      session.Key
	Append   *driver.Append       `json:",omitempty"`
	Write    *driver.Write        `json:",omitempty"`
	Delete   bool                 `json:",omitempty"`
	Where    *driver.Condition    `json:",omitempty"`
	Load     *int                 `json:",omitempty"`
	List     *session.ListOptions `json:",omitempty"`
	Due      *time.Time           `json:",omitempty"`
	Limit    int                  `json:",omitempty"` // of Due
	Revision uint64               // of a session that the call creates
	// Doubles adds messages even if their ids exist, which is a fault.
	Doubles bool `json:",omitempty"`
}

// reply is the result of a call.
type reply struct {
	Position driver.Position
	Added    int
	Record   *driver.StoredSession `json:",omitempty"`
	Page     session.Listing
	Error    string `json:",omitempty"`
}

func (r reply) err() error {
	for _, err := range []error{session.ErrNotFound, session.ErrConflict} {
		if r.Error == err.Error() {
			return err
		}
	}
	if r.Error != "" {
		return errors.New(r.Error)
	}
	return nil
}

func (t table) do(c call) reply {
	switch {
	case c.Append != nil:
		r := t[c.Key]
		if r == nil {
			r = t.make(c, c.Append.Head)
		}
		added := r.add(c.Append.Messages, c.Doubles)
		if r.DueAt.IsZero() {
			r.DueAt = millis(c.Append.Due)
		}
		return reply{Position: r.Position, Added: added}
	case c.Write != nil:
		return t.write(c)
	case c.Delete:
		if c.Where != nil && !t.stands(c.Key, *c.Where) {
			return reply{Error: session.ErrConflict.Error()}
		}
		delete(t, c.Key)
		return reply{}
	case c.Load != nil:
		return t.load(c.Key, *c.Load)
	case c.Due != nil:
		return t.due(*c.Due, c.Limit)
	default:
		return t.list(*c.List)
	}
}

func (t table) make(c call, head []byte) *row {
	r := &row{Position: driver.Position{Revision: c.Revision, First: 1, Next: 1}, head: head, ids: make(map[string]bool)}
	t[c.Key] = r
	return r
}

func (t table) stands(key session.Key, where driver.Condition) bool {
	r := t[key]
	if r == nil || where.Revision == 0 {
		return r == nil && where.Revision == 0
	}
	return r.Revision == where.Revision && (where.Next == 0 || where.Next == r.Next)
}

func (t table) write(c call) reply {
	if !t.stands(c.Key, c.Write.If) {
		return reply{Error: session.ErrConflict.Error()}
	}
	r := t[c.Key]
	if r == nil {
		r = t.make(c, c.Write.Head)
	} else {
		r.Revision++
		r.head = c.Write.Head
	}
	for len(r.messages) > 0 && r.First < c.Write.DropBefore {
		r.Tokens -= r.messages[0].Tokens
		r.messages = r.messages[1:]
		r.First++
	}
	added := r.add(c.Write.Messages, c.Doubles)
	if c.Write.Due != nil {
		r.DueAt = millis(*c.Write.Due)
	}
	return reply{Position: r.Position, Added: added}
}

func (r *row) add(messages []driver.StoredMessage, doubles bool) (added int) {
	for _, m := range messages {
		if r.ids[m.ID] && !doubles {
			continue
		}
		r.ids[m.ID] = true
		m.Seq = r.Next
		r.Next++
		r.Tokens += m.Tokens
		r.messages = append(r.messages, m)
		added++
	}
	return added
}

func (t table) load(key session.Key, last int) reply {
	r := t[key]
	if r == nil {
		return reply{Error: session.ErrNotFound.Error()}
	}
	messages := r.messages
	if last >= 0 {
		messages = messages[max(len(messages)-last, 0):]
	}
	return reply{Record: &driver.StoredSession{Position: r.Position, Format: driver.Format, Head: r.head, Messages: slices.Clone(messages)}}
}

func (t table) list(f session.ListOptions) reply {
	var page session.Listing
	for key := range t {
		if f.SessionID == nil || *f.SessionID == key.SessionID {
			page.Keys = append(page.Keys, key)
		}
	}
	slices.SortFunc(page.Keys, func(a, b session.Key) int { return strings.Compare(a.String(), b.String()) })
	page.Total = len(page.Keys)
	return reply{Page: page}
}

func (t table) due(by time.Time, limit int) reply {
	var keys []session.Key
	for key, r := range t {
		if !r.DueAt.IsZero() && !r.DueAt.After(by) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b session.Key) int { return t[a].DueAt.Compare(t[b].DueAt) })
	return reply{Page: session.Listing{Keys: keys[:min(limit, len(keys))]}}
}

// caller is a driver.Store on a function that does calls.
type caller func(ctx context.Context, c call) (reply, error)

var _ driver.Store = caller(nil)

func (do caller) Load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	r, err := do(ctx, call{Key: key, Load: &last})
	return r.Record, err
}

func (do caller) Append(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
	r, err := do(ctx, call{Key: key, Append: &a, Revision: driver.NewRevision()})
	return r.Position, r.Added, err
}

func (do caller) Write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	r, err := do(ctx, call{Key: key, Write: &w, Revision: driver.NewRevision()})
	return r.Position, err
}

func (do caller) Delete(ctx context.Context, key session.Key, where *driver.Condition) error {
	_, err := do(ctx, call{Key: key, Delete: true, Where: where})
	return err
}

func (do caller) List(ctx context.Context, f session.ListOptions) (session.Listing, error) {
	r, err := do(ctx, call{List: &f})
	return r.Page, err
}

func (do caller) Due(ctx context.Context, by time.Time, limit int) ([]session.Key, error) {
	r, err := do(ctx, call{Due: &by, Limit: limit})
	return r.Page.Keys, err
}
