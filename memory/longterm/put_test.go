package longterm_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

func TestPutFillsInWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	puts := w.put(t, longterm.Record{ID: "1", Text: "Anna likes tea.", Topics: []string{}, Metadata: map[string]any{"n": 1.5}})
	require.Equal(t, []longterm.Put{{Key: driver.RecordKey{Namespace: "shop", UserID: "anna", ID: "1"}, Status: longterm.PutAdded}}, puts)
	r := w.get(t, "1")
	require.Equal(t, driver.HashOf(&r, false), r.Hash)
	require.Equal(t, "1.5", fmt.Sprint(r.Metadata["n"]))
	r.Hash, r.Metadata = "", nil
	require.Equal(t, longterm.Record{
		ID: "1", Text: "Anna likes tea.", Type: session.RecordSemantic, Namespace: "shop", UserID: "anna",
		CreatedAt: noon, UpdatedAt: noon, LastAccessed: noon, PersistedAt: noon,
	}, r)
}

func TestPutKeepsTheTimesOfClients(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	zone := time.FixedZone("east", 3600)
	day := time.Date(2025, 1, 2, 3, 4, 5, 6789, zone)
	w.put(t, longterm.Record{ID: "1", Text: "Anna came.", Type: session.RecordEpisodic, CreatedAt: day, LastAccessed: day, EventDate: day, AccessCount: 3})
	r := w.get(t, "1")
	want := time.Date(2025, 1, 2, 2, 4, 5, 6000, time.UTC)
	for _, at := range []time.Time{r.CreatedAt, r.LastAccessed, r.EventDate, r.UpdatedAt} {
		assert.Equal(t, want, at)
	}
	assert.Equal(t, noon, r.PersistedAt)
	assert.Equal(t, 3, r.AccessCount)
}

func TestSameIDReplaces(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0", Topics: []string{"drinks"}, Pinned: true})
	require.NoError(t, w.index.Touch(t.Context(), []driver.RecordKey{{Namespace: "shop", UserID: "anna", ID: "1"}}, noon.Add(time.Minute)))
	w.clock.Sleep(time.Hour)
	puts := w.put(t, longterm.Record{ID: "1", Text: "coffee @90"})
	require.Equal(t, longterm.PutReplaced, puts[0].Status)
	r := w.get(t, "1")
	assert.Equal(t, "coffee @90", r.Text)
	assert.Empty(t, r.Topics)
	assert.False(t, r.Pinned)
	assert.Equal(t, noon, r.PersistedAt)
	assert.Equal(t, noon, r.CreatedAt)
	assert.Equal(t, noon.Add(time.Hour), r.UpdatedAt)
	assert.Equal(t, noon.Add(time.Minute), r.LastAccessed)
	assert.Equal(t, 1, r.AccessCount)
	results, err := w.Search(t.Context(), anna, longterm.Query{Text: "@90", Mode: longterm.ModeSemantic})
	require.NoError(t, err)
	assert.InDelta(t, 1, results.Hits[0].Similarity, 1e-6)
	assert.Equal(t, []string{"1"}, w.ids(t))
}

func TestPuttingTheSameAgainWritesNothing(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	records := []longterm.Record{
		{ID: "1", Text: "tea @0", Topics: []string{"drinks"}, Metadata: map[string]any{"list": []int{1, 2}, "n": 1e21}},
		{ID: "2", Text: "tea @0", Topics: []string{"leaves"}, Entities: []string{"Assam"}},
		{ID: "3", Text: "more tea @5", CreatedAt: noon.Add(-time.Hour)},
		{ID: "4", Text: "hello", Type: session.RecordMessage},
	}
	first := w.put(t, records...)
	before, writes := w.all(t), w.index.written()
	w.embed.embedded()
	w.clock.Sleep(time.Hour)
	second := w.put(t, records...)
	require.Equal(t, before, w.all(t))
	require.Equal(t, writes, w.index.written())
	for i := range first {
		require.Equal(t, first[i].Key, second[i].Key)
	}
	require.Equal(t, longterm.PutSame, second[3].Status)

	// Later uses alone are not worth a write either, nor what is put alone.
	for i, r := range records {
		r.LastAccessed, r.AccessCount = noon, 0
		puts := w.put(t, r)
		require.Equal(t, first[i].Key, puts[0].Key)
	}
	require.Equal(t, before, w.all(t))
}

func TestOnlyTextsThatChangedAreEmbedded(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	w.put(t, longterm.Record{ID: "1", Text: "tea @0"}, longterm.Record{ID: "2", Text: "coffee @90"}, longterm.Record{ID: "3", Text: "tea @0"},
		longterm.Record{ID: "4", Text: " ", Type: session.RecordMessage})
	require.Equal(t, []string{"coffee @90", "tea @0"}, w.embed.embedded())
	w.put(t, longterm.Record{ID: "1", Text: "tea @0", Topics: []string{"new"}}, longterm.Record{ID: "5", Text: "coffee @90"})
	require.Empty(t, w.embed.embedded())
}

func TestPutRefuses(t *testing.T) {
	t.Parallel()
	cyclic := map[string]any{}
	cyclic["self"] = cyclic
	tests := map[string]struct {
		record longterm.Record
		want   error
	}{
		"no id":            {longterm.Record{Text: "x"}, longterm.ErrNoID},
		"long id":          {longterm.Record{ID: strings.Repeat("€", driver.MaxIDBytes), Text: "x"}, longterm.ErrTooLarge},
		"no text":          {longterm.Record{ID: "1", Text: " \n"}, longterm.ErrNoText},
		"long text":        {longterm.Record{ID: "1", Text: strings.Repeat("x", driver.MaxTextBytes+1)}, longterm.ErrTooLarge},
		"type":             {longterm.Record{ID: "1", Text: "x", Type: "rumour"}, longterm.ErrType},
		"UTF-8":            {longterm.Record{ID: "1", Text: "x\xff"}, longterm.ErrInvalidUTF8},
		"UTF-8 of a topic": {longterm.Record{ID: "1", Text: "x", Topics: []string{"\xff"}}, longterm.ErrInvalidUTF8},
		"many topics":      {longterm.Record{ID: "1", Text: "x", Topics: make([]string, driver.MaxTags+1)}, longterm.ErrTooLarge},
		"metadata":         {longterm.Record{ID: "1", Text: "x", Metadata: map[string]any{"x": math.Inf(1)}}, longterm.ErrMetadata},
		"cyclic metadata":  {longterm.Record{ID: "1", Text: "x", Metadata: cyclic}, longterm.ErrTooLarge},
		"function":         {longterm.Record{ID: "1", Text: "x", Metadata: map[string]any{"x": func() {}}}, longterm.ErrMetadata},
		"far future":       {longterm.Record{ID: "1", Text: "x", CreatedAt: noon.AddDate(9000, 0, 0)}, longterm.ErrMetadata},
		"other user":       {longterm.Record{ID: "1", Text: "x", UserID: "bob"}, longterm.ErrScope},
		"other namespace":  {longterm.Record{ID: "1", Text: "x", Namespace: "bank"}, longterm.ErrScope},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, nil)
			_, err := w.Put(t.Context(), anna, []longterm.Record{{ID: "good", Text: "secret words"}, test.record}, nil)
			require.ErrorIs(t, err, test.want)
			var wrong *longterm.RecordError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, 1, wrong.Index)
			require.LessOrEqual(t, len(err.Error()), 300)
			require.True(t, utf8.ValidString(wrong.ID))
			require.Empty(t, w.ids(t))
		})
	}
}

func TestPutSaysWhoseRecordsItTakes(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	_, err := w.Put(t.Context(), longterm.Scope{}, []longterm.Record{{ID: "1", Text: "x"}}, nil)
	require.ErrorIs(t, err, longterm.ErrScope)
	for _, scope := range []longterm.Scope{longterm.OfNamespace("shop"), longterm.OfUser("anna"), longterm.Everyone()} {
		puts, err := w.Put(t.Context(), scope, []longterm.Record{{ID: "1", Text: "x"}}, nil)
		require.NoError(t, err)
		require.Equal(t, longterm.PutAdded, puts[0].Status)
	}
	var owners []string
	for _, r := range w.all(t) {
		owners = append(owners, r.Namespace+"/"+r.UserID)
	}
	require.Equal(t, []string{"/", "/anna", "shop/"}, owners)
}

// What is put stays the caller's, and what is returned too.
func TestMemoryKeepsNothingOfTheCaller(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	r := longterm.Record{ID: "1", Text: "tea", Topics: []string{"a"}, Metadata: map[string]any{"list": []any{"x"}}}
	w.put(t, r)
	r.Topics[0] = "changed"
	r.Metadata["list"].([]any)[0] = "changed"
	got := w.get(t, "1")
	require.Equal(t, []string{"a"}, got.Topics)
	require.Equal(t, []any{"x"}, got.Metadata["list"])
	got.Topics[0], got.Metadata["list"] = "changed", nil
	require.Equal(t, []string{"a"}, w.get(t, "1").Topics)
}

func TestPutOfManyRecords(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var records []longterm.Record
	for i := range 1234 {
		records = append(records, longterm.Record{ID: fmt.Sprint(i), Text: fmt.Sprintf("fact %d", i%1200), UserID: "anna"})
	}
	puts, err := w.Put(t.Context(), longterm.OfNamespace("shop"), records, nil)
	require.NoError(t, err)
	require.Len(t, puts, 1234)
	require.Equal(t, "17", puts[1217].Key.ID)
	require.Equal(t, longterm.PutMerged, puts[1217].Status)
	results, err := w.Search(t.Context(), anna, longterm.Query{})
	require.NoError(t, err)
	require.Equal(t, 1200, results.Total)
}

func TestPutOfLargeRecordsIsInSteps(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	large := map[string]any{"x": strings.Repeat("x", 3<<20)}
	w.put(t, longterm.Record{ID: "a", Text: "a", Metadata: large}, longterm.Record{ID: "b", Text: "b", Metadata: large})
	require.Equal(t, 2, w.index.written())
	var records []longterm.Record
	for i := range 5 {
		records = append(records, longterm.Record{ID: fmt.Sprint(i), Text: fmt.Sprint(i) + strings.Repeat(" ", driver.MaxTextBytes-1)})
	}
	w.put(t, records...)
	require.Len(t, w.ids(t), 7)
	require.Equal(t, 4, w.index.written())
}

func TestPutAfterTrouble(t *testing.T) {
	t.Parallel()
	records := []longterm.Record{{ID: "1", Text: "tea"}, {ID: "2", Text: "tea"}, {ID: "3", Text: "coffee"}}
	tests := map[string]struct {
		before, after func(write int) error
		want          error
	}{
		"conflicts":            {before: func(n int) error { return only(n < 5, longterm.ErrConflict) }},
		"unavailable before":   {before: func(n int) error { return only(n == 1, longterm.ErrUnavailable) }, want: longterm.ErrUnavailable},
		"unavailable after":    {after: func(n int) error { return only(n == 1, longterm.ErrUnavailable) }, want: longterm.ErrUnavailable},
		"conflict although it": {after: func(n int) error { return only(n == 1, longterm.ErrConflict) }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, nil)
			w.index.before, w.index.after = test.before, test.after
			_, err := w.Put(t.Context(), anna, records, nil)
			require.ErrorIs(t, err, test.want)
			w.put(t, records...)
			require.Equal(t, []string{"1", "3"}, w.ids(t))
		})
	}
}

func TestPutGivesUpAfterManyConflicts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := setup(t, nil)
		w.index.before = func(int) error { return longterm.ErrConflict }
		_, err := w.Put(t.Context(), anna, []longterm.Record{{ID: "1", Text: "tea"}}, nil)
		require.ErrorIs(t, err, longterm.ErrConflict)
		require.Equal(t, 100, w.index.written())
	})
}

func only(when bool, err error) error {
	if when {
		return err
	}
	return nil
}

func TestPutReturnsWhatEarlierStepsDid(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.index.before = func(n int) error { return only(n == 2, longterm.ErrUnavailable) }
	var records []longterm.Record
	for i := range 300 {
		records = append(records, longterm.Record{ID: fmt.Sprint(i), Text: fmt.Sprint("fact ", i)})
	}
	puts, err := w.Put(t.Context(), anna, records, nil)
	require.ErrorIs(t, err, longterm.ErrUnavailable)
	require.Len(t, puts, 250)
	require.Equal(t, "249", puts[249].Key.ID)
}

func TestPutGivesUpWhenTheContextEnds(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	w.index.before = func(n int) error {
		if n == 3 {
			cancel()
		}
		return longterm.ErrConflict
	}
	_, err := w.Put(ctx, anna, []longterm.Record{{ID: "1", Text: "tea"}}, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.LessOrEqual(t, w.index.written(), 4)
}

func TestPutWithABrokenEmbedder(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	tests := map[string]func(texts []string) ([][]float32, error){
		"error":      func([]string) ([][]float32, error) { return nil, errBroken },
		"panic":      func(texts []string) ([][]float32, error) { panic(texts[0]) },
		"too few":    func([]string) ([][]float32, error) { return [][]float32{{1}}, nil },
		"none":       func([]string) ([][]float32, error) { return nil, nil },
		"zero":       func([]string) ([][]float32, error) { return [][]float32{{0, 0}, {1, 0}}, nil },
		"not finite": func([]string) ([][]float32, error) { return [][]float32{{1, 0}, {nan, 0}}, nil },
		"infinite":   func([]string) ([][]float32, error) { return [][]float32{{float32(math.Inf(1)), 0}, {1, 0}}, nil },
		"dimensions": func([]string) ([][]float32, error) { return [][]float32{{1, 0}, {1, 0, 0}}, nil },
		"empty":      func([]string) ([][]float32, error) { return [][]float32{{}, {}}, nil },
	}
	for name, broken := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, embedded)
			w.embed.broken = broken
			_, err := w.Put(t.Context(), anna, []longterm.Record{{ID: "1", Text: "secret tea"}, {ID: "2", Text: "coffee"}}, nil)
			require.ErrorIs(t, err, longterm.ErrEmbedder)
			require.NotContains(t, err.Error(), "secret")
			require.Empty(t, w.ids(t))
		})
	}
}

func TestWhatAnEmbedderReturnedCanBeFound(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	put := func(fails func() error) error {
		w.embed.broken = func([]string) ([][]float32, error) { return nil, fails() }
		_, err := w.Put(t.Context(), anna, []longterm.Record{{ID: "1", Text: "tea"}}, nil)
		require.ErrorIs(t, err, longterm.ErrEmbedder)
		return err
	}
	require.ErrorIs(t, put(func() error { return errBroken }), errBroken)
	err := put(func() error { panic("tea") })
	require.ErrorIs(t, err, memory.ErrPanic)
	require.NotContains(t, err.Error(), "tea")
}

// A text that the embedder does not take is put without a vector, and found by keywords.
func TestATextThatTheEmbedderDoesNotTake(t *testing.T) {
	t.Parallel()
	for name, refuses := range map[string]func() ([][]float32, error){
		"error":        func() ([][]float32, error) { return nil, errBroken },
		"no direction": func() ([][]float32, error) { return [][]float32{{0, 0}, {0, 0}, {0, 0}}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, embedded)
			w.embed.broken = func(texts []string) (vectors [][]float32, err error) {
				for _, text := range texts {
					if strings.Contains(text, "poison") {
						vectors, err := refuses()
						return vectors[:min(len(texts), len(vectors))], err
					}
					vectors = append(vectors, direction(text))
				}
				return vectors, nil
			}
			w.put(t, longterm.Record{ID: "1", Text: "tea"}, longterm.Record{ID: "2", Text: "poison"}, longterm.Record{ID: "3", Text: "coffee @90"})
			require.Equal(t, []string{"1", "2", "3"}, w.ids(t))
			made, err := w.Reembed(t.Context(), anna)
			require.NoError(t, err)
			require.Zero(t, made, "the others have their vectors")
			found, err := w.Search(t.Context(), anna, longterm.Query{Text: "poison", Mode: longterm.ModeKeyword})
			require.NoError(t, err)
			require.Len(t, found.Hits, 1)
			w.embed.broken = nil
			made, err = w.Reembed(t.Context(), anna)
			require.NoError(t, err)
			require.Equal(t, 1, made)
		})
	}
}

// An embedder that fails altogether, or begins to, is asked again later, and not by each
// text.
func TestAnEmbedderThatIsDown(t *testing.T) {
	t.Parallel()
	for answers := range 3 {
		w := setup(t, embedded)
		asked := 0
		w.embed.broken = func(texts []string) (vectors [][]float32, err error) {
			if asked++; len(texts) > 1 || asked > 1+answers {
				return nil, errBroken
			}
			return [][]float32{direction(texts[0])}, nil
		}
		_, err := w.Put(t.Context(), anna, []longterm.Record{{ID: "1", Text: "tea"}, {ID: "2", Text: "milk"}, {ID: "3", Text: "coffee"}}, nil)
		require.ErrorIs(t, err, longterm.ErrEmbedder)
		require.Empty(t, w.ids(t))
		require.LessOrEqual(t, asked, 3+answers)
	}
}

// An embedder has limits: it gets the beginning of a text, and not all texts at once.
func TestEmbedderGetsBoundedCalls(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	var records []longterm.Record
	for i := range 249 {
		records = append(records, longterm.Record{ID: fmt.Sprint(i), Text: fmt.Sprintf("%d fact", i), Type: session.RecordMessage})
	}
	long := longterm.Record{ID: "long", Text: strings.Repeat("€", 100_000), Type: session.RecordMessage}
	w.put(t, append(records, long)...)
	require.Equal(t, 3, w.embed.calls)
	texts := w.embed.embedded()
	require.Equal(t, strings.Repeat("€", 16<<10/3), texts[len(texts)-1])
}

// What was put in a step may be merged with what is put in a later one.
func TestPutSaysWhereRecordsOfEarlierStepsWent(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	var records []longterm.Record
	for i := range 300 {
		records = append(records, longterm.Record{ID: fmt.Sprint(i), Text: fmt.Sprint("fact ", i)})
	}
	records[0].ExtractedFrom = []string{"m"}
	records[1].Text, records[299].Text = "fact 0", "fact 0"
	records[1].ExtractedFrom = []string{"n"}
	puts := w.put(t, records...)
	merged := longterm.Put{Key: driver.RecordKey{Namespace: "shop", UserID: "anna", ID: "299"}, Status: longterm.PutMerged}
	for _, i := range []int{0, 1, 299} {
		require.Equal(t, merged, puts[i])
	}
	require.Equal(t, longterm.PutAdded, puts[2].Status)
}

// A client that changes what it got, and puts it back, changes it now.
func TestPuttingBackWhatWasChanged(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	w.put(t, longterm.Record{ID: "1", Text: "tea", AccessCount: -7})
	r := w.get(t, "1")
	require.Zero(t, r.AccessCount)
	for _, at := range []time.Time{r.UpdatedAt, r.UpdatedAt.Add(-time.Hour), {}} {
		w.clock.Sleep(time.Hour)
		r = w.get(t, "1")
		r.Text, r.UpdatedAt = r.Text+"!", at
		w.put(t, r)
		require.Equal(t, w.clock.Now(), w.get(t, "1").UpdatedAt)
	}
	r.UpdatedAt = w.clock.Now().Add(time.Minute)
	w.put(t, longterm.Record{ID: "1", Text: "ale", UpdatedAt: r.UpdatedAt})
	require.Equal(t, r.UpdatedAt, w.get(t, "1").UpdatedAt, "a later time is the client's")
}
