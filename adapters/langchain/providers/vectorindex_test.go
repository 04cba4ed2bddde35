package providers_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/adapters/langchain/providers"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// vectorIndex is a VectorIndex with its parts.
type vectorIndex struct {
	*providers.VectorIndex
	t        require.TestingT
	base     driver.Index
	store    *vectorStore
	embedder *providers.Embedder
}

func newVectorIndex(t require.TestingT, opts *providers.VectorIndexOptions) *vectorIndex {
	embedder := newEmbedder()
	x := &vectorIndex{t: t, base: strictIndex{memindex.New(nil)}, store: &vectorStore{embedder: embedder}, embedder: embedder}
	x.VectorIndex = providers.NewVectorIndex(x.base, x.store, opts)
	return x
}

// strictIndex fails for an invalid key, as a database does.
type strictIndex struct{ driver.Index }

func (x strictIndex) Lookup(ctx context.Context, l driver.Lookup) ([]driver.Entry, error) {
	for _, key := range l.Keys {
		r := longterm.Record{ID: key.ID, Namespace: key.Namespace, UserID: key.UserID, Text: "x"}
		if err := driver.CheckRecord(&r); err != nil {
			return nil, err
		}
	}
	return x.Index.Lookup(ctx, l)
}

// put writes records unconditionally.
func (x *vectorIndex) put(records ...longterm.Record) {
	for _, r := range records {
		require.NoError(x.t, x.write(entryOf(x.embedder, r)))
	}
}

func (x *vectorIndex) write(entry *driver.Entry) error {
	key := driver.KeyOf(&entry.Record)
	return x.Write(context.Background(), []driver.RecordChange{{Key: key, If: x.version(key), Entry: entry}})
}

func (x *vectorIndex) remove(key driver.RecordKey) {
	require.NoError(x.t, x.Write(context.Background(), []driver.RecordChange{{Key: key, If: x.version(key)}}))
}

func (x *vectorIndex) version(key driver.RecordKey) uint64 {
	found, err := x.Lookup(context.Background(), driver.Lookup{Keys: []driver.RecordKey{key}})
	require.NoError(x.t, err)
	if len(found) == 0 {
		return 0
	}
	return found[0].Version
}

// near returns a search for records near a text.
func (x *vectorIndex) near(text string, limit int) driver.Search {
	vectors, err := x.embedder.Embed(context.Background(), []string{text})
	require.NoError(x.t, err)
	return driver.Search{
		Scope: longterm.Of("shop", "anna"), Mode: longterm.ModeSemantic, Vector: vectors[0], Model: x.embedder.Model(), Limit: limit,
	}
}

func (x *vectorIndex) ids(s driver.Search) []string {
	page, err := x.Search(context.Background(), s)
	require.NoError(x.t, err)
	return idsOf(page)
}

// exact returns the ids that the base finds.
func (x *vectorIndex) exact(s driver.Search) []string {
	page, err := x.base.Search(context.Background(), s)
	require.NoError(x.t, err)
	return idsOf(page)
}

func idsOf(page driver.HitPage) []string {
	var ids []string
	for _, hit := range page.Hits {
		ids = append(ids, hit.Record.ID)
	}
	return ids
}

func annas(id, text string) longterm.Record {
	return longterm.Record{ID: id, Text: text, Namespace: "shop", UserID: "anna", CreatedAt: noon}
}

// facts returns records with different texts, some of them near each other.
func facts(n int) []longterm.Record {
	var records []longterm.Record
	words := []string{"aisle", "seats", "nuts", "Oslo", "window", "vegan", "train", "night"}
	for i := range n {
		text := fmt.Sprintf("%s %s %d", words[i%len(words)], words[(i/len(words))%len(words)], i)
		r := annas(fmt.Sprintf("r%03d", i), text)
		r.CreatedAt = noon.Add(-time.Duration(i) * time.Hour)
		records = append(records, r)
	}
	return records
}

func TestVectorIndexIsAnIndex(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(testing.TB) drivertest.Harness {
		base := memindex.New(nil)
		store := &vectorStore{embedder: newEmbedder()}
		return drivertest.Harness{
			Open:        func(testing.TB) driver.Index { return providers.NewVectorIndex(base, store, nil) },
			Close:       func(driver.Index) error { return base.Close() },
			Approximate: true,
		}
	})
}

func TestAFullPageIsTheVectorStores(t *testing.T) {
	t.Parallel()
	x := newVectorIndex(t, nil)
	x.put(facts(80)...)
	s := x.near("aisle seats", 5)
	page, err := x.Search(t.Context(), s)
	require.NoError(t, err)
	assert.Equal(t, x.exact(s), idsOf(page))
	for _, hit := range page.Hits {
		assert.True(t, hit.Compared)
		assert.Equal(t, x.version(driver.KeyOf(&hit.Record)), hit.Version)
	}
	require.Len(t, x.store.asked(), 1)
	assert.Less(t, x.store.asked()[0], 80)

	x.store.documents = x.store.documents[:60] // the page is not compared with all vectors
	s.Offset = 3
	assert.Len(t, x.ids(s), 5)
	assert.Len(t, x.store.asked(), 2)
}

func TestVectorStoreIsNotTrusted(t *testing.T) {
	t.Parallel()
	document := func(user, id string) schema.Document {
		return schema.Document{PageContent: "x", Score: float32(math.NaN()), Metadata: map[string]any{
			"wm_namespace": "shop", "wm_user": url.QueryEscape(user), "wm_id": url.QueryEscape(id),
		}}
	}
	for name, spoil := range map[string]func(found []schema.Document) []schema.Document{
		"as it is": nil,
		"doubled":  func(found []schema.Document) []schema.Document { return slices.Repeat(found, 3) },
		"none":     func([]schema.Document) []schema.Document { return nil },
		"three":    func(found []schema.Document) []schema.Document { return found[:3] },
		"without scores": func(found []schema.Document) []schema.Document {
			for i := range found {
				found[i].Score = float32(math.NaN())
			}
			return found
		},
		"foreign": func(found []schema.Document) []schema.Document {
			strange := []schema.Document{
				{PageContent: "ours?"}, {Metadata: map[string]any{"wm_namespace": 1, "wm_user": nil, "wm_id": "r000"}},
				{Metadata: map[string]any{"wm_namespace": "shop", "wm_user": "%zz", "wm_id": "r000"}},
				document("anna", "gone"), document("anna", "r001"),
			}
			for _, id := range []string{"", "\xff", strings.Repeat("x", driver.MaxIDBytes+1), "\x00"} {
				for _, user := range []string{"anna", "an\xffna", strings.Repeat("anna", 1000)} {
					strange = append(strange, document(user, id))
				}
			}
			return append(slices.Repeat(strange, 5), found...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newVectorIndex(t, nil)
			x.put(facts(60)...)
			x.store.spoil = spoil
			for _, limit := range []int{1, 7, 100} {
				for _, scope := range []longterm.Scope{longterm.Of("shop", "anna"), longterm.Everyone()} {
					s := x.near("night train", limit)
					s.Scope = scope
					assert.Equal(t, x.exact(s), x.ids(s))
				}
			}
		})
	}
}

func TestVectorStoreCannotReturnRecordsOfOthers(t *testing.T) {
	t.Parallel()
	x := newVectorIndex(t, nil)
	x.put(facts(5)...)
	x.put(
		longterm.Record{ID: "r000", Namespace: "shop", UserID: "bob", Text: "night train of bob"},
		longterm.Record{ID: "r000", Namespace: "bank", UserID: "anna", Text: "night train of the bank"},
	)
	for _, id := range []any{"r000", "r001", nil} { // nil: its own
		x.store.spoil = func(found []schema.Document) []schema.Document {
			for i := range found {
				own := found[i].Metadata["wm_id"]
				found[i].Metadata = map[string]any{"wm_namespace": "shop", "wm_user": "anna", "wm_id": cmp.Or(id, own)}
			}
			return found
		}
		for _, limit := range []int{1, 5, 50} {
			page, err := x.Search(t.Context(), x.near("night train", limit))
			require.NoError(t, err)
			require.Len(t, page.Hits, min(limit, 5))
			for _, hit := range page.Hits {
				assert.Equal(t, [2]string{"shop", "anna"}, [2]string{hit.Record.Namespace, hit.Record.UserID})
				assert.NotContains(t, hit.Record.Text, " of ")
			}
		}
	}
}

func TestMoreDocumentsAreAskedForUntilThePageIsFull(t *testing.T) {
	t.Parallel()
	x := newVectorIndex(t, &providers.VectorIndexOptions{MaxDocuments: 100})
	for i := range 70 { // documents of what it once was
		x.put(annas("changed", fmt.Sprintf("aisle seats %d", i)))
	}
	x.put(annas("changed", "eats no nuts"), annas("gone", "aisle seats"), annas("left", "aisle"))
	x.remove(driver.RecordKey{Namespace: "shop", UserID: "anna", ID: "gone"})
	assert.Equal(t, []string{"left"}, x.ids(x.near("aisle seats", 1)))
	assert.Equal(t, []int{17, 34, 68, 100}, x.store.asked())
	assert.Len(t, x.store.documents, 73)
	assert.Equal(t, []string{"left", "changed"}, x.ids(x.near("aisle seats", 5)), "the base answers where they are not enough")
	assert.Equal(t, []int{21, 42, 84}, x.store.asked()[4:], "the store has no more")
}

func TestEachOwnerMayHaveANameSpace(t *testing.T) {
	t.Parallel()
	x := newVectorIndex(t, &providers.VectorIndexOptions{NameSpace: func(namespace, userID string) string { return namespace + "/" + userID }})
	records := facts(40)
	for i := range records[:20] {
		records[i].UserID = "bob"
	}
	x.put(records...)
	assert.Len(t, x.ids(x.near("aisle", 3)), 3)
	for _, d := range x.store.documents {
		assert.Equal(t, "shop/"+d.Metadata["wm_user"].(string), d.space)
	}
	require.Len(t, x.store.asked(), 1)
	wide := x.near("aisle", 3)
	wide.Scope = longterm.OfNamespace("shop")
	assert.Len(t, x.ids(wide), 3)
	assert.Len(t, x.store.asked(), 1, "no name space has them all")
}

func TestDocumentsHaveNoTexts(t *testing.T) {
	t.Parallel()
	x := newVectorIndex(t, nil)
	secret := annas("a b/ü\x00", "secret text")
	secret.UserID = "Anna & Co\n"
	x.put(secret)
	require.Len(t, x.store.documents, 1)
	d := x.store.documents[0]
	assert.NotContains(t, d.PageContent, "secret")
	assert.Equal(t, map[string]any{"wm_namespace": "shop", "wm_user": "Anna+%26+Co%0A", "wm_id": "a+b%2F%C3%BC%00"}, d.Metadata)
	s := x.near("secret", 1)
	s.Scope = longterm.Of("shop", "Anna & Co\n")
	assert.Equal(t, []string{"a b/ü\x00"}, x.ids(s))
}

func TestDocumentsAreAddedOnlyForNewTexts(t *testing.T) {
	t.Parallel()
	x := newVectorIndex(t, nil)
	r := annas("1", "aisle seats")
	x.put(r)
	r.Topics = []string{"travel"}
	x.put(r)
	assert.Len(t, x.store.documents, 1)
	r.Text = "window seats"
	x.put(r)
	assert.Len(t, x.store.documents, 2)

	other := entryOf(x.embedder, annas("2", "conflict"))
	err := x.Write(t.Context(), []driver.RecordChange{{Key: driver.KeyOf(&other.Record), If: 7, Entry: other}})
	require.ErrorIs(t, err, longterm.ErrConflict)
	assert.Len(t, x.store.documents, 2)

	without := entryOf(x.embedder, annas("3", "no vector"))
	without.Vector, without.Model = nil, ""
	require.NoError(t, x.write(without))
	assert.Len(t, x.store.documents, 2)
}

func TestAFailingVectorStore(t *testing.T) {
	t.Parallel()
	secret := errors.New("secret")
	for name, tt := range map[string]struct {
		fail func() error
		want error
	}{
		"error": {func() error { return secret }, secret},
		"panic": {func() error { panic(secret) }, memory.ErrPanic},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			x := newVectorIndex(t, &providers.VectorIndexOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			x.put(facts(30)...)
			x.store.fail = tt.fail
			s := x.near("aisle", 3)
			assert.Equal(t, x.exact(s), x.ids(s), "the base answers")
			assert.Contains(t, log.String(), "vector store failed")
			assert.NotContains(t, log.String(), "secret", "it may quote what it was given")
			_, err := providers.NewVectorIndex(x.base, x.store, nil).Search(t.Context(), s)
			require.NoError(t, err, "without a logger")

			entry := entryOf(x.embedder, annas("new", "new"))
			err = x.write(entry)
			require.ErrorIs(t, err, longterm.ErrUnavailable)
			require.ErrorIs(t, err, tt.want)
			assert.Zero(t, x.version(driver.KeyOf(&entry.Record)), "nothing was written")
			n, err := x.Fill(t.Context(), longterm.Everyone())
			require.ErrorIs(t, err, longterm.ErrUnavailable)
			assert.Zero(t, n)
			x.store.fail = nil
			require.NoError(t, x.write(entry))

			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			x.store.fail = ctx.Err
			_, err = x.Search(ctx, s)
			require.ErrorIs(t, err, context.Canceled)
			changed := []driver.RecordChange{{Key: driver.KeyOf(&entry.Record), If: 1, Entry: entryOf(x.embedder, annas("new", "newer"))}}
			err = x.Write(ctx, changed)
			require.ErrorIs(t, err, context.Canceled)
			require.NotErrorIs(t, err, longterm.ErrUnavailable)
		})
	}
}

func TestErrStoreEmbeds(t *testing.T) {
	t.Parallel()
	x := newVectorIndex(t, nil)
	x.put(facts(30)...)
	x.store.embedder = &textEmbedder{drivertest.Embedder{Dimension: 32}}
	_, err := x.Search(t.Context(), x.near("aisle", 3))
	require.ErrorIs(t, err, providers.ErrStoreEmbeds)
	entry := entryOf(x.embedder, annas("new", "new"))
	require.ErrorIs(t, x.write(entry), providers.ErrStoreEmbeds)
	assert.Zero(t, x.version(driver.KeyOf(&entry.Record)))

	x.VectorIndex = providers.NewVectorIndex(x.base, x.store, &providers.VectorIndexOptions{
		StoreOptions: []vectorstores.Option{vectorstores.WithEmbedder(x.embedder)},
	})
	require.NoError(t, x.write(entry))
}

func TestFiltersReachTheVectorStore(t *testing.T) {
	t.Parallel()
	x := newVectorIndex(t, &providers.VectorIndexOptions{
		Filters: func(s driver.Search) any { return map[string]int{"limit": s.Limit} },
	})
	x.put(facts(30)...)
	assert.Len(t, x.ids(x.near("aisle", 3)), 3)
	assert.Equal(t, map[string]int{"limit": 3}, x.store.filters)
}

func TestFill(t *testing.T) {
	t.Parallel()
	x := newVectorIndex(t, nil)
	x.put(facts(450)...)
	without := entryOf(x.embedder, annas("plain", "no vector"))
	without.Vector, without.Model = nil, ""
	require.NoError(t, x.write(without))
	want := x.ids(x.near("aisle", 5))

	empty := &vectorStore{embedder: x.embedder}
	x.VectorIndex = providers.NewVectorIndex(x.base, empty, nil)
	n, err := x.Fill(t.Context(), longterm.Everyone())
	require.NoError(t, err)
	assert.Equal(t, 450, n)
	assert.Equal(t, want, x.ids(x.near("aisle", 5)))
	assert.Len(t, empty.asked(), 1)
}

// An exact vector store does not change the result of a search.
func TestAnExactVectorStoreChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := newVectorIndex(t, &providers.VectorIndexOptions{MaxDocuments: rapid.IntRange(1, 200).Draw(t, "most")})
		words := rapid.SampledFrom([]string{"aisle", "seats", "nuts", "Oslo", "window"})
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(words, 1, 4).Draw(t, "words"), " ")
		})
		for i := range rapid.IntRange(0, 60).Draw(t, "writes") {
			r := annas(fmt.Sprint(rapid.IntRange(0, 25).Draw(t, "id")), text.Draw(t, "text"))
			r.UserID = rapid.SampledFrom([]string{"anna", "bob"}).Draw(t, "user")
			r.SessionID = r.ID // no two are the same memory
			r.Topics = []string{words.Draw(t, "topic")}
			r.CreatedAt = noon.Add(time.Duration(i) * time.Hour)
			if rapid.IntRange(0, 4).Draw(t, "kind") == 0 && x.version(driver.KeyOf(&r)) > 0 {
				x.remove(driver.KeyOf(&r))
			} else {
				x.put(r)
			}
		}
		question := text.Draw(t, "question")
		s := x.near(question, rapid.IntRange(0, 10).Draw(t, "limit"))
		s.Offset = rapid.IntRange(0, 10).Draw(t, "offset")
		s.Scope = rapid.SampledFrom([]longterm.Scope{longterm.Of("shop", "anna"), longterm.OfUser("bob"), longterm.Everyone()}).Draw(t, "scope")
		s.Filter = rapid.SampledFrom([]longterm.RecordFilter{
			{}, {Topics: &longterm.TextCondition{Eq: new("nuts")}}, {UserID: &longterm.TextCondition{Eq: new("bob")}},
			{ID: &longterm.TextCondition{StartsWith: new("1")}}, {CreatedAt: &longterm.TimeCondition{Gt: new(noon.Add(20 * time.Hour))}},
		}).Draw(t, "filter")
		switch rapid.IntRange(0, 2).Draw(t, "mode") {
		case 0:
			s.Mode, s.Terms, s.Ranking.Alpha = longterm.ModeHybrid, driver.QueryTerms(question), 0.7
		case 1:
			s.Ranking.MaxDistance = new(float64(rapid.IntRange(1, 20).Draw(t, "far"))/20 + 0.01234)
		}
		want, err := x.base.Search(t.Context(), s)
		require.NoError(t, err)
		got, err := x.Search(t.Context(), s)
		require.NoError(t, err)
		require.Len(t, got.Hits, len(want.Hits))
		for i := range want.Hits {
			// Vectors that are the same but for rounding may change places.
			require.InDelta(t, want.Hits[i].Score, got.Hits[i].Score, 1e-6)
			require.InDelta(t, want.Hits[i].Keyword, got.Hits[i].Keyword, 1)
		}
		if s.Ranking.MaxDistance == nil {
			require.Equal(t, want.Total, got.Total)
		} else {
			require.LessOrEqual(t, got.Total, want.Total)
			require.GreaterOrEqual(t, got.Total, min(want.Total, s.Offset+s.Limit))
		}
	})
}

// The vector of a text may change, if the embedder is not deterministic or was changed under
// the same name. Documents of old vectors do not count as those of new ones.
func TestDocumentsOfOldVectorsDoNotFillThePage(t *testing.T) {
	t.Parallel()
	x := newVectorIndex(t, nil)
	put := func(user, id string, vector ...float32) {
		r := longterm.Record{ID: id, Text: id, Namespace: "shop", UserID: user, CreatedAt: noon}
		entry := entryOf(x.embedder, r)
		entry.Vector = vector
		require.NoError(t, x.write(entry))
	}
	for _, id := range []string{"far", "middle"} {
		put("anna", id, 1, 0)
	}
	put("anna", "far", -1, 0)
	put("anna", "middle", 0, 1)
	for i := range 40 {
		put("bert", fmt.Sprint(i), 1, 0)
	}
	put("anna", "near", 0.6, 0.8)
	s := driver.Search{Scope: longterm.Of("shop", "anna"), Mode: longterm.ModeSemantic, Vector: []float32{1, 0}, Model: x.embedder.Model(), Limit: 1}
	assert.Equal(t, []string{"near"}, x.ids(s))
	s.Limit = 3
	assert.Equal(t, []string{"near", "middle", "far"}, x.ids(s))
}
