package providers_test

import (
	"context"
	"errors"
	"math"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/go-workingmemory/workingmemory/adapters/langchain/providers"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

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

func TestInvalidDocumentsAreIgnored(t *testing.T) {
	t.Parallel()
	embedder := newEmbedder()
	x := &vectorIndex{t: t, base: strictIndex{memindex.New(nil)}, store: &vectorStore{embedder: embedder}, embedder: embedder}
	x.VectorIndex = providers.NewVectorIndex(x.base, x.store, nil)
	x.put(facts(30)...)
	want := x.ids(x.near("night train", 5))
	x.store.spoil = func(found []schema.Document) []schema.Document {
		var strange []schema.Document
		for _, id := range []string{"", "\xff", strings.Repeat("x", driver.MaxIDBytes+1), "\x00"} {
			for _, user := range []string{"anna", "an\xffna", strings.Repeat("anna", 1000)} {
				strange = append(strange, schema.Document{Score: float32(math.NaN()), Metadata: map[string]any{
					"wm_namespace": "shop", "wm_user": url.QueryEscape(user), "wm_id": url.QueryEscape(id),
				}})
			}
		}
		return append(strange, found...)
	}
	s := x.near("night train", 5)
	assert.Equal(t, want, x.ids(s))
	s.Scope = longterm.Everyone()
	assert.Equal(t, want, x.ids(s))
}

// A vector store cannot make a search return records of others.
func TestVectorStoreCannotReturnRecordsOfOthers(t *testing.T) {
	t.Parallel()
	x := newVectorIndex(t, nil)
	x.put(facts(5)...)
	bobs := longterm.Record{ID: "r000", Namespace: "shop", UserID: "bob", Text: "the night train of bob", Type: "semantic"}
	elsewhere := longterm.Record{ID: "r000", Namespace: "bank", UserID: "anna", Text: "the night train of the bank", Type: "semantic"}
	x.put(bobs, elsewhere)
	for name, spoil := range map[string]func(d *schema.Document){
		"as it is": func(*schema.Document) {},
		"NaN":      func(d *schema.Document) { d.Score = float32(math.NaN()) },
		"under anna's key": func(d *schema.Document) {
			d.Metadata = map[string]any{"wm_namespace": "shop", "wm_user": "anna", "wm_id": "r000"}
		},
		"under anna's name": func(d *schema.Document) {
			d.Metadata = map[string]any{"wm_namespace": "shop", "wm_user": "anna", "wm_id": d.Metadata["wm_id"]}
		},
	} {
		x.store.spoil = func(found []schema.Document) []schema.Document {
			for i := range found {
				spoil(&found[i])
			}
			return found
		}
		for _, limit := range []int{1, 5, 50} {
			s := x.near("night train", limit)
			page, err := x.Search(t.Context(), s)
			require.NoError(t, err)
			require.Len(t, page.Hits, min(limit, 5), name)
			for _, hit := range page.Hits {
				assert.Equal(t, [2]string{"shop", "anna"}, [2]string{hit.Record.Namespace, hit.Record.UserID}, name)
				assert.NotContains(t, hit.Record.Text, " of ", name)
				assert.False(t, math.IsNaN(hit.Score), name)
			}
		}
	}
}

// brokenStore panics.
type brokenStore struct{}

func (brokenStore) AddDocuments(context.Context, []schema.Document, ...vectorstores.Option) ([]string, error) {
	panic(errors.New("secret"))
}

func (brokenStore) SimilaritySearch(context.Context, string, int, ...vectorstores.Option) ([]schema.Document, error) {
	panic(errors.New("secret"))
}

func TestAVectorStoreThatPanicsHasFailed(t *testing.T) {
	t.Parallel()
	x := newVectorIndex(t, nil)
	x.put(facts(5)...)
	broken := providers.NewVectorIndex(x.base, brokenStore{}, nil)
	page, err := broken.Search(t.Context(), x.near("night train", 3))
	require.NoError(t, err)
	assert.Len(t, page.Hits, 3)
	entry := entryOf(x.embedder, annas("new", "new"))
	err = broken.Write(t.Context(), []driver.RecordChange{{Key: driver.KeyOf(&entry.Record), Entry: entry}})
	require.ErrorIs(t, err, longterm.ErrUnavailable)
	require.ErrorIs(t, err, memory.ErrPanic)
	assert.NotContains(t, err.Error(), "secret")
}
