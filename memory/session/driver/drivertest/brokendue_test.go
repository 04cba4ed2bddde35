package drivertest

import (
	"context"
	"maps"
	"slices"
	"sync"
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
