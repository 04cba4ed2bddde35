package drivertest

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// What may be wrong with what is due.
const (
	dueIgnored      = "due is ignored"
	dueOverwritten  = "append overwrites when a session is due"
	dueOnlyIfAdded  = "an append that adds nothing makes nothing due"
	dueLost         = "a write that does not say when loses when a session is due"
	dueSticks       = "the zero time leaves a session due"
	dueRefusedToo   = "what is refused makes due"
	dueInFull       = "due to the nanosecond"
	dueInSeconds    = "due to the second"
	dueStays        = "what is gone stays due"
	dueListsGone    = "what is gone is listed until it is made again"
	dueByName       = "due in the order of names"
	dueUnlimited    = "due has no limit"
	dueSomeInOrder  = "due picks some by name and puts them in order"
	dueExclusive    = "due at a time is not due by it"
	dueByText       = "due looks for texts of keys"
	dueNotForOthers = "what another made due later is lost"
)

func dueFaults() []fault {
	faults := map[string][]string{
		dueIgnored:      {"due by append", "due by write", "due in order", "due of keys of all sorts", "due at once", "due of many at once", "like the model"},
		dueOverwritten:  {"due by append", "like the model"},
		dueOnlyIfAdded:  {"due by append", "due and deleted", "like the model"},
		dueLost:         {"due by write", "like the model"},
		dueSticks:       {"due by write", "due of many at once", "like the model"},
		dueRefusedToo:   {"due is left by what is refused", "like the model"},
		dueInFull:       {"due by append", "due by write", "like the model"},
		dueInSeconds:    {"due by append", "due of keys of all sorts", "like the model"},
		dueStays:        {"due and deleted", "expired: due", "like the model"},
		dueListsGone:    {"due and deleted", "expired: due", "due of many at once", "like the model"},
		dueByName:       {"due in order", "due of keys of all sorts", "like the model"},
		dueUnlimited:    {"due in order", "like the model"},
		dueSomeInOrder:  {"due in order"},
		dueExclusive:    {"due by append", "due in order", "like the model"},
		dueByText:       {"due of keys of all sorts"},
		dueNotForOthers: {"due by append", "due at once"},
	}
	var all []fault
	for _, name := range slices.Sorted(maps.Keys(faults)) {
		all = append(all, fault{name, func(s driver.Store, _ *clock) *broken { return newDueTable(s, name).broken() }, faults[name]})
	}
	return all
}

// dueTable keeps when sessions are due beside a store that does not, with a flaw.
type dueTable struct {
	driver.Store
	flaw string
	mu   sync.Mutex
	at   map[session.Key]time.Time
}

func newDueTable(s driver.Store, flaw string) *dueTable {
	return &dueTable{Store: s, flaw: flaw, at: map[session.Key]time.Time{}}
}

func (d *dueTable) broken() *broken {
	return &broken{Store: d.Store, load: d.load, append: d.append, write: d.write, delete: d.delete, due: d.due}
}

func (d *dueTable) there(key session.Key) bool {
	_, err := d.Store.Load(context.Background(), key, 0)
	return err == nil
}

func (d *dueTable) set(key session.Key, due time.Time) {
	switch {
	case due.IsZero():
		delete(d.at, key)
	case d.flaw == dueInFull:
		d.at[key] = due
	case d.flaw == dueInSeconds:
		d.at[key] = due.Truncate(time.Second)
	case d.flaw != dueIgnored:
		d.at[key] = millis(due)
	}
}

// made forgets when a session was due that is made again.
func (d *dueTable) made(key session.Key, was bool) {
	if !was && d.flaw != dueStays {
		delete(d.at, key)
	}
}

func (d *dueTable) load(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r, err := d.Store.Load(ctx, key, last)
	if err == nil {
		r.DueAt = d.at[key]
	}
	return r, err
}

func (d *dueTable) append(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	was, due := d.there(key), a.Due
	a.Due = time.Time{}
	p, added, err := d.Store.Append(ctx, key, a)
	if err != nil && d.flaw != dueRefusedToo {
		return p, added, err
	}
	d.made(key, was)
	lost := d.flaw == dueOnlyIfAdded && added == 0 || d.flaw == dueNotForOthers && was
	if (d.at[key].IsZero() || d.flaw == dueOverwritten) && !due.IsZero() && !lost {
		d.set(key, due)
	}
	p.DueAt = d.at[key]
	return p, added, err
}

func (d *dueTable) write(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	was, due := d.there(key), w.Due
	w.Due = nil
	p, err := d.Store.Write(ctx, key, w)
	if err != nil && d.flaw != dueRefusedToo {
		return p, err
	}
	d.made(key, was)
	if due == nil && d.flaw == dueLost {
		due = &time.Time{}
	}
	if due != nil && (d.flaw != dueSticks || !due.IsZero()) {
		d.set(key, *due)
	}
	p.DueAt = d.at[key]
	return p, err
}

func (d *dueTable) delete(ctx context.Context, key session.Key, where *driver.Condition) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.Store.Delete(ctx, key, where)
	if err == nil && d.flaw != dueListsGone && d.flaw != dueStays {
		delete(d.at, key)
	}
	return err
}

func (d *dueTable) due(ctx context.Context, by time.Time, limit int) ([]session.Key, error) {
	if _, err := d.Store.Due(ctx, by, 0); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var keys []session.Key
	for key, at := range d.at {
		if at.After(by) || d.flaw == dueExclusive && at.Equal(by) {
			continue
		}
		if d.flaw == dueListsGone || d.there(key) {
			if d.flaw == dueByText {
				key, _ = session.ParseKey(key.Namespace + "/" + key.UserID + "/" + key.SessionID)
			}
			keys = append(keys, key)
		}
	}
	keys = sorted(keys)
	limit = min(max(limit, 0), len(keys))
	if d.flaw == dueUnlimited {
		limit = len(keys)
	}
	if d.flaw == dueSomeInOrder {
		keys = keys[:limit]
	}
	if d.flaw != dueByName {
		slices.SortStableFunc(keys, func(a, b session.Key) int { return d.at[a].Compare(d.at[b]) })
	}
	return keys[:limit], nil
}

func concurrencyFaults() []fault {
	return []fault{{
		"write looks, then writes", looksThenWrites,
		[]string{"made at once", "changed at once"},
	}, {
		"append writes the whole session", appendsWhole,
		[]string{"appended at once", "appends and drops"},
	}, {
		"append looks for ids, then adds", looksThenAdds,
		[]string{"the same ids at once"},
	}, {
		"write writes the head, then the messages", writesInTwo,
		[]string{"reads are whole"},
	}, {
		"append gives up when the session changes", givesUp,
		[]string{"appended and deleted at once"},
	}, {
		"a handle reads what it has read before", readsBefore,
		[]string{"handles see each other's writes"},
	}}
}

// meeting has clients wait for one another where a fault needs two in one place. When
// one waits for too long, as no other is left, there are no meetings anymore.
type meeting struct {
	mu      sync.Mutex
	waiting chan struct{}
	alone   bool
}

func (m *meeting) wait() {
	m.mu.Lock()
	if m.alone {
		m.mu.Unlock()
		return
	}
	if m.waiting != nil {
		close(m.waiting)
		m.waiting = nil
		m.mu.Unlock()
		return
	}
	met := make(chan struct{})
	m.waiting = met
	m.mu.Unlock()
	select {
	case <-met:
	case <-time.After(2 * time.Second):
		m.mu.Lock()
		defer m.mu.Unlock()
		m.alone = true
	}
}

func looksThenWrites(s driver.Store, _ *clock) *broken {
	var m meeting
	return &broken{Store: s, write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
		r, err := s.Load(ctx, key, 0)
		if err != nil && w.If.Revision != 0 || err == nil && (w.If.Revision != r.Revision || w.If.Next != 0 && w.If.Next != r.Next) {
			return driver.Position{}, session.ErrConflict
		}
		m.wait()
		for {
			w.If = driver.Condition{}
			if r, err := s.Load(ctx, key, 0); err == nil {
				w.If = at(r.Position)
			}
			if p, err := s.Write(ctx, key, w); err == nil {
				return p, nil
			}
		}
	}}
}

func appendsWhole(s driver.Store, _ *clock) *broken {
	var m meeting
	return &broken{Store: s, append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
		r, err := s.Load(ctx, key, -1)
		if err == nil {
			a.Messages = slices.Concat(r.Messages, a.Messages)
		}
		m.wait()
		_ = s.Delete(ctx, key, nil)
		p, added, err := s.Append(ctx, key, a)
		if r != nil {
			added -= len(r.Messages)
		}
		return p, added, err
	}}
}

func looksThenAdds(s driver.Store, _ *clock) *broken {
	var m meeting
	b := idsAgain(s, nil)
	load, add := b.load, b.append
	b.append = func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
		if r, err := load(ctx, key, -1); err == nil {
			there := idsOf(r.Messages)
			a.Messages = slices.DeleteFunc(slices.Clone(a.Messages), func(m driver.StoredMessage) bool { return slices.Contains(there, m.ID) })
		}
		m.wait()
		return add(ctx, key, a)
	}
	return b
}

func writesInTwo(s driver.Store, _ *clock) *broken {
	var reads atomic.Int64
	var alone atomic.Bool
	// As many reads are under way as there are clients at most: one more, and one of
	// them has begun after the head was written.
	letRead := func() {
		deadline := time.Now().Add(time.Second)
		for enough := reads.Load() + clients + 1; reads.Load() < enough && !alone.Load(); runtime.Gosched() {
			if time.Now().After(deadline) {
				alone.Store(true)
			}
		}
	}
	return &broken{
		Store: s,
		load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
			defer reads.Add(1)
			return s.Load(ctx, key, last)
		},
		write: func(ctx context.Context, key session.Key, w driver.Write) (driver.Position, error) {
			messages := w.Messages
			w.Messages = nil
			p, err := s.Write(ctx, key, w)
			if err != nil {
				return p, err
			}
			letRead()
			p, _, err = s.Append(ctx, key, driver.Append{Messages: messages, Head: []byte(fmt.Sprint(len(messages))), Format: w.Format, Now: w.Now})
			return p, err
		},
	}
}

func givesUp(s driver.Store, _ *clock) *broken {
	var m meeting
	return &broken{Store: s, append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
		var where driver.Condition
		r, err := s.Load(ctx, key, 0)
		if err == nil {
			where = at(r.Position)
		}
		m.wait()
		p, err := s.Write(ctx, key, driver.Write{If: where, Head: a.Head, Messages: a.Messages, Format: a.Format, Now: a.Now})
		return p, len(a.Messages), err
	}}
}

// readsBefore keeps what it has read until it writes.
func readsBefore(s driver.Store, c *clock) *broken {
	read := map[session.Key]*driver.StoredSession{}
	return &broken{
		Store:   s,
		another: func() *broken { return readsBefore(s, c) },
		load: func(ctx context.Context, key session.Key, last int) (*driver.StoredSession, error) {
			if r := read[key]; r != nil {
				return r, nil
			}
			r, err := s.Load(ctx, key, last)
			if err == nil {
				read[key] = r
			}
			return r, err
		},
		append: func(ctx context.Context, key session.Key, a driver.Append) (driver.Position, int, error) {
			delete(read, key)
			return s.Append(ctx, key, a)
		},
	}
}
