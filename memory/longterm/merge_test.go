package longterm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

func TestTheSameTextIsOneRecord(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, longterm.Record{
		ID: "there", Text: "tea", Topics: []string{"b", "a"}, Entities: []string{"x"}, CreatedAt: noon.Add(-time.Hour),
		LastAccessed: noon.Add(-time.Minute), AccessCount: 2, Metadata: map[string]any{"k": "there", "l": "there"},
	})
	again := longterm.Record{
		ID: "again", Text: "tea", Topics: []string{"cup", "a"}, Entities: []string{"yuzu"}, CreatedAt: noon.Add(-time.Minute),
		LastAccessed: noon.Add(time.Minute), AccessCount: 1, Pinned: true, Metadata: map[string]any{"k": "again", "m": "again"},
	}
	puts := w.put(t, again)
	require.Equal(t, []longterm.Put{{Key: driver.RecordKey{Namespace: "shop", UserID: "anna", ID: "there"}, Status: longterm.PutMerged}}, puts)
	require.Equal(t, []string{"there"}, w.ids(t))
	r := w.get(t, "there")
	assert.Equal(t, []string{"b", "a", "cup"}, r.Topics)
	assert.Equal(t, []string{"x", "yuzu"}, r.Entities)
	assert.Equal(t, noon.Add(-time.Hour), r.CreatedAt)
	assert.Equal(t, noon.Add(time.Minute), r.LastAccessed)
	assert.Equal(t, 2, r.AccessCount)
	assert.True(t, r.Pinned)
	assert.Equal(t, "there", r.Metadata["k"])
	assert.Equal(t, "there", r.Metadata["l"])
	assert.Equal(t, "again", r.Metadata["m"])

	writes := w.index.written()
	require.Equal(t, puts, w.put(t, again))
	require.Equal(t, writes, w.index.written(), "putting it again changes nothing")
	found, err := w.Search(t.Context(), anna, longterm.Query{Text: "yuzu"})
	require.NoError(t, err)
	require.Len(t, found.Hits, 1, "it is found by the topics of both")
}

// What a record got from others stays when it is put again as it was.
func TestARecordThatWasMergedIsPutAgain(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	first := longterm.Record{ID: "1", Text: "the meeting is at 3 @0", Topics: []string{"work"}, CreatedAt: noon.Add(-time.Hour), Metadata: map[string]any{"k": "v"}}
	w.put(t, first)
	w.put(t, longterm.Record{ID: "2", Text: "the meeting is at 4 @1", Topics: []string{"time"}, Pinned: true})
	before, writes := w.all(t), w.index.written()
	require.Equal(t, "the meeting is at 4 @1", before[0].Text)
	require.Equal(t, map[string]any{"k": "v"}, w.get(t, "1").Metadata, "how this is known is not shown")
	results, err := w.Search(t.Context(), anna, longterm.Query{})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"k": "v"}, results.Hits[0].Record.Metadata)
	w.clock.Sleep(time.Hour)
	puts := w.put(t, first)
	require.Equal(t, longterm.PutSame, puts[0].Status)
	require.Equal(t, before, w.all(t))
	require.Equal(t, writes, w.index.written())

	// So it is when a client puts back what it got.
	w.put(t, w.get(t, "1"))
	require.Equal(t, before, w.all(t))

	// What it has not said before replaces.
	first.Topics = []string{"office"}
	w.put(t, first)
	r := w.get(t, "1")
	require.Equal(t, "the meeting is at 3 @0", r.Text)
	require.Equal(t, []string{"office"}, r.Topics)
	require.Equal(t, map[string]any{"k": "v"}, r.Metadata)
	require.False(t, r.Pinned)
}

// How it is known what was put is none of the record's: its metadata are the client's,
// whatever their names.
func TestMetadataOfMergedRecordsAreTheClients(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	names := map[string]any{"put_hash": "mine", "hash": "mine", "origin": "mine"}
	first := longterm.Record{ID: "1", Text: "tea", Metadata: names}
	w.put(t, first)
	w.put(t, longterm.Record{ID: "2", Text: "tea", Topics: []string{"drinks"}, Metadata: map[string]any{"put_hash": "other's", "k": "v"}})
	want := map[string]any{"put_hash": "mine", "hash": "mine", "origin": "mine", "k": "v"}
	require.Equal(t, want, w.get(t, "1").Metadata)
	require.Equal(t, want, w.all(t)[0].Metadata)
	before := w.all(t)
	w.put(t, first)
	require.Equal(t, before, w.all(t))
}

func TestWhichIDSurvives(t *testing.T) {
	t.Parallel()
	client := func(id string, age time.Duration) longterm.Record {
		return longterm.Record{ID: id, CreatedAt: noon.Add(-age * time.Hour)}
	}
	extracted := func(id string, age time.Duration) longterm.Record {
		r := client(id, age)
		r.ExtractedFrom, r.ExtractionStrategy = []string{"m-" + id}, "discrete"
		return r
	}
	tests := map[string]struct {
		put  []longterm.Record
		want string
		from []string
	}{
		"the one that is there":               {[]longterm.Record{client("1", 2), client("2", 1)}, "1", nil},
		"of the same age":                     {[]longterm.Record{client("2", 1), client("1", 1)}, "2", nil},
		"the older one":                       {[]longterm.Record{client("1", 1), client("2", 2)}, "2", nil},
		"a client's before an extracted one":  {[]longterm.Record{extracted("1", 2), client("2", 1)}, "2", nil},
		"not an extracted one":                {[]longterm.Record{client("1", 1), extracted("2", 2)}, "1", nil},
		"the older one of what was extracted": {[]longterm.Record{extracted("1", 1), extracted("2", 2)}, "2", []string{"m-1", "m-2"}},
		"of three":                            {[]longterm.Record{extracted("1", 3), client("2", 1), client("3", 2)}, "2", nil},
	}
	for name, test := range tests {
		for _, near := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, near %v", name, near), func(t *testing.T) {
				t.Parallel()
				records := slices.Clone(test.put)
				for i := range records {
					records[i].Text = "tea @10"
					if near {
						records[i].Text = fmt.Sprintf("tea @1%d", i)
					}
				}
				together, alone := setup(t, embedded), setup(t, embedded)
				puts := together.put(t, records...)
				for _, r := range records {
					alone.put(t, r)
				}
				for _, w := range []*world{together, alone} {
					require.Equal(t, []string{test.want}, w.ids(t))
					require.Equal(t, test.from, w.get(t, test.want).ExtractedFrom)
					before := w.all(t)
					for _, r := range records {
						w.put(t, r)
						require.Equal(t, before, w.all(t), "no id comes back")
					}
				}
				for _, put := range puts {
					require.Equal(t, test.want, put.Key.ID)
				}
			})
		}
	}
}

func TestWhatIsNotTheSame(t *testing.T) {
	t.Parallel()
	base := longterm.Record{ID: "1", Text: "tea @10"}
	tests := map[string]func(r *longterm.Record){
		"another session": func(r *longterm.Record) { r.SessionID = "s-2" },
		"another type":    func(r *longterm.Record) { r.Type = session.RecordEpisodic },
		"an event":        func(r *longterm.Record) { r.EventDate = noon },
		"another user":    func(r *longterm.Record) { r.UserID = "bob" },
		"another space":   func(r *longterm.Record) { r.Namespace = "bank" },
		"a message":       func(r *longterm.Record) { r.Type = session.RecordMessage },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{base.Text, "more tea @11"} {
				w := setup(t, embedded)
				other := base
				other.ID, other.Text = "2", text
				other.Namespace, other.UserID = "shop", "anna"
				change(&other)
				w.put(t, base)
				_, err := w.Put(t.Context(), longterm.Everyone(), []longterm.Record{other}, nil)
				require.NoError(t, err)
				c, err := w.Compact(t.Context(), longterm.Everyone())
				require.NoError(t, err)
				require.Equal(t, longterm.Compaction{Remaining: 2}, c)
			}
		})
	}
	t.Run("messages", func(t *testing.T) {
		t.Parallel()
		w := setup(t, embedded)
		w.put(t, longterm.Record{ID: "1", Text: "hi @1", Type: session.RecordMessage}, longterm.Record{ID: "2", Text: "hi @1", Type: session.RecordMessage})
		require.Equal(t, []string{"1", "2"}, w.ids(t))
	})
}

func TestAcrossSessions(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"tea @10", "more tea @11"} {
		w := setup(t, func(o *longterm.Options, w *world) {
			embedded(o, w)
			o.AcrossSessions = true
		})
		puts := w.put(t, longterm.Record{ID: "1", Text: "tea @10", SessionID: "s-1"}, longterm.Record{ID: "2", Text: text, SessionID: "s-2"})
		require.Equal(t, longterm.PutMerged, puts[1].Status)
		require.Equal(t, []string{"1"}, w.ids(t))
		require.Equal(t, "s-1", w.get(t, "1").SessionID)
	}
}

func TestNearTextsAreOneRecord(t *testing.T) {
	t.Parallel()
	at := func(id, text string, minutes int) longterm.Record {
		return longterm.Record{ID: id, Text: text, CreatedAt: noon.Add(time.Duration(minutes) * time.Minute)}
	}
	tests := map[string]struct {
		put  []longterm.Record
		want map[string]string
	}{
		"near":                         {[]longterm.Record{at("1", "at 3 @0", 0), at("2", "at 4 @18", 1)}, map[string]string{"1": "at 4 @18"}},
		"not near":                     {[]longterm.Record{at("1", "at 3 @0", 0), at("2", "at 4 @19", 1)}, map[string]string{"1": "at 3 @0", "2": "at 4 @19"}},
		"said before":                  {[]longterm.Record{at("1", "at 3 @0", 1), at("2", "at 4 @9", 0)}, map[string]string{"2": "at 3 @0"}},
		"said last, but contained":     {[]longterm.Record{at("1", "Bob: tea @9", 0), at("2", "tea @9", 1)}, map[string]string{"1": "Bob: tea @9"}},
		"said before, containing":      {[]longterm.Record{at("1", "tea @9", 1), at("2", "Bob: tea @9", 0)}, map[string]string{"2": "Bob: tea @9"}},
		"at once: the longer":          {[]longterm.Record{at("1", "no tea @0", 0), at("2", "tea @1", 0)}, map[string]string{"1": "no tea @0"}},
		"at once: the other":           {[]longterm.Record{at("1", "tea @1", 0), at("2", "no tea @0", 0)}, map[string]string{"1": "no tea @0"}},
		"without times: the last":      {[]longterm.Record{{ID: "1", Text: "tea @1"}, {ID: "2", Text: "ale @0"}}, map[string]string{"1": "ale @0"}},
		"the nearest of two":           {[]longterm.Record{at("1", "a @0", 0), at("2", "b @30", 0), at("3", "c @18", 1)}, map[string]string{"1": "a @0", "2": "c @18"}},
		"the same before the near one": {[]longterm.Record{at("1", "a @0", 0), at("2", "b @25", 0), at("3", "a @0", 1)}, map[string]string{"1": "a @0", "2": "b @25"}},
	}
	for name, test := range tests {
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
					hits, err := w.Search(t.Context(), anna, longterm.Query{Text: r.Text, Mode: longterm.ModeSemantic})
					require.NoError(t, err)
					require.Equal(t, r.ID, hits.Hits[0].Record.ID)
					require.InDelta(t, 1, hits.Hits[0].Similarity, 1e-6, "the vector is that of the text")
				}
				require.Equal(t, test.want, got)
				before := w.all(t)
				w.put(t, test.put...)
				require.Equal(t, before, w.all(t), "putting all again changes nothing")
			}
		})
	}
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

// A change between reading and writing is not lost.
func TestMergeWithOneThatChanges(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0", Topics: []string{"a"}})
	other, err := longterm.New(w.index.Index, nil)
	require.NoError(t, err)
	w.index.before = func(n int) error {
		if n == 2 {
			_, err := other.Update(t.Context(), anna, "1", func(r *longterm.Record) error {
				r.Topics = []string{"b"}
				return nil
			})
			return err
		}
		return nil
	}
	w.put(t, longterm.Record{ID: "2", Text: "more tea @1", Topics: []string{"c"}})
	require.Equal(t, []string{"b", "c"}, w.get(t, "1").Topics)
}

func TestMergedRecordsStayInBounds(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	tags := func(from int) (tags []string) {
		for i := range driver.MaxTags {
			tags = append(tags, fmt.Sprint(from+i))
		}
		return tags
	}
	w.put(t, longterm.Record{ID: "1", Text: "tea", Topics: tags(0)}, longterm.Record{ID: "2", Text: "tea", Topics: tags(500)})
	require.Equal(t, tags(0), w.get(t, "1").Topics)

	large := strings.Repeat("x", driver.MaxRecordBytes/2)
	w.put(t, longterm.Record{ID: "3", Text: "ale", Metadata: map[string]any{"a": large}}, longterm.Record{ID: "4", Text: "ale", Metadata: map[string]any{"b": large}})
	r := w.get(t, "3")
	require.NoError(t, driver.CheckRecord(&r))
	require.NotContains(t, r.Metadata, "b")
}

func TestNoMerge(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	apart := func(records ...longterm.Record) []longterm.Put {
		puts, err := w.Put(t.Context(), anna, records, &longterm.PutOptions{NoMerge: true})
		require.NoError(t, err)
		return puts
	}
	w.put(t, longterm.Record{ID: "0", Text: "tea @0"})
	same := []longterm.Record{{ID: "1", Text: "tea @0"}, {ID: "2", Text: "tea @0"}, {ID: "3", Text: "more tea @1"}}
	apart(same...)
	require.Equal(t, []string{"0", "1", "2", "3"}, w.ids(t))
	for _, put := range apart(same...) {
		require.Equal(t, longterm.PutSame, put.Status)
	}
	apart(longterm.Record{ID: "1", Text: "coffee @90"})
	require.Equal(t, "coffee @90", w.get(t, "1").Text, "the same id replaces")
	apart(same...)

	puts := w.put(t, longterm.Record{ID: "4", Text: "tea @0"}, longterm.Record{ID: "5", Text: "much tea @2"})
	require.Equal(t, "0", puts[0].Key.ID, "others are merged with what is not apart")
	require.Equal(t, "0", puts[1].Key.ID)
	require.Equal(t, []string{"0", "1", "2", "3"}, w.ids(t))

	_, err := w.Update(t.Context(), anna, "1", func(r *longterm.Record) error {
		r.Topics = []string{"drinks"}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"0", "1", "2", "3"}, w.ids(t), "it stays apart when it is updated")

	puts = w.put(t, longterm.Record{ID: "2", Text: "much tea @2"})
	require.Equal(t, "0", puts[0].Key.ID, "it is merged when it is put without the option")
	require.Equal(t, []string{"0", "1", "3"}, w.ids(t))

	c, err := w.Compact(t.Context(), anna)
	require.NoError(t, err)
	require.Equal(t, longterm.Compaction{Merged: 2, Remaining: 1}, c)
}

// Texts may change places in one call.
func TestPutChangesTextsWithEachOther(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0"}, longterm.Record{ID: "2", Text: "ale @90"})
	w.put(t, longterm.Record{ID: "1", Text: "ale @90"}, longterm.Record{ID: "2", Text: "tea @0"})
	require.Equal(t, []string{"1", "2"}, w.ids(t))
	require.Equal(t, "ale @90", w.get(t, "1").Text)
	require.Equal(t, "tea @0", w.get(t, "2").Text)
	results, err := w.Search(t.Context(), anna, longterm.Query{Text: "@0", Mode: longterm.ModeSemantic})
	require.NoError(t, err)
	require.Equal(t, "2", results.Hits[0].Record.ID)
	require.Len(t, results.Hits, 2)
}

func TestTheLastOfAnIDCounts(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	puts := w.put(t, longterm.Record{ID: "1", Text: "tea"}, longterm.Record{ID: "2", Text: "tea"}, longterm.Record{ID: "1", Text: "ale"})
	require.Equal(t, puts[0], puts[2])
	require.Equal(t, "2", puts[1].Key.ID)
	require.Equal(t, "ale", w.get(t, "1").Text)
	require.Equal(t, "tea", w.get(t, "2").Text)
}

// An index may find what is gone already, where it is not the only one that is searched.
func TestNearRecordsThatAreGone(t *testing.T) {
	t.Parallel()
	for name, now := range map[string]string{"gone": "", "changed": "ale @90"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, embedded)
			w.put(t, longterm.Record{ID: "1", Text: "tea @0"})
			stale := &staleIndex{Index: w.index.Index}
			m := w.on(t, &longterm.Options{Embedder: w.embed})
			w.index.Index = stale
			stale.search(t, driver.Search{Scope: anna, Limit: 1})
			if now == "" {
				_, err := m.Delete(t.Context(), anna, "1")
				require.NoError(t, err)
			} else {
				w.put(t, longterm.Record{ID: "1", Text: now})
			}
			puts := w.put(t, longterm.Record{ID: "2", Text: "more tea @1"})
			require.Equal(t, longterm.PutAdded, puts[0].Status)
		})
	}
}

// staleIndex finds what it has found once.
type staleIndex struct {
	driver.Index
	page driver.HitPage
}

func (x *staleIndex) search(t *testing.T, s driver.Search) {
	page, err := x.Index.Search(t.Context(), s)
	require.NoError(t, err)
	page.Hits[0].Similarity = 0.999
	x.page = page
}

func (x *staleIndex) Search(context.Context, driver.Search) (driver.HitPage, error) {
	return x.page, nil
}

func TestPutWhenNothingCanBeSearched(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.index.search = func(driver.Search) error { return longterm.ErrUnavailable }
	_, err := w.Put(t.Context(), anna, []longterm.Record{{ID: "1", Text: "tea @0"}}, nil)
	require.ErrorIs(t, err, longterm.ErrUnavailable)
	require.Empty(t, w.ids(t))
}

func TestTheNearestIsWhatWasJustPut(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "a @0"})
	puts := w.put(t, longterm.Record{ID: "2", Text: "b @30"}, longterm.Record{ID: "3", Text: "c @17"})
	require.Equal(t, "2", puts[1].Key.ID)
	require.Equal(t, []string{"1", "2"}, w.ids(t))
}

// Vectors that an embedder made before do not merge anything without it, or with another.
func TestVectorsOfOtherEmbeddersMergeNothing(t *testing.T) {
	t.Parallel()
	for name, embedder := range map[string]longterm.Embedder{"none": nil, "another": &compass{model: "other"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, func(o *longterm.Options, w *world) {
				embedded(o, w)
				o.MergeDistance = -1
			})
			w.put(t, longterm.Record{ID: "1", Text: "tea @0"}, longterm.Record{ID: "2", Text: "tea! @1"}, longterm.Record{ID: "3", Text: "ale @90"})
			m := w.on(t, &longterm.Options{Embedder: embedder})
			records := []longterm.Record{{ID: "1", Text: "tea @0", Topics: []string{"a"}}, {ID: "3", Text: "ale @90", Topics: []string{"a"}}, {ID: "4", Text: "ale! @90"}}
			for _, r := range records {
				_, err := m.Put(t.Context(), anna, []longterm.Record{r}, nil)
				require.NoError(t, err)
			}
			require.Equal(t, []string{"1", "2", "3", "4"}, w.ids(t))
			records[0].Topics, records[1].Topics, records[2].Text = nil, nil, "beer! @90"
			_, err := m.Put(t.Context(), anna, records, nil)
			require.NoError(t, err)
			require.Equal(t, []string{"1", "2", "3", "4"}, w.ids(t))
		})
	}
}

func TestARecordWithoutAVectorGetsThatOfTheSameText(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0"})
	m := w.on(t, &longterm.Options{Embedder: w.embed})
	puts, err := m.Put(t.Context(), anna, []longterm.Record{{ID: "2", Text: "tea @0"}}, nil)
	require.NoError(t, err)
	require.Equal(t, "1", puts[0].Key.ID)
	results, err := m.Search(t.Context(), anna, longterm.Query{Text: "@0", Mode: longterm.ModeSemantic})
	require.NoError(t, err)
	require.Len(t, results.Hits, 1)
}

// What was merged in an attempt that failed is not in the next one.
func TestAnAttemptLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, longterm.Record{ID: "1", Text: "tea", Topics: []string{"a"}, Metadata: map[string]any{"a": "1"}})
	other := w.on(t, &longterm.Options{})
	w.index.before = func(n int) error {
		if n != 2 {
			return nil
		}
		_, err := other.Delete(t.Context(), anna, "1")
		require.NoError(t, err)
		return longterm.ErrConflict
	}
	w.put(t, longterm.Record{ID: "2", Text: "tea", Topics: []string{"b"}, Metadata: map[string]any{"b": "2"}})
	r := w.get(t, "2")
	require.Equal(t, map[string]any{"b": "2"}, r.Metadata)
	require.Equal(t, []string{"b"}, r.Topics)
}

// A record that was merged is known by what was put under its id, also after it was put
// with an earlier time, which is new.
func TestAMergedRecordIsPutAgainWithAnEarlierTime(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	first := longterm.Record{ID: "1", Text: "tea", Topics: []string{"a"}}
	w.put(t, first, longterm.Record{ID: "2", Text: "tea", Topics: []string{"b"}})
	first.CreatedAt = noon.Add(-time.Hour)
	for range 3 {
		w.put(t, first)
		r := w.get(t, "1")
		require.Equal(t, first.CreatedAt, r.CreatedAt)
		require.Equal(t, []string{"a", "b"}, r.Topics)
	}
}

func TestAVectorGoesWithItsText(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0"}, longterm.Record{ID: "2", Text: "ale @90"})
	m := w.on(t, &longterm.Options{})
	_, err := m.Put(t.Context(), anna, []longterm.Record{{ID: "1", Text: "coffee"}, {ID: "2", Text: "ale @90", Topics: []string{"a"}}}, nil)
	require.NoError(t, err)
	results, err := w.Search(t.Context(), anna, longterm.Query{Text: "@0", Mode: longterm.ModeSemantic})
	require.NoError(t, err)
	require.Len(t, results.Hits, 1, "the vector of a text that is gone is gone")
	require.Equal(t, "2", results.Hits[0].Record.ID)
}
