package longterm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

func TestPutMergesTheSameText(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, longterm.Record{
		ID: "old", Text: "tea", Topics: []string{"b", "a"}, Entities: []string{"x"}, CreatedAt: noon.Add(-time.Hour),
		LastAccessed: noon.Add(-time.Minute), AccessCount: 2, Metadata: map[string]any{"k": "old", "l": "old"},
	})
	again := longterm.Record{
		ID: "again", Text: "tea", Topics: []string{"cup", "a"}, Entities: []string{"yuzu"}, CreatedAt: noon.Add(-time.Minute),
		LastAccessed: noon.Add(time.Minute), AccessCount: 3, Pinned: true, Metadata: map[string]any{"k": "again", "m": "again"},
	}
	puts := w.put(t, again)
	require.Equal(t, []longterm.Put{{Key: key("old"), Status: longterm.PutMerged}}, puts)
	records := w.all(t)
	require.Equal(t, []longterm.Record{{
		ID: "old", Text: "tea", Topics: []string{"b", "a", "cup"}, Entities: []string{"x", "yuzu"}, CreatedAt: noon.Add(-time.Hour),
		LastAccessed: noon.Add(time.Minute), AccessCount: 3, Pinned: true, Metadata: map[string]any{"k": "old", "l": "old", "m": "again"},
		Namespace: "shop", UserID: "anna", Type: session.RecordSemantic, ExtractionStrategy: "discrete", Hash: records[0].Hash, UpdatedAt: noon.Add(-time.Minute), PersistedAt: noon,
	}}, records)
	writes := w.index.writes
	require.Equal(t, puts, w.put(t, again))
	require.Equal(t, writes, w.index.writes, "putting it again changes nothing")
	require.Len(t, search(t, w.Memory, longterm.Query{Text: "yuzu"}).Hits, 1)
}

// A record keeps what others contributed when it is put again as it was.
func TestPutOfAMergedRecord(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	mine := map[string]any{"put_hash": "mine", "hash": "mine", "origin": "mine"} // the Memory's own notes are elsewhere
	first := longterm.Record{ID: "1", Text: "the meeting is at 3 @0", Topics: []string{"work"}, CreatedAt: noon.Add(-time.Hour), Metadata: mine}
	w.put(t, first)
	w.put(t, longterm.Record{ID: "2", Text: "the meeting is at 4 @1", Topics: []string{"time"}, Pinned: true, Metadata: map[string]any{"hash": "other", "k": "v"}})
	before, writes := w.all(t), w.index.writes
	require.Equal(t, "the meeting is at 4 @1", before[0].Text)
	require.Equal(t, map[string]any{"put_hash": "mine", "hash": "mine", "origin": "mine", "k": "v"}, before[0].Metadata)
	require.Equal(t, before[0], w.get(t, "1"))
	w.clock.Sleep(time.Hour)
	for _, r := range []longterm.Record{first, w.get(t, "1")} {
		require.Equal(t, longterm.PutSame, w.put(t, r)[0].Status)
		require.Equal(t, before, w.all(t))
		require.Equal(t, writes, w.index.writes)
	}
	first.CreatedAt = noon.Add(-2 * time.Hour) // an earlier time is no other statement
	for range 2 {
		w.put(t, first)
		require.Equal(t, first.CreatedAt, w.get(t, "1").CreatedAt)
		require.Equal(t, []string{"work", "time"}, w.get(t, "1").Topics)
	}
	first.Topics = []string{"office"} // a new statement replaces
	w.put(t, first)
	r := w.get(t, "1")
	require.Equal(t, "the meeting is at 3 @0", r.Text)
	require.Equal(t, []string{"office"}, r.Topics)
	require.Equal(t, mine, r.Metadata)
	require.False(t, r.Pinned)
}

// Which id and which text remain of similar records, put together and one by one.
func TestMergedRecords(t *testing.T) {
	t.Parallel()
	at := func(id, text string, minutes int) longterm.Record {
		return longterm.Record{ID: id, Text: text, CreatedAt: noon.Add(time.Duration(minutes) * time.Minute)}
	}
	extracted := func(id, text string, minutes int) longterm.Record {
		r := at(id, text, minutes)
		r.ExtractedFrom, r.ExtractionStrategy = []string{"m-" + id}, "discrete"
		return r
	}
	for name, test := range map[string]struct {
		put  []longterm.Record
		want map[string]string
	}{
		"older id":                       {[]longterm.Record{at("1", "tea @0", 1), at("2", "tea @0", 0)}, map[string]string{"2": "tea @0"}},
		"same age":                       {[]longterm.Record{at("2", "tea @0", 0), at("1", "tea @0", 0)}, map[string]string{"2": "tea @0"}},
		"a client's after extraction":    {[]longterm.Record{extracted("1", "tea @0", 0), at("2", "tea @0", 1)}, map[string]string{"2": "tea @0"}},
		"a client's before extraction":   {[]longterm.Record{at("1", "tea @0", 1), extracted("2", "tea @0", 0)}, map[string]string{"1": "tea @0"}},
		"the older of extracted records": {[]longterm.Record{extracted("1", "tea @0", 1), extracted("2", "tea @0", 0)}, map[string]string{"2": "tea @0"}},
		"three":                          {[]longterm.Record{extracted("1", "a @0", 0), at("2", "b @1", 2), at("3", "c @2", 1)}, map[string]string{"2": "b @1"}},
		"near":                           {[]longterm.Record{at("1", "at 3 @0", 0), at("2", "at 4 @18", 1)}, map[string]string{"1": "at 4 @18"}},
		"not near":                       {[]longterm.Record{at("1", "at 3 @0", 0), at("2", "at 4 @19", 1)}, map[string]string{"1": "at 3 @0", "2": "at 4 @19"}},
		"earlier":                        {[]longterm.Record{at("1", "at 3 @0", 1), at("2", "at 4 @9", 0)}, map[string]string{"2": "at 3 @0"}},
		"later, but contained":           {[]longterm.Record{at("1", "Bob: tea @9", 0), at("2", "tea @9", 1)}, map[string]string{"1": "Bob: tea @9"}},
		"earlier, containing":            {[]longterm.Record{at("1", "tea @9", 1), at("2", "Bob: tea @9", 0)}, map[string]string{"2": "Bob: tea @9"}},
		"same time, longer":              {[]longterm.Record{at("1", "no tea @0", 0), at("2", "tea @1", 0)}, map[string]string{"1": "no tea @0"}},
		"same time, shorter":             {[]longterm.Record{at("1", "tea @1", 0), at("2", "no tea @0", 0)}, map[string]string{"1": "no tea @0"}},
		"nearest":                        {[]longterm.Record{at("1", "a @0", 0), at("2", "b @30", 0), at("3", "c @18", 1)}, map[string]string{"1": "a @0", "2": "c @18"}},
		"same before near":               {[]longterm.Record{at("1", "a @0", 0), at("2", "b @25", 0), at("3", "a @0", 1)}, map[string]string{"1": "a @0", "2": "b @25"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			together, alone := setup(t, embedded), setup(t, embedded)
			together.put(t, test.put...)
			for _, r := range test.put {
				alone.put(t, r)
			}
			for _, w := range []*world{together, alone} {
				got := map[string]string{}
				for _, r := range w.all(t) {
					got[r.ID] = r.Text
					require.Equal(t, driver.HashOf(&r, false), r.Hash)
					hits := semantic(t, w.Memory, r.Text)
					require.Equal(t, r.ID, hits[0].Record.ID)
					require.InDelta(t, 1, hits[0].Similarity, 1e-6, "the vector belongs to the text")
				}
				require.Equal(t, test.want, got)
			}
		})
	}
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @1"}, longterm.Record{ID: "2", Text: "ale @0"})
	require.Equal(t, "ale @0", w.all(t)[0].Text, "without times, the last one is stated now")
	w = setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "a @0"})
	puts := w.put(t, longterm.Record{ID: "2", Text: "b @30"}, longterm.Record{ID: "3", Text: "c @17"})
	require.Equal(t, key("2"), puts[1].Key, "the nearest is in the same call")
}

func TestExchangedTexts(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0"}, longterm.Record{ID: "2", Text: "ale @90"})
	w.put(t, longterm.Record{ID: "1", Text: "ale @90"}, longterm.Record{ID: "2", Text: "tea @0"})
	require.Equal(t, "ale @90", w.get(t, "1").Text)
	require.Equal(t, "2", semantic(t, w.Memory, "@0")[0].Record.ID)
}

func TestPutKeepsDistinctRecords(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(r *longterm.Record){
		"session":   func(r *longterm.Record) { r.SessionID = "s-2" },
		"type":      func(r *longterm.Record) { r.Type = session.RecordEpisodic },
		"event":     func(r *longterm.Record) { r.EventDate = noon },
		"user":      func(r *longterm.Record) { r.UserID = "bob" },
		"namespace": func(r *longterm.Record) { r.Namespace = "bank" },
		"message":   func(r *longterm.Record) { r.Type = session.RecordMessage },
	} {
		for _, text := range []string{"tea @10", "more tea @11"} {
			w := setup(t, embedded)
			w.put(t, longterm.Record{ID: "1", Text: "tea @10"})
			other := longterm.Record{ID: "2", Text: text, Namespace: "shop", UserID: "anna"}
			change(&other)
			_, err := w.Put(t.Context(), longterm.Everyone(), []longterm.Record{other}, nil)
			require.NoError(t, err)
			c, err := w.Compact(t.Context(), longterm.Everyone())
			require.NoError(t, err)
			require.Equal(t, longterm.Compaction{Remaining: 2}, c, name)
		}
	}
}

func TestPutAcrossSessions(t *testing.T) {
	t.Parallel()
	w := setup(t, func(o *longterm.Options, w *world) { o.AcrossSessions = true })
	w.put(t, longterm.Record{ID: "1", Text: "tea", SessionID: "s-1"})
	require.Equal(t, []longterm.Put{{Key: key("1"), Status: longterm.PutMerged}}, w.put(t, longterm.Record{ID: "2", Text: "tea", SessionID: "s-2"}))
	require.Equal(t, "s-1", w.get(t, "1").SessionID)
}

func TestMergeDistance(t *testing.T) {
	t.Parallel()
	for distance, want := range map[float64]int{-1: 3, 0: 2, 0.001: 3, 0.3: 1, 2: 1} {
		w := setup(t, func(o *longterm.Options, w *world) {
			embedded(o, w)
			o.MergeDistance = distance
		})
		w.put(t, longterm.Record{ID: "1", Text: "a @0"}, longterm.Record{ID: "2", Text: "b @10"}, longterm.Record{ID: "3", Text: "c @40"})
		require.Len(t, w.ids(t), want, "%v", distance)
	}
}

func TestMergedRecordsAreBounded(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	tags := func(first int) (tags []string) {
		for i := range driver.MaxTags {
			tags = append(tags, fmt.Sprint(first+i))
		}
		return tags
	}
	large, rest := strings.Repeat("x", driver.MaxRecordBytes-100_000), strings.Repeat("y", 200_000)
	w.put(t, longterm.Record{ID: "1", Text: "tea", Topics: tags(0)}, longterm.Record{ID: "2", Text: "tea", Topics: tags(500)})
	w.put(t, longterm.Record{ID: "3", Text: "ale", Metadata: map[string]any{"a": large}}, longterm.Record{ID: "4", Text: "ale", Metadata: map[string]any{"b": rest}})
	require.Equal(t, tags(0), w.get(t, "1").Topics)
	require.NotContains(t, w.get(t, "3").Metadata, "b")
}

func TestNoMerge(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "0", Text: "tea @0"})
	same := []longterm.Record{{ID: "1", Text: "tea @0"}, {ID: "2", Text: "tea @0"}, {ID: "3", Text: "more tea @1"}}
	w.putApart(t, same...)
	for _, put := range w.putApart(t, same...) {
		require.Equal(t, longterm.PutSame, put.Status)
	}
	w.putApart(t, longterm.Record{ID: "1", Text: "coffee @90"})
	require.Equal(t, "coffee @90", w.get(t, "1").Text, "the same id replaces")
	w.putApart(t, same...)
	puts := w.put(t, longterm.Record{ID: "4", Text: "tea @0"}, longterm.Record{ID: "5", Text: "much tea @2"})
	require.Equal(t, []driver.RecordKey{key("0"), key("0")}, []driver.RecordKey{puts[0].Key, puts[1].Key}, "others merge with the record that is not apart")
	w.update(t, "1", func(r *longterm.Record) { r.Topics = []string{"drinks"} })
	require.Equal(t, []string{"0", "1", "2", "3"}, w.ids(t), "an update keeps it apart")
	require.Equal(t, key("0"), w.put(t, longterm.Record{ID: "2", Text: "much tea @2"})[0].Key, "a Put without the option merges it")
	require.Equal(t, []string{"0", "1", "3"}, w.ids(t))
	c, err := w.Compact(t.Context(), anna)
	require.NoError(t, err)
	require.Equal(t, longterm.Compaction{Merged: 2, Remaining: 1}, c)
}

// The index is changed between reading and writing.
func TestMergeDuringChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(t *testing.T, other *longterm.Memory)
		want   []string // topics of what is left
	}{
		"updated": {func(t *testing.T, other *longterm.Memory) {
			_, err := other.Update(t.Context(), anna, "1", func(r *longterm.Record) error {
				r.Topics = []string{"b"}
				return nil
			})
			require.NoError(t, err)
		}, []string{"b", "c"}},
		"deleted": {func(t *testing.T, other *longterm.Memory) {
			_, err := other.Delete(t.Context(), anna, "1")
			require.NoError(t, err)
		}, []string{"c"}},
	} {
		for _, text := range []string{"tea @0", "more tea @1"} {
			w := setup(t, embedded)
			w.put(t, longterm.Record{ID: "1", Text: "tea @0", Topics: []string{"a"}, Metadata: map[string]any{"a": "1"}})
			other := w.reopen(t, &longterm.Options{})
			w.index.before = func(n int) error {
				if n == 2 {
					test.change(t, other)
				}
				return nil
			}
			w.put(t, longterm.Record{ID: "2", Text: text, Topics: []string{"c"}})
			require.Equal(t, test.want, w.all(t)[0].Topics, name)
			require.Equal(t, name == "updated", w.all(t)[0].Metadata != nil)
		}
	}
}

// A search may return records that have changed since.
func TestMergeWithStaleHits(t *testing.T) {
	t.Parallel()
	for _, now := range []string{"", "ale @90"} {
		w := setup(t, embedded)
		w.put(t, longterm.Record{ID: "1", Text: "tea @0"})
		page, err := w.index.Index.Search(t.Context(), driver.Search{Scope: anna, Limit: 1})
		require.NoError(t, err)
		page.Hits[0].Similarity = 0.999
		w.index.Index = &staleIndex{w.index.Index, page}
		if now == "" {
			_, err = w.Delete(t.Context(), anna, "1")
			require.NoError(t, err)
		} else {
			w.put(t, longterm.Record{ID: "1", Text: now})
		}
		require.Equal(t, longterm.PutAdded, w.put(t, longterm.Record{ID: "2", Text: "more tea @1"})[0].Status)
	}
}

// staleIndex finds the same page always.
type staleIndex struct {
	driver.Index
	page driver.HitPage
}

func (x *staleIndex) Search(context.Context, driver.Search) (driver.HitPage, error) {
	return x.page, nil
}

func (x *staleIndex) Nearest(_ context.Context, searches []driver.Search) ([][]driver.Hit, error) {
	return slices.Repeat([][]driver.Hit{x.page.Hits}, len(searches)), nil
}

// Vectors of another embedder merge nothing, and belong to their texts.
func TestPutWithoutTheEmbedderOfTheVectors(t *testing.T) {
	t.Parallel()
	for name, embedder := range map[string]longterm.Embedder{"none": nil, "another": &compass{model: "2"}} {
		w := setup(t, func(o *longterm.Options, w *world) {
			embedded(o, w)
			o.MergeDistance = -1
		})
		w.put(t, longterm.Record{ID: "1", Text: "tea @0"}, longterm.Record{ID: "2", Text: "tea! @1"}, longterm.Record{ID: "3", Text: "ale @90"})
		m := w.reopen(t, &longterm.Options{Embedder: embedder})
		records := []longterm.Record{{ID: "1", Text: "tea @0", Topics: []string{"a"}}, {ID: "3", Text: "ale @90", Topics: []string{"a"}}, {ID: "4", Text: "ale! @90"}}
		for _, r := range records {
			_, err := m.Put(t.Context(), anna, []longterm.Record{r}, nil)
			require.NoError(t, err)
		}
		records[0].Topics, records[1].Topics, records[2].Text = nil, nil, "beer! @90"
		_, err := m.Put(t.Context(), anna, records, nil)
		require.NoError(t, err)
		require.Equal(t, []string{"1", "2", "3", "4"}, w.ids(t), name)
		require.Len(t, semantic(t, w.Memory, "@0"), 3, "the same text keeps its vector")
		_, err = m.Put(t.Context(), anna, []longterm.Record{{ID: "1", Text: "coffee"}}, nil)
		require.NoError(t, err)
		require.Len(t, semantic(t, w.Memory, "@0"), 2, "the vector goes with its text")
	}
	w := setup(t, nil)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0"})
	m := w.reopen(t, &longterm.Options{Embedder: w.embed})
	puts, err := m.Put(t.Context(), anna, []longterm.Record{{ID: "2", Text: "tea @0"}}, nil)
	require.NoError(t, err)
	require.Equal(t, key("1"), puts[0].Key)
	require.Len(t, semantic(t, m, "@0"), 1, "the record gets the vector of the same text")
}

func TestCompact(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.putApart(t,
		longterm.Record{ID: "1", Text: "tea @0", Topics: []string{"a"}, CreatedAt: noon.Add(-time.Hour)}, longterm.Record{ID: "2", Text: "tea @0", Topics: []string{"b"}},
		longterm.Record{ID: "3", Text: "more tea @1", SessionID: "s"}, longterm.Record{ID: "4", Text: "ale @90", ExtractedFrom: []string{"m"}},
		longterm.Record{ID: "5", Text: "an ale @91"}, longterm.Record{ID: "6", Text: "hi @90", Type: session.RecordMessage}, longterm.Record{ID: "7", Text: "hi @90", Type: session.RecordMessage},
	)
	bobs := []longterm.Record{{ID: "1", Text: "tea @0"}, {ID: "2", Text: "tea @0"}}
	_, err := w.Put(t.Context(), longterm.Of("shop", "bob"), bobs, &longterm.PutOptions{NoMerge: true})
	require.NoError(t, err)
	calls := w.embed.calls
	across := w.reopen(t, &longterm.Options{AcrossSessions: true, Embedder: w.embed})
	for _, step := range []struct {
		memory *longterm.Memory
		scope  longterm.Scope
		want   longterm.Compaction
	}{
		{w.Memory, anna, longterm.Compaction{Merged: 2, Remaining: 5}}, {w.Memory, anna, longterm.Compaction{Remaining: 5}},
		{w.Memory, longterm.Everyone(), longterm.Compaction{Merged: 1, Remaining: 6}}, {across, anna, longterm.Compaction{Merged: 1, Remaining: 4}},
	} {
		c, err := step.memory.Compact(t.Context(), step.scope)
		require.NoError(t, err)
		require.Equal(t, step.want, c)
	}
	require.Equal(t, calls, w.embed.calls, "nothing is embedded")
	require.Equal(t, []string{"1", "5", "6", "7", "1"}, w.ids(t))
	require.Equal(t, []string{"a", "b"}, w.get(t, "1").Topics)
	for _, r := range w.all(t)[:4] {
		require.Equal(t, driver.HashOf(&r, r.Type != session.RecordMessage), r.Hash)
	}
}

func TestCompactDuringChanges(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var records []longterm.Record
	for i := range 250 {
		records = append(records, longterm.Record{ID: fmt.Sprintf("%03d", i), Text: fmt.Sprint("fact ", i%7), Topics: []string{fmt.Sprint(i)}})
	}
	w.putApart(t, records...)
	other := w.reopen(t, &longterm.Options{})
	w.index.before = func(n int) error {
		if n == 2 {
			_, err := other.Delete(t.Context(), anna, "000")
			require.NoError(t, err)
			_, err = other.Update(t.Context(), anna, "249", func(r *longterm.Record) error {
				r.Text = "ale"
				return nil
			})
			require.NoError(t, err)
		}
		return failIf(n > 4 && n%2 == 1, longterm.ErrConflict)
	}
	c, err := w.Compact(t.Context(), anna)
	require.NoError(t, err)
	require.Equal(t, longterm.Compaction{Merged: 241, Remaining: 8}, c)
	topics := 0
	for _, r := range w.all(t) {
		topics += len(r.Topics)
	}
	require.Equal(t, 249, topics)
	require.Equal(t, "ale", w.get(t, "249").Text)
}
