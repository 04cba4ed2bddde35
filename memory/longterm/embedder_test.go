package longterm_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

func TestPutWithABrokenEmbedder(t *testing.T) {
	t.Parallel()
	nan, wide := float32(math.NaN()), make([]float32, driver.MaxDimensions+1)
	wide[0] = 1
	for name, test := range map[string]struct {
		broken func(texts []string) ([][]float32, error)
		cause  error
	}{
		"error":      {func([]string) ([][]float32, error) { return nil, errBroken }, errBroken},
		"panic":      {func(texts []string) ([][]float32, error) { panic(texts[0]) }, memory.ErrPanic},
		"too few":    {func([]string) ([][]float32, error) { return [][]float32{{1}}, nil }, nil},
		"zero":       {func([]string) ([][]float32, error) { return [][]float32{{0, 0}, {1, 0}}, nil }, nil},
		"not finite": {func([]string) ([][]float32, error) { return [][]float32{{1, 0}, {nan, 0}}, nil }, nil},
		"dimensions": {func([]string) ([][]float32, error) { return [][]float32{{1, 0}, {1, 0, 0}}, nil }, nil},
		"wide":       {func(texts []string) ([][]float32, error) { return [][]float32{wide, wide}[:len(texts)], nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, embedded)
			w.embed.broken = test.broken
			_, err := w.Put(t.Context(), anna, []longterm.Record{{ID: "1", Text: "secret tea"}, {ID: "2", Text: "coffee"}}, nil)
			require.ErrorIs(t, err, longterm.ErrEmbedder)
			if test.cause != nil {
				require.ErrorIs(t, err, test.cause)
			}
			require.NotContains(t, err.Error(), "secret")
			require.Empty(t, w.ids(t))
		})
	}
	w := setup(t, embedded)
	w.embed.broken = func([]string) ([][]float32, error) { return [][]float32{wide[:driver.MaxDimensions]}, nil }
	w.put(t, longterm.Record{ID: "1", Text: "tea"})
}

// A text that the embedder refuses is kept without a vector.
func TestPutOfATextThatTheEmbedderRefuses(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func() ([][]float32, error){
		"error":        func() ([][]float32, error) { return nil, errBroken },
		"no direction": func() ([][]float32, error) { return [][]float32{{0, 0}, {0, 0}, {0, 0}}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t, embedded)
			w.embed.broken = func(texts []string) ([][]float32, error) {
				if strings.Contains(strings.Join(texts, ""), "poison") {
					vectors, err := refuse()
					return vectors[:min(len(texts), len(vectors))], err
				}
				return directions(texts), nil
			}
			w.put(t, longterm.Record{ID: "1", Text: "tea"}, longterm.Record{ID: "2", Text: "poison"}, longterm.Record{ID: "3", Text: "coffee @90"})
			require.Equal(t, []string{"1", "2", "3"}, w.ids(t))
			made, err := w.Reembed(t.Context(), anna)
			require.NoError(t, err)
			require.Zero(t, made, "the others have vectors")
			require.Len(t, search(t, w.Memory, longterm.Query{Text: "poison", Mode: longterm.ModeKeyword}).Hits, 1)
			w.embed.broken = nil
			made, err = w.Reembed(t.Context(), anna)
			require.NoError(t, err)
			require.Equal(t, 1, made)
		})
	}
}

// An embedder that fails altogether, at once or after some answers, is not called for every text.
func TestPutWhileTheEmbedderIsDown(t *testing.T) {
	t.Parallel()
	for answers := range 3 {
		w := setup(t, embedded)
		calls := 0
		w.embed.broken = func(texts []string) ([][]float32, error) {
			if calls++; len(texts) > 1 || calls > 1+answers {
				return nil, errBroken
			}
			return directions(texts), nil
		}
		_, err := w.Put(t.Context(), anna, []longterm.Record{{ID: "1", Text: "tea"}, {ID: "2", Text: "milk"}, {ID: "3", Text: "coffee"}}, nil)
		require.ErrorIs(t, err, longterm.ErrEmbedder)
		require.Empty(t, w.ids(t))
		require.LessOrEqual(t, calls, 3+answers)
	}
}

func TestCallsOfTheEmbedderAreBounded(t *testing.T) {
	t.Parallel()
	w := setup(t, embedded)
	var records []longterm.Record
	for i := range 249 {
		records = append(records, longterm.Record{ID: fmt.Sprint(i), Text: fmt.Sprintf("%d fact", i), Type: session.RecordMessage})
	}
	w.put(t, append(records, longterm.Record{ID: "long", Text: strings.Repeat("€", 10_000), Type: session.RecordMessage})...)
	require.Equal(t, 3, w.embed.calls)
	texts := w.embed.takeTexts()
	require.Equal(t, strings.Repeat("€", 16<<10/3), texts[len(texts)-1])
}

func TestReembed(t *testing.T) {
	t.Parallel()
	w := setup(t, nil)
	records := []longterm.Record{{ID: "blank", Text: " ", Type: session.RecordMessage}}
	for i := range 230 {
		records = append(records, longterm.Record{ID: fmt.Sprintf("%03d", i), Text: fmt.Sprintf("fact %d @%d", i, i), SessionID: fmt.Sprint(i)})
	}
	w.put(t, records...)
	_, err := w.Reembed(t.Context(), anna)
	require.ErrorIs(t, err, longterm.ErrEmbedder)
	before := w.all(t)
	w.index.before = func(n int) error { return failIf(n%2 == 0, longterm.ErrConflict) }
	for _, model := range []string{"", "2"} { // vectors of another model count as none
		embed := &compass{model: model, broken: func([]string) ([][]float32, error) { return nil, errBroken }}
		m := w.reopen(t, &longterm.Options{Embedder: embed})
		_, err := m.Reembed(t.Context(), anna)
		require.ErrorIs(t, err, errBroken)
		embed.broken = nil
		require.Empty(t, semantic(t, m, "@7"))
		embed.takeTexts()
		for _, want := range []int{230, 0} {
			n, err := m.Reembed(t.Context(), anna)
			require.NoError(t, err)
			require.Equal(t, want, n)
		}
		require.Len(t, embed.takeTexts(), 230, "each is embedded once")
		require.Equal(t, 230, search(t, m, longterm.Query{Text: "@7", Mode: longterm.ModeSemantic, NoTouch: true}).Total)
	}
	require.Equal(t, before, w.all(t), "the records are the same")
}

// tuned is an embedder of directions that knows nothing of texts without one.
type tuned struct{ compass }

func (e *tuned) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := directions(texts)
	for i, text := range texts {
		if !strings.Contains(text, "@") {
			vectors[i] = nil
		}
	}
	return vectors, nil
}

func (e *tuned) Tuning() longterm.Tuning {
	return longterm.Tuning{Alpha: 0.1, MergeDistance: -1, RecallDistance: 0.01}
}

// An embedder may know what suits its vectors.
func TestTunedEmbedder(t *testing.T) {
	t.Parallel()
	w := setup(t, func(o *longterm.Options, _ *world) { o.Embedder = &tuned{compass{model: "tuned"}} })
	w.put(t, longterm.Record{ID: "near", Text: "ale @3"}, longterm.Record{ID: "nearer", Text: "beer @2"}, longterm.Record{ID: "word", Text: "tea @90"})
	require.Equal(t, []string{"near", "nearer", "word"}, w.ids(t), "near ones are not merged")
	found := search(t, w.Memory, longterm.Query{Text: "tea @0"})
	require.Equal(t, []string{"word", "nearer", "near"}, hitIDs(found.Hits), "words weigh 0.9")
	found = search(t, w.Memory, longterm.Query{Text: "tea @0", Alpha: new(0.9)})
	require.Equal(t, []string{"nearer", "near", "word"}, hitIDs(found.Hits))
	items, err := w.Recall(t.Context(), anna, "what @0", nil)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"near", "nearer"}, itemIDs(items))
}

// What an embedder knows nothing of is found by its words.
func TestTextsWithoutVectors(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := setup(t, func(o *longterm.Options, _ *world) {
		o.Embedder, o.Logger = &tuned{compass{model: "tuned"}}, slog.New(slog.NewTextHandler(&log, nil))
	})
	w.put(t, longterm.Record{ID: "with", Text: "tea @0"}, longterm.Record{ID: "without", Text: "tea and coffee"})
	found := search(t, w.Memory, longterm.Query{Text: "tea @0"})
	require.Equal(t, []string{"with", "without"}, hitIDs(found.Hits))
	require.Equal(t, []bool{true, false}, []bool{found.Hits[0].Compared, found.Hits[1].Compared})
	found = search(t, w.Memory, longterm.Query{Text: "coffee"})
	require.Equal(t, longterm.ModeKeyword, found.Mode)
	require.Equal(t, []string{"without"}, hitIDs(found.Hits))
	found = search(t, w.Memory, longterm.Query{Text: "coffee", Mode: longterm.ModeSemantic})
	require.Equal(t, longterm.ModeKeyword, found.Mode)
	require.Empty(t, log.String(), "that is no failure")
	made, err := w.Reembed(t.Context(), anna)
	require.NoError(t, err)
	require.Zero(t, made)
}
