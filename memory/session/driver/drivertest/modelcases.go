package drivertest

import (
	"errors"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func modelCases() []testCase {
	return []testCase{{
		Name:  "like the model",
		About: "Whatever is done in whatever order, a store answers as the model does, a map with simple rules.",
		Run:   func(e *env) { rapid.Check(e, func(t *rapid.T) { newPair(e, t).run() }) },
	}}
}

// pair is a store and its model.
type pair struct {
	*rapid.T
	e *env
	model
	keys []driver.Key
	// start is the time of the store's clock at model.passed 0. It is zero until known.
	start     time.Time
	revisions map[uint64]bool // of all sessions created
}

func newPair(e *env, t *rapid.T) *pair {
	p := &pair{T: t, e: e, model: model{sessions: map[driver.Key]*modelSession{}}, revisions: map[uint64]bool{}}
	for _, id := range []string{"a", "b", "c"} {
		p.keys = append(p.keys, driver.Key{Namespace: "model", SessionID: id})
	}
	for _, key := range p.keys {
		require.NoError(t, e.store.Delete(e.ctx, key, nil))
	}
	return p
}

func (p *pair) run() {
	actions := []func(driver.Key){p.doAppend, p.doAppend, p.doWrite, p.doWrite, p.doWrite, p.doDelete, p.doLoad, p.doList, p.doDue}
	if p.e.harness.Sleep != nil {
		actions = append(actions, p.doSleep)
	}
	for range rapid.IntRange(1, 30).Draw(p.T, "actions") {
		key := rapid.SampledFrom(p.keys).Draw(p.T, "key")
		actions[rapid.IntRange(0, len(actions)-1).Draw(p.T, "action")](key)
		p.compare(key, -1)
	}
	for _, key := range p.keys {
		p.compare(key, -1)
	}
}

// same requires that the error of the store is one that the model allows.
func (p *pair) same(want []error, got error) {
	p.Helper()
	if len(want) == 0 {
		require.NoError(p, got)
		return
	}
	for _, err := range want {
		if _, later := errors.AsType[*driver.FormatError](got); later && err == errLater || errors.Is(got, err) {
			return
		}
	}
	require.Fail(p, "another error", "want one of %v, got %v", want, got)
}

func (p *pair) doAppend(key driver.Key) {
	a := driver.Append{
		Messages: p.messages(), Head: p.head(), Format: p.format(), TTL: p.ttl(), Window: p.window(), Now: p.now(),
		Due: p.someDue(),
	}
	was := p.find(key)
	got, added, err := p.e.store.Append(p.e.ctx, key, a)
	want, wantAdded, errs := p.append(key, a, got)
	p.same(errs, err)
	require.Equal(p, wantAdded, added, "messages added")
	requireSamePosition(p, want, got)
	p.created(was == nil && err == nil, got)
	p.expires(a.TTL, got, err)
}

func (p *pair) doWrite(key driver.Key) {
	w := driver.Write{
		If: p.condition(key), Messages: p.messages(), Head: p.head(), Format: p.format(), TTL: p.ttl(), Window: p.window(), Now: p.now(),
	}
	if rapid.Bool().Draw(p.T, "with due") {
		w.Due = new(p.someDue())
	}
	was := p.find(key)
	if was != nil {
		w.DropBefore = was.First + rapid.Uint64Range(0, 5).Draw(p.T, "drop")
	}
	got, err := p.e.store.Write(p.e.ctx, key, w)
	want, errs := p.write(key, w, got)
	p.same(errs, err)
	requireSamePosition(p, want, got)
	p.created(was == nil && err == nil, got)
	p.expires(w.TTL, got, err)
}

func (p *pair) doDelete(key driver.Key) {
	var where *driver.Condition
	if rapid.Bool().Draw(p.T, "conditional") {
		where = new(p.condition(key))
	}
	err := p.e.store.Delete(p.e.ctx, key, where)
	p.same(p.delete(key, where), err)
}

func (p *pair) doLoad(key driver.Key) {
	p.compare(key, rapid.IntRange(-1, 6).Draw(p.T, "last"))
}

func (p *pair) doList(driver.Key) {
	f := driver.ListOptions{
		Namespace: new("model"),
		Limit:     rapid.SampledFrom([]int{-1, 1, 2, 3, 4}).Draw(p.T, "limit"),
		Offset:    rapid.IntRange(0, 4).Draw(p.T, "offset"),
	}
	if rapid.Bool().Draw(p.T, "by id") {
		f.SessionID = new(rapid.SampledFrom([]string{"a", "b", ""}).Draw(p.T, "id"))
	}
	got, err := p.e.store.List(p.e.ctx, f)
	require.NoError(p, err)
	want := p.list(f)
	require.Equal(p, want.Total, got.Total)
	require.Equal(p, fmt.Sprint(want.Keys), fmt.Sprint(got.Keys))
}

// doSleep lets full seconds pass. Sessions live for half a second more than full seconds, so
// that rounding does not matter.
func (p *pair) doSleep(driver.Key) {
	d := time.Duration(rapid.IntRange(1, 5).Draw(p.T, "seconds")) * time.Second
	p.e.harness.Sleep(d)
	p.passed += d
}

// compare compares a session with that of the model.
func (p *pair) compare(key driver.Key, last int) {
	p.Helper()
	got, err := p.e.store.Load(p.e.ctx, key, last)
	want := p.find(key)
	if want == nil {
		require.ErrorIs(p, err, driver.ErrNotFound)
		return
	}
	require.NoError(p, err)
	requireSamePosition(p, want.Position, got.Position)
	require.Equal(p, want.Format, got.Format)
	require.Equal(p, string(want.Head), string(got.Head))
	all := want.Messages
	if last >= 0 {
		all = all[max(0, len(all)-last):]
	}
	requireMessages(p, all, got.Messages)
}

// created requires a new revision for each session created.
func (p *pair) created(made bool, at driver.Position) {
	if made {
		require.NotZero(p, at.Revision)
		require.False(p, p.revisions[at.Revision], "revision %d was there before", at.Revision)
		p.revisions[at.Revision] = true
	}
}

// expires requires that a session expires on time by the store's clock.
func (p *pair) expires(ttl time.Duration, at driver.Position, err error) {
	if ttl <= 0 || err != nil {
		return
	}
	require.False(p, at.ExpiresAt.IsZero(), "no expiry")
	start := at.ExpiresAt.Add(-p.passed - ttl)
	if p.start.IsZero() {
		p.start = start
	}
	slack := time.Millisecond
	if p.e.harness.Sleep == nil {
		slack = patience
	}
	require.WithinDuration(p, p.start, start, slack, "expiry")
}

func (p *pair) condition(key driver.Key) driver.Condition {
	s := p.find(key)
	if s == nil {
		return driver.Condition{Revision: rapid.SampledFrom([]uint64{0, 0, 1}).Draw(p.T, "revision")}
	}
	return rapid.SampledFrom([]driver.Condition{
		at(s.Position), at(s.Position), {Revision: s.Revision}, {Revision: s.Revision}, {},
		{Revision: s.Revision + 1}, {Revision: s.Revision - 1}, {Revision: s.Revision, Next: s.Next + 1}, {Revision: s.Revision, Next: s.First},
	}).Draw(p.T, "condition")
}

func (p *pair) messages() []driver.StoredMessage {
	ids := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g"}), 0, 4).Draw(p.T, "ids")
	all := messages(ids...)
	for i := range all {
		// Messages of the same id differ, to detect which of them was kept.
		all[i].Tokens = rapid.Int64Range(0, 9).Draw(p.T, "tokens")
	}
	return all
}

func (p *pair) head() []byte {
	return []byte(rapid.SampledFrom([]string{`1`, `{"a":1}`, `""`}).Draw(p.T, "head"))
}

func (p *pair) format() int { return rapid.SampledFrom([]int{1, 1, 1, 1, 1, 2}).Draw(p.T, "format") }

func (p *pair) ttl() time.Duration {
	short, long := 2500*time.Millisecond, 4500*time.Millisecond
	if p.e.harness.Sleep == nil {
		short, long = time.Hour, 2*time.Hour
	}
	return rapid.SampledFrom([]time.Duration{0, 0, 0, driver.NoExpiry, short, long}).Draw(p.T, "TTL")
}

func (p *pair) window() int64 {
	return rapid.SampledFrom([]int64{0, 0, 8000, 16000}).Draw(p.T, "window")
}

func (p *pair) now() time.Time {
	return writeTime.Add(time.Duration(rapid.IntRange(0, 10_000).Draw(p.T, "µs")) * time.Microsecond)
}
