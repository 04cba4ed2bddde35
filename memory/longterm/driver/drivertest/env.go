package drivertest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// made is when most records were created.
var made = time.Date(2026, 3, 4, 5, 6, 7, 123_456_000, time.UTC)

// anna is the owner of most records.
var anna = longterm.Of("shop", "anna")

// keyOf returns the key of a record of Anna's.
func keyOf(id string) longtermdriver.RecordKey {
	return longtermdriver.RecordKey{Namespace: "shop", UserID: "anna", ID: id}
}

// record returns a record of Anna's.
func record(id, text string) longtermdriver.Record { return recordOf(keyOf(id), text) }

func recordOf(key longtermdriver.RecordKey, text string) longtermdriver.Record {
	return longtermdriver.Record{
		ID: key.ID, Namespace: key.Namespace, UserID: key.UserID, Text: text,
		Type: sessiondriver.RecordSemantic, CreatedAt: made, Hash: hash(key.ID),
	}
}

// hash returns a text that looks like a result of driver.HashOf.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// entry returns an entry of a record, without a vector.
func entry(r longtermdriver.Record) longtermdriver.Entry {
	return longtermdriver.Entry{Record: r, Terms: longtermdriver.RecordTerms(&r)}
}

// embedded returns an entry of a record with a vector in a direction.
func embedded(r longtermdriver.Record, direction ...float64) longtermdriver.Entry {
	e := entry(r)
	e.Vector, e.Model = unit(direction...), "model"
	return e
}

// unit returns a vector of length 1.
func unit(direction ...float64) []float32 {
	squares := 0.0
	for _, x := range direction {
		squares += x * x
	}
	vector := make([]float32, len(direction))
	for i, x := range direction {
		vector[i] = float32(x / math.Sqrt(squares))
	}
	return vector
}

// adding returns the changes that add entries.
func adding(entries ...longtermdriver.Entry) []longtermdriver.RecordChange {
	changes := make([]longtermdriver.RecordChange, len(entries))
	for i := range entries {
		changes[i] = longtermdriver.RecordChange{Key: longtermdriver.KeyOf(&entries[i].Record), Entry: &entries[i]}
	}
	return changes
}

// add adds entries with unused keys.
func (e *env) add(entries ...longtermdriver.Entry) {
	e.Helper()
	for len(entries) > 0 {
		n := min(len(entries), longtermdriver.MaxChanges)
		require.NoError(e, e.index.Write(e.ctx, adding(entries[:n]...)))
		entries = entries[n:]
	}
}

// addTexts adds records of Anna's, given as alternating ids and texts.
func (e *env) addTexts(idsAndTexts ...string) {
	e.Helper()
	for i := 0; i < len(idsAndTexts); i += 2 {
		e.add(entry(record(idsAndTexts[i], idsAndTexts[i+1])))
	}
}

func (e *env) write(changes ...longtermdriver.RecordChange) {
	e.Helper()
	require.NoError(e, e.index.Write(e.ctx, changes))
}

// conflict requires that a Write is refused.
func (e *env) conflict(changes ...longtermdriver.RecordChange) {
	e.Helper()
	require.ErrorIs(e, e.index.Write(e.ctx, changes), longtermdriver.ErrConflict)
}

func (e *env) lookup(l longtermdriver.Lookup) []longtermdriver.Entry {
	e.Helper()
	found, err := e.index.Lookup(e.ctx, l)
	require.NoError(e, err)
	return found
}

// get returns the entry of a key.
func (e *env) get(key longtermdriver.RecordKey) longtermdriver.Entry {
	e.Helper()
	found := e.lookup(longtermdriver.Lookup{Keys: []longtermdriver.RecordKey{key}})
	require.Len(e, found, 1, "entries of %q", key)
	require.Equal(e, key, longtermdriver.KeyOf(&found[0].Record))
	require.NotZero(e, found[0].Version)
	return found[0]
}

func (e *env) version(id string) uint64 {
	e.Helper()
	return e.get(keyOf(id)).Version
}

// absent requires that a key has no entry.
func (e *env) absent(key longtermdriver.RecordKey) {
	e.Helper()
	require.Empty(e, e.lookup(longtermdriver.Lookup{Keys: []longtermdriver.RecordKey{key}}), "%q exists", key)
}

func (e *env) search(s longtermdriver.Search) longtermdriver.HitPage {
	e.Helper()
	page, err := e.index.Search(e.ctx, s)
	require.NoError(e, err)
	return page
}

// listing returns a search for all of Anna's records, by key.
func listing() longtermdriver.Search {
	return longtermdriver.Search{Scope: anna, Order: longtermdriver.OrderKey, Limit: longtermdriver.MaxPage}
}

// asking returns a keyword search of Anna's.
func asking(terms ...string) longtermdriver.Search {
	return longtermdriver.Search{Scope: anna, Mode: longtermdriver.ModeKeyword, Terms: terms, Limit: 100}
}

// near returns a semantic search of Anna's.
func near(direction ...float64) longtermdriver.Search {
	return longtermdriver.Search{Scope: anna, Mode: longtermdriver.ModeSemantic, Vector: unit(direction...), Model: "model", Limit: 100}
}

// both returns a hybrid search of Anna's.
func both(alpha float64, term string, direction ...float64) longtermdriver.Search {
	s := near(direction...)
	s.Mode, s.Terms, s.Ranking.Alpha = longtermdriver.ModeHybrid, []string{term}, alpha
	return s
}

// ids returns the ids of hits, in order.
func ids(page longtermdriver.HitPage) []string {
	all := make([]string, len(page.Hits))
	for i, hit := range page.Hits {
		all[i] = hit.Record.ID
	}
	return all
}

// finds requires that a search finds exactly these records, in this order.
func (e *env) finds(s longtermdriver.Search, want ...string) longtermdriver.HitPage {
	e.Helper()
	page := e.search(s)
	require.Equal(e, append([]string{}, want...), ids(page))
	require.Equal(e, len(want), page.Total, "total")
	return page
}

// unchanged requires that do changes no entry.
func (e *env) unchanged(do func()) {
	e.Helper()
	before := e.everything()
	do()
	require.Equal(e, before, e.everything())
}

// everything returns all entries of an index, by key.
func (e *env) everything() []longtermdriver.Entry {
	e.Helper()
	var all []longtermdriver.Entry
	s := longtermdriver.Search{Scope: longterm.Everyone(), Order: longtermdriver.OrderKey, Limit: longtermdriver.MaxPage}
	for {
		page := e.search(s)
		for _, hit := range page.Hits {
			key := longtermdriver.KeyOf(&hit.Record)
			all = append(all, e.get(key))
			s.After = &key
		}
		if len(page.Hits) < longtermdriver.MaxPage {
			return all
		}
	}
}

// numbered returns the ids "<prefix>00000" and so on, in the order of keys.
func numbered(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%s%05d", prefix, i)
	}
	return all
}
