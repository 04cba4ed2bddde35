package drivertest

import (
	"strconv"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func modelCases() []testCase {
	return []testCase{{
		Name:  "agrees with the model",
		About: "After any sequence of calls, an index answers like the model, a map with simple rules.",
		Run: func(e *env) {
			run := 0
			rapid.Check(e, func(t *rapid.T) {
				run++
				p := &pair{T: t, e: e, model: model{}, namespace: "model" + strconv.Itoa(run)}
				t.Repeat(map[string]func(*rapid.T){"write": p.write, "touch": p.touch, "search": p.search, "lookup": p.lookup})
			})
		},
	}}
}

// pair is an index and its model, in a namespace of their own.
type pair struct {
	*rapid.T
	e *env
	model
	namespace string
}

func (p *pair) key(t *rapid.T) driver.RecordKey {
	return driver.RecordKey{
		Namespace: p.namespace, UserID: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "user"),
		ID: rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "id"),
	}
}

func (p *pair) entry(t *rapid.T, key driver.RecordKey) *driver.Entry {
	r := drawRecord(t, p.namespace, "text")
	r.UserID, r.ID = key.UserID, key.ID
	r.Hash = hash(rapid.SampledFrom([]string{key.ID, key.ID, "x", "y"}).Draw(t, "hash"))
	word := rapid.SampledFrom([]string{"term", "window", "seat", "a b", "'"})
	e := &driver.Entry{Record: r, Terms: rapid.SliceOfN(word, 0, 5).Draw(t, "terms")}
	if rapid.Bool().Draw(t, "vector") {
		e.Vector, e.Model = p.vector(t), rapid.SampledFrom([]string{"model", "model", "other"}).Draw(t, "model")
	}
	return e
}

func (p *pair) vector(t *rapid.T) []float32 {
	number := func(name string, from int) float64 { return float64(rapid.IntRange(from, 4).Draw(t, name)) }
	direction := []float64{number("x", 1), number("y", -4), number("z", -4)}
	return unit(direction[:rapid.SampledFrom([]int{2, 3, 3, 3}).Draw(t, "dimension")]...)
}

// write applies some changes, most of them on the right version.
func (p *pair) write(t *rapid.T) {
	var changes []driver.RecordChange
	for _, key := range rapid.SliceOfNDistinct(rapid.Custom(p.key), 1, 4, func(k driver.RecordKey) driver.RecordKey { return k }).Draw(t, "keys") {
		change := driver.RecordChange{Key: key, If: p.model[key].Version}
		switch rapid.IntRange(0, 9).Draw(t, "what") {
		case 0:
			change.If++
		case 1:
			change.If = 0
		case 2, 3, 4:
			change.If = p.model[key].Version // and no entry
			changes = append(changes, change)
			continue
		}
		change.Entry = p.entry(t, key)
		changes = append(changes, change)
	}
	after, allowed := p.model.write(changes)
	err := p.e.index.Write(p.e.ctx, changes)
	if !allowed {
		require.ErrorIs(t, err, driver.ErrConflict)
		return
	}
	require.NoError(t, err)
	p.model = after
	for _, c := range changes {
		p.reread(t, c.Key)
	}
}

// write returns the model after changes. It reports false if they conflict.
func (m model) write(changes []driver.RecordChange) (after model, allowed bool) {
	after = model{}
	for key, of := range m {
		after[key] = of
	}
	for _, c := range changes {
		if m[c.Key].Version != c.If {
			return nil, false
		}
		delete(after, c.Key)
		if c.Entry != nil {
			after[c.Key] = *c.Entry
		}
	}
	hashes := map[driver.RecordKey]bool{}
	for key, of := range after {
		key.ID = of.Record.Hash
		if hashes[key] {
			return nil, false
		}
		hashes[key] = true
	}
	return after, true
}

// reread reads the version that a change has given an entry.
func (p *pair) reread(t *rapid.T, key driver.RecordKey) {
	found, err := p.e.index.Lookup(p.e.ctx, driver.Lookup{Keys: []driver.RecordKey{key}})
	require.NoError(t, err)
	of, exists := p.model[key]
	if !exists {
		require.Empty(t, found)
		return
	}
	require.Len(t, found, 1)
	requireSameRecord(t, &of.Record, &found[0].Record)
	require.NotEqual(t, of.Version, found[0].Version)
	of.Version = found[0].Version
	p.model[key] = of
}

func (p *pair) touch(t *rapid.T) {
	keys := rapid.SliceOfNDistinct(rapid.Custom(p.key), 0, 4, func(k driver.RecordKey) driver.RecordKey { return k }).Draw(t, "keys")
	at := drawTime(t, "at")
	if at.IsZero() {
		at = made
	}
	require.NoError(t, p.e.index.Touch(p.e.ctx, keys, at))
	for _, key := range keys {
		of, exists := p.model[key]
		if exists {
			of.Record.AccessCount++
			if of.Record.LastAccessed.Before(at) {
				of.Record.LastAccessed = at
			}
			p.model[key] = of
		}
		p.reread(t, key)
	}
}

func (p *pair) search(t *rapid.T) {
	s := driver.Search{
		Scope: longterm.OfNamespace(p.namespace), Mode: driver.SearchMode(rapid.IntRange(0, 3).Draw(t, "mode")),
		Order: driver.Order(rapid.IntRange(0, 2).Draw(t, "order")), Model: "model", Vector: p.vector(t),
		Terms:   rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"term", "window", "seat", "a b", "'", "none"}), 0, 3, rapid.ID[string]).Draw(t, "terms"),
		Ranking: driver.Ranking{Alpha: rapid.Float64Range(0, 1).Draw(t, "alpha"), Now: made},
		Limit:   rapid.IntRange(0, 5).Draw(t, "limit"), Offset: rapid.IntRange(0, 3).Draw(t, "offset"),
	}
	if rapid.Bool().Draw(t, "owner") {
		s.Scope = longterm.Of(p.namespace, rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "user"))
	}
	if rapid.Bool().Draw(t, "filter") {
		s.Filter = drawFilter(t, p.namespace)
	}
	if rapid.Bool().Draw(t, "recency") {
		s.Ranking.Recency = new(longterm.DefaultRecency())
	}
	if s.Mode == driver.ModeList && s.Order == driver.OrderKey && rapid.Bool().Draw(t, "after") {
		s.After, s.Offset = new(p.key(t)), 0
	}
	page, err := p.e.index.Search(p.e.ctx, s)
	require.NoError(t, err)
	requireLikeModel(t, p.model, s, page)
	if s.Mode == driver.ModeList {
		requireSameWithoutTotal(t, p.e, s, page)
	}
}

func (p *pair) lookup(t *rapid.T) {
	l := driver.Lookup{Namespace: p.namespace, UserID: "a", Hashes: []string{hash("x"), hash("1"), hash("none")}, Keys: []driver.RecordKey{p.key(t)}}
	found, err := p.e.index.Lookup(p.e.ctx, l)
	require.NoError(t, err)
	want := model{}
	for key, of := range p.model {
		if key == l.Keys[0] || key.UserID == "a" && (of.Record.Hash == hash("x") || of.Record.Hash == hash("1")) {
			want[key] = of
		}
	}
	require.Len(t, found, len(want))
	for _, got := range found {
		of := want[driver.KeyOf(&got.Record)]
		requireSameRecord(t, &of.Record, &got.Record)
		require.Equal(t, of.Version, got.Version)
		require.Equal(t, of.Vector, got.Vector)
		require.Equal(t, of.Model, got.Model)
	}
}
