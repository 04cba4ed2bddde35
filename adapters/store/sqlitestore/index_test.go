package sqlitestore_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// texts are such that SQL, JSON and FTS5 may stumble over.
var texts = []string{"", "a", "A", "ab", "a\x00", "a\x00b", "\x00", "a%", "a_", "a:1:1", "a;", "ä", "äb", "日本", "'\"", "a b", "null", "\U0010ffff", "a\U0010ffff"}

// some are things made at random.
type some struct{ *rand.Rand }

func (r some) text() string { return texts[r.IntN(len(texts))] }

func (r some) texts(most int) (list []string) {
	for range r.IntN(most + 1) {
		list = append(list, r.text())
	}
	return list
}

// time is one of few, in part of a µs, or not known.
func (r some) time() time.Time {
	if r.IntN(4) == 0 {
		return time.Time{}
	}
	return time.Unix(1_700_000_000, int64(r.IntN(8))*250).In(time.FixedZone("", 3600))
}

func (r some) vector() []float32 {
	if r.IntN(4) == 0 {
		return nil
	}
	return [][]float32{{1, 0, 0}, {0, 1, 0}, {0.6, 0.8, 0}, {0, -1, 0}, {0, 0, 0, 1}}[r.IntN(5)]
}

func (r some) key() driver.RecordKey {
	return driver.RecordKey{Namespace: texts[r.IntN(3)], UserID: texts[r.IntN(3)], ID: r.text() + "."}
}

func (r some) entry(key driver.RecordKey) *driver.Entry {
	e := &driver.Entry{
		Record: longterm.Record{
			ID: key.ID, Namespace: key.Namespace, UserID: key.UserID, SessionID: r.text(), Text: r.text(),
			Type: []session.RecordType{session.RecordSemantic, session.RecordMessage}[r.IntN(2)], ExtractionStrategy: r.text(),
			Topics: r.texts(3), Entities: r.texts(3), ExtractedFrom: r.texts(2), Pinned: r.IntN(2) == 0,
			CreatedAt: r.time(), UpdatedAt: r.time(), LastAccessed: r.time(), EventDate: r.time(),
			AccessCount: r.IntN(3), Hash: fmt.Sprint(r.IntN(20)), Metadata: map[string]any{r.text(): r.text(), "n": 1 << 62, "f": 0.1},
		},
		Terms: r.texts(6), Vector: r.vector(), Model: "m",
	}
	if r.IntN(8) == 0 {
		e.Model = "other"
	}
	return e
}

func (r some) condition() *longterm.TextCondition {
	if r.IntN(6) > 0 {
		return nil
	}
	t := &longterm.TextCondition{}
	switch r.IntN(7) {
	case 0:
		t.Eq = new(r.text())
	case 1:
		t.Ne = new(r.text())
	case 2:
		t.Any = append(r.texts(3), r.text())
	case 3:
		t.All = append(r.texts(2), r.text())
	case 4:
		t.StartsWith = new(texts[1+r.IntN(len(texts)-1)])
	case 5:
		t.Ne, t.StartsWith = new(r.text()), new("a")
	case 6:
		t.None = append(r.texts(3), r.text())
	}
	return t
}

func (r some) when() *longterm.TimeCondition {
	if r.IntN(6) > 0 {
		return nil
	}
	at := r.time()
	after := at.Add(time.Microsecond)
	return []*longterm.TimeCondition{
		{Eq: &at}, {Ne: &at}, {Gt: &at}, {Lt: &at}, {Gte: &at}, {Lte: &at}, {Between: &[2]time.Time{at, after}}, {Gte: &at, Ne: &after},
	}[r.IntN(8)]
}

func (r some) filter() longterm.RecordFilter {
	f := longterm.RecordFilter{
		ID: r.condition(), Namespace: r.condition(), UserID: r.condition(), SessionID: r.condition(), Strategy: r.condition(),
		Topics: r.condition(), Entities: r.condition(),
		CreatedAt: r.when(), UpdatedAt: r.when(), LastAccessed: r.when(), EventDate: r.when(),
	}
	if r.IntN(6) == 0 {
		f.Type = &longterm.TextCondition{Any: []string{"semantic", "x"}}
	}
	if r.IntN(6) == 0 {
		f.Pinned = new(r.IntN(2) == 0)
	}
	return f
}

func (r some) search() driver.Search {
	s := driver.Search{Filter: r.filter(), Mode: longterm.SearchMode(r.IntN(4)), Limit: r.IntN(20)}
	s.Scope = []longterm.Scope{
		longterm.Of(texts[r.IntN(3)], texts[r.IntN(3)]), longterm.OfNamespace(texts[r.IntN(3)]),
		longterm.OfUser(texts[r.IntN(3)]), longterm.Everyone(), longterm.Of("nobody", ""),
	}[r.IntN(5)]
	if s.Mode == longterm.ModeList {
		s.Order = longterm.Order(r.IntN(3))
		if s.Order == longterm.OrderKey && r.IntN(2) == 0 {
			s.After = new(r.key())
			return s
		}
	} else {
		s.Ranking = driver.Ranking{Alpha: 0.5, Now: time.Unix(1_700_100_000, 0)}
		if r.IntN(2) == 0 {
			s.Ranking.Recency = new(longterm.DefaultRecency())
		}
		s.Terms, s.Vector, s.Model = append(r.texts(3), r.text()), []float32{0.8, 0.6, 0}, "m"
	}
	if s.Mode == longterm.ModeSemantic && r.IntN(2) == 0 {
		s.Ranking.MaxDistance = new(0.5)
	}
	s.Offset = r.IntN(4)
	return s
}

// twin is an index and the one in the process, which must do the same.
type twin struct {
	index, model driver.Index
}

// change makes changes in both, and requires that both allow them or neither.
func (w twin) change(tb testing.TB, r some) {
	tb.Helper()
	changes := map[driver.RecordKey]*driver.Entry{}
	for range 1 + r.IntN(6) {
		key := r.key()
		if changes[key] = r.entry(key); r.IntN(4) == 0 {
			changes[key] = nil
		}
	}
	wrong := r.IntN(10) == 0
	write := func(x driver.Index) error {
		var list []driver.RecordChange
		for key, e := range changes {
			c := driver.RecordChange{Key: key, Entry: e}
			found, err := x.Lookup(tb.Context(), driver.Lookup{Keys: []driver.RecordKey{key}})
			require.NoError(tb, err)
			for _, e := range found {
				c.If = e.Version
			}
			if wrong {
				c.If++
			}
			list = append(list, c)
		}
		return x.Write(tb.Context(), list)
	}
	err := write(w.model)
	if err != nil {
		require.ErrorIs(tb, err, longterm.ErrConflict)
		require.ErrorIs(tb, write(w.index), longterm.ErrConflict)
		return
	}
	require.NoError(tb, write(w.index))
}

// requireSame requires that a search finds the same in both.
func (w twin) requireSame(tb testing.TB, s driver.Search) int {
	tb.Helper()
	want, err := w.model.Search(tb.Context(), s)
	require.NoError(tb, err)
	got, err := w.index.Search(tb.Context(), s)
	require.NoError(tb, err)
	require.Equal(tb, want.Total, got.Total, "%+v", s)
	require.Len(tb, got.Hits, len(want.Hits))
	for i := range want.Hits {
		a, b := &want.Hits[i], &got.Hits[i]
		require.InDelta(tb, a.Score, b.Score, 1e-6)
		require.InDelta(tb, a.Keyword, b.Keyword, 1e-6)
		require.InDelta(tb, a.Similarity, b.Similarity, 1e-6)
		require.NotZero(tb, b.Version)
		a.Score, a.Keyword, a.Similarity, a.Version = b.Score, b.Keyword, b.Similarity, b.Version
		require.Equal(tb, a, b, "%+v", s)
	}
	return len(want.Hits)
}

// The file and the index in the process find the same, in the same order, whatever was
// written, touched and removed before.
func TestIndexDoesAsTheOneInTheProcess(t *testing.T) {
	t.Parallel()
	for seed := range uint64(soak.Times(1, 4)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := some{rand.New(rand.NewPCG(seed, 0))}
			w := twin{open(t, newPath(t), nil).Index(), memindex.New(nil)}
			found := 0
			for range soak.Times(15, 100) {
				w.change(t, r)
				keys, at := []driver.RecordKey{r.key(), r.key()}, r.time()
				require.NoError(t, w.model.Touch(t.Context(), keys, at))
				require.NoError(t, w.index.Touch(t.Context(), keys, at))
				for range 15 {
					found += w.requireSame(t, r.search())
				}
			}
			assert.Greater(t, found, soak.Times(100, 1000))
		})
	}
}

// What others write changes nothing in what one owner finds.
func TestRankingIsOfTheOwnersTextsAlone(t *testing.T) {
	t.Parallel()
	x := open(t, newPath(t), nil).Index()
	put := func(user, id, text string) {
		rec := longterm.Record{ID: id, UserID: user, Text: text, Hash: id}
		require.NoError(t, x.Write(t.Context(), []driver.RecordChange{{
			Key: driver.KeyOf(&rec), Entry: &driver.Entry{Record: rec, Terms: strings.Fields(text)},
		}}))
	}
	put("ann", "1", "tea green cup")
	put("ann", "2", "tea tea black pot of iron on the stove")
	put("ann", "3", "green black")
	search := func() driver.HitPage {
		page, err := x.Search(t.Context(), driver.Search{
			Scope: longterm.Of("", "ann"), Mode: longterm.ModeKeyword, Terms: []string{"tea", "green", "iron"}, Limit: 10,
		})
		require.NoError(t, err)
		require.Len(t, page.Hits, 3)
		return page
	}
	before := search()
	for i := range 50 {
		put("bob", fmt.Sprint(i), strings.Repeat("tea iron ", i+1))
	}
	assert.Equal(t, before, search())
}

func TestIndexRefuses(t *testing.T) {
	t.Parallel()
	store, err := sqlitestore.Open(t.Context(), newPath(t), nil)
	require.NoError(t, err)
	x := store.Index()
	many := make([]driver.RecordKey, driver.MaxChanges+1)
	_, err = x.Lookup(t.Context(), driver.Lookup{Keys: many})
	require.ErrorIs(t, err, longterm.ErrFilter)
	require.ErrorIs(t, x.Touch(t.Context(), many, time.Now()), longterm.ErrFilter)
	require.ErrorIs(t, x.Write(t.Context(), make([]driver.RecordChange, driver.MaxChanges+1)), longterm.ErrFilter)
	require.Error(t, x.Write(t.Context(), make([]driver.RecordChange, 2)), "a key twice")
	_, err = x.Search(t.Context(), driver.Search{})
	require.ErrorIs(t, err, longterm.ErrScope)
	bad := longterm.Record{ID: "1", Text: "secret", Hash: "h", Metadata: map[string]any{"secret": func() {}}}
	err = x.Write(t.Context(), []driver.RecordChange{{Key: driver.KeyOf(&bad), Entry: &driver.Entry{Record: bad}}})
	require.ErrorIs(t, err, longterm.ErrMetadata)
	assert.NotContains(t, err.Error(), "secret")

	require.NoError(t, store.Close())
	_, err = x.Lookup(t.Context(), driver.Lookup{Keys: many[:1]})
	require.ErrorIs(t, err, longterm.ErrClosed)
	_, err = x.Search(t.Context(), driver.Search{Scope: longterm.Everyone()})
	require.ErrorIs(t, err, longterm.ErrClosed)
	require.ErrorIs(t, x.Touch(t.Context(), many[:1], time.Now()), longterm.ErrClosed)
	require.ErrorIs(t, x.Write(t.Context(), make([]driver.RecordChange, 1)), longterm.ErrClosed)
}
