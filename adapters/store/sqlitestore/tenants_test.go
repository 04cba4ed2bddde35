package sqlitestore_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// tenantParts are names that are confused with each other if they are joined, truncated, folded or
// matched as patterns.
var tenantParts = []string{
	"", "a", "A", "aa", "a:a", "a:", ":a", "a/a", "a\x00", "\x00a", "\x00", "a\x00a", "a%", "%", "_", "*", "a*", " a", "a ", "'a", "\"a",
	"а", "ａ", "á", "a\u0301", "a\u200b", "\U0010ffff", "null", "a\x00\x01", "a\x00\xc3\xbf", "1:a",
}

type owner struct{ namespace, user string }

// tenants is a long-term memory with a model of its contents.
type tenants struct {
	*longterm.Memory
	manager  *session.Manager
	owners   []owner
	records  map[longtermdriver.RecordKey]string // texts
	entities map[owner]bool                      // owners whose entity was promoted
	pending  map[session.Key][]longterm.Record   // not promoted yet
}

// mark returns a word that occurs in all texts of an owner and in no others.
func (w *tenants) mark(o owner) string { return fmt.Sprintf("word%dword", slices.Index(w.owners, o)) }

func (w *tenants) anOwner(t *rapid.T) owner { return rapid.SampledFrom(w.owners).Draw(t, "owner") }

func (w *tenants) aKey(t *rapid.T) session.Key {
	o := w.anOwner(t)
	return session.Key{Namespace: o.namespace, UserID: o.user, SessionID: rapid.SampledFrom([]string{"s", "s:s", "s\x00"}).Draw(t, "session")}
}

func (w *tenants) aScope(t *rapid.T) longterm.Scope {
	o := w.anOwner(t)
	return rapid.SampledFrom([]longterm.Scope{
		longterm.Of(o.namespace, o.user), longterm.Of(o.namespace, o.user), longterm.OfNamespace(o.namespace), longterm.OfUser(o.user), longterm.Everyone(),
	}).Draw(t, "scope")
}

var anID = rapid.SampledFrom([]string{"1", "1:1", "a"})

func (w *tenants) actions() map[string]func(*rapid.T) {
	ctx := context.Background()
	return map[string]func(*rapid.T){
		"put": func(t *rapid.T) {
			o, id, n := w.anOwner(t), anID.Draw(t, "id"), rapid.IntRange(0, 3).Draw(t, "text")
			text := fmt.Sprintf("%s likes seat %s %d", w.mark(o), id, n)
			_, err := w.Put(ctx, longterm.Everyone(), []longterm.Record{{ID: id, Namespace: o.namespace, UserID: o.user, Text: text, Topics: []string{w.mark(o), "seats"}}}, nil)
			require.NoError(t, err)
			w.records[longtermdriver.RecordKey{Namespace: o.namespace, UserID: o.user, ID: id}] = text
		},
		"put as another": func(t *rapid.T) {
			o, as := w.anOwner(t), w.anOwner(t)
			if o == as || o.namespace == "" || o.user == "" { // empty names are filled in
				return
			}
			_, err := w.Put(ctx, longterm.Of(as.namespace, as.user), []longterm.Record{{ID: "1", Namespace: o.namespace, UserID: o.user, Text: "forged"}}, nil)
			require.ErrorIs(t, err, longterm.ErrScope)
		},
		"say": func(t *rapid.T) {
			key := w.aKey(t)
			o := owner{key.Namespace, key.UserID}
			r := session.Record{ID: "m" + anID.Draw(t, "id") + key.SessionID}
			r.Text = fmt.Sprintf("%s has seat %s", w.mark(o), r.ID)
			_, err := w.manager.Append(ctx, key, []session.Message{{Role: "user", Content: w.mark(o) + " wants a seat"}}, nil)
			require.NoError(t, err)
			_, err = w.manager.Update(ctx, key, func(s *session.Session) error {
				s.Memories = append(s.Memories, r)
				for _, other := range w.owners {
					if other != o && other.namespace != "" && other.user != "" {
						s.Memories = append(s.Memories, session.Record{ID: "forged", Text: "forged", Namespace: other.namespace, UserID: other.user})
					}
				}
				return s.Entities.Add(memory.Entity{Type: "order", ID: "W1", Name: w.mark(o)})
			}, nil)
			require.NoError(t, err)
			w.pending[key] = append(w.pending[key], r)
		},
		"promote": func(t *rapid.T) {
			key := w.aKey(t)
			_, err := w.manager.Promote(ctx, key)
			if w.pending[key] == nil {
				require.ErrorIs(t, err, session.ErrNotFound)
				return
			}
			require.NoError(t, err)
			for _, r := range w.pending[key] {
				w.records[longtermdriver.RecordKey{Namespace: key.Namespace, UserID: key.UserID, ID: r.ID}] = r.Text
			}
			w.pending[key] = w.pending[key][:0]
			w.entities[owner{key.Namespace, key.UserID}] = true
		},
		"recall": func(t *rapid.T) { w.recall(t, w.anOwner(t)) },
		"search": func(t *rapid.T) { w.search(t, w.aScope(t)) },
	}
}

// recall checks the prompt block of an owner who asks for the memories of all.
func (w *tenants) recall(t *rapid.T, o owner) {
	rec, err := middleware.NewRecorder(&middleware.Options{
		Recall: func(ctx context.Context, said string) ([]items.Item, error) {
			return w.Recall(ctx, longterm.Of(o.namespace, o.user), said, &longterm.RecallOptions{Limit: 50})
		},
	})
	require.NoError(t, err)
	question := "seat order"
	for _, other := range w.owners {
		question += " " + w.mark(other)
	}
	rec.UpdateFocus(prompt.Message{Role: "user", Content: question})
	require.NoError(t, rec.Refresh(context.Background()))
	block, own := rec.Block(), w.of(longterm.Of(o.namespace, o.user))
	assert.Equal(t, len(own) > 0, block != "")
	for _, other := range w.owners {
		if other != o {
			assert.NotContains(t, block, w.mark(other))
		}
	}
	assert.NotContains(t, block, "forged")
}

// of returns the texts in a scope, without messages.
func (w *tenants) of(scope longterm.Scope) (texts []string) {
	for key, text := range w.records {
		if scope.Holds(key.Namespace, key.UserID) {
			texts = append(texts, text)
		}
	}
	for o := range w.entities {
		if scope.Holds(o.namespace, o.user) {
			texts = append(texts, fmt.Sprintf("order %q (W1)", w.mark(o)))
		}
	}
	slices.Sort(texts)
	return texts
}

// search checks the hits in a scope in all modes, also with a filter for another owner.
func (w *tenants) search(t *rapid.T, scope longterm.Scope) {
	other := w.anOwner(t)
	notMessages := &longterm.TextCondition{Ne: new("message")}
	for _, mode := range []longterm.SearchMode{longterm.ModeList, longterm.ModeKeyword, longterm.ModeSemantic, longterm.ModeHybrid} {
		question := "seat order"
		if mode == longterm.ModeList {
			question = ""
		}
		results, err := w.Search(context.Background(), scope, longterm.Query{Text: question, Mode: mode, Filter: longterm.RecordFilter{Type: notMessages}, Limit: longterm.MaxPage})
		require.NoError(t, err)
		var texts []string
		for i := range results.Hits {
			r := &results.Hits[i].Record
			require.True(t, scope.Holds(r.Namespace, r.UserID))
			texts = append(texts, r.Text)
		}
		slices.Sort(texts)
		require.Equal(t, w.of(scope), texts, "mode %d", mode)

		narrow := longterm.RecordFilter{Type: notMessages, Namespace: &longterm.TextCondition{Eq: &other.namespace}, UserID: &longterm.TextCondition{Any: []string{other.user}}}
		results, err = w.Search(context.Background(), scope, longterm.Query{Text: question, Mode: mode, Filter: narrow, Limit: longterm.MaxPage})
		require.NoError(t, err)
		want := 0
		if scope.Holds(other.namespace, other.user) {
			want = len(w.of(longterm.Of(other.namespace, other.user)))
		}
		require.Equal(t, want, results.Total, "mode %d", mode)
		require.Len(t, results.Hits, want)
	}
}

// TestTenantsAreIsolated records, promotes, searches and recalls for owners with similar names. Every
// read returns exactly what belongs to its owner, and records that claim another owner are rejected.
func TestTenantsAreIsolated(t *testing.T) {
	t.Parallel()
	dir, files := t.TempDir(), 0
	part := rapid.SampledFrom(tenantParts)
	rapid.Check(t, func(t *rapid.T) {
		files++
		store, err := sqlitestore.Open(context.Background(), filepath.Join(dir, fmt.Sprint(files, ".db")), nil)
		require.NoError(t, err)
		defer func() { assert.NoError(t, store.Close()) }()
		w := &tenants{
			records: map[longtermdriver.RecordKey]string{}, entities: map[owner]bool{},
			pending: map[session.Key][]longterm.Record{},
		}
		for range rapid.IntRange(2, 4).Draw(t, "owners") {
			if o := (owner{part.Draw(t, "namespace"), part.Draw(t, "user")}); !slices.Contains(w.owners, o) {
				w.owners = append(w.owners, o)
			}
		}
		w.Memory, err = longterm.New(store.Index(), &longterm.Options{Embedder: &drivertest.Embedder{Dimension: 64}, MergeDistance: -1, TouchEvery: -1})
		require.NoError(t, err)
		defer w.Memory.Close(context.Background())
		p, err := longterm.NewPromoter(w.Memory, &longterm.PromoterOptions{Messages: true, Entities: true})
		require.NoError(t, err)
		w.manager, err = session.NewManager(store, &session.Options{LongTerm: p, Promotions: promotion.Options{Off: true}})
		require.NoError(t, err)
		defer w.manager.Close(context.Background())
		actions := w.actions()
		action := rapid.SampledFrom(slices.Sorted(maps.Keys(actions)))
		for range rapid.IntRange(3, 10).Draw(t, "actions") {
			actions[action.Draw(t, "action")](t)
		}
		w.search(t, longterm.Everyone())
	})
}
