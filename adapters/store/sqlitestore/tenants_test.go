package sqlitestore_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
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
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// tenantParts are taken for each other, or for a part of each other, by whoever joins,
// cuts, folds or matches them.
var tenantParts = []string{
	"", "a", "A", "aa", "a:a", "a:", ":a", "a/a", "a\x00", "\x00a", "\x00", "a\x00a", "a%", "%", "_", "*", "a*", " a", "a ", "'a", "\"a",
	"а", "ａ", "á", "a\u0301", "a\u200b", "\U0010ffff", "null", "a\x00\x01", "a\x00\xc3\xbf", "1:a",
}

type owner struct{ namespace, user string }

// tenants are what there is to be in a long-term memory, by what was done.
type tenants struct {
	*longterm.Memory
	manager *session.Manager
	owners  []owner
	records map[longtermdriver.RecordKey]string // texts
	things  map[owner]bool                      // those whose entity is remembered
	said    map[session.Key][]string            // messages that were kept
	waiting map[session.Key][][]string          // of a session that is there: messages, memories as id and text
	fresh   map[session.Key]bool                // its entity was not extracted yet
}

// mark is a word that is in everything that an owner has, and nobody else.
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
			if o == as || o.namespace == "" || o.user == "" { // what is empty is filled in
				return
			}
			_, err := w.Put(ctx, longterm.Of(as.namespace, as.user), []longterm.Record{{ID: "1", Namespace: o.namespace, UserID: o.user, Text: "forged"}}, nil)
			require.ErrorIs(t, err, longterm.ErrScope)
		},
		"update": func(t *rapid.T) {
			o, id := w.anOwner(t), anID.Draw(t, "id")
			key := longtermdriver.RecordKey{Namespace: o.namespace, UserID: o.user, ID: id}
			text, there := w.records[key]
			_, err := w.Update(ctx, longterm.Of(o.namespace, o.user), id, func(r *longterm.Record) error {
				r.Text += " still"
				return nil
			})
			if !there {
				require.ErrorIs(t, err, longterm.ErrNotFound)
				return
			}
			require.NoError(t, err)
			w.records[key] = text + " still"
		},
		"say": func(t *rapid.T) {
			key := w.aKey(t)
			o := owner{key.Namespace, key.UserID}
			text, id := fmt.Sprintf("%s wants seat %d", w.mark(o), len(w.said[key])+len(w.waitingIn(key, 0))), "m"+anID.Draw(t, "id")
			memory := fmt.Sprintf("%s has seat %s in %q", w.mark(o), id, key.SessionID)
			w.resume(key)
			_, err := w.manager.Append(ctx, key, []session.Message{{Role: "user", Content: text}}, nil)
			require.NoError(t, err)
			_, err = w.manager.Update(ctx, key, func(s *session.Session) error {
				s.Memories = append(s.Memories, session.Record{ID: id + key.SessionID, Text: memory})
				for _, other := range w.owners {
					if other != o && other.namespace != "" && other.user != "" {
						s.Memories = append(s.Memories, session.Record{ID: "forged", Text: "forged", Namespace: other.namespace, UserID: other.user})
						break
					}
				}
				return s.Entities.Add(thing(w.mark(o)))
			}, nil)
			require.NoError(t, err)
			w.waiting[key] = append(w.waiting[key], []string{text, id + key.SessionID, memory})
		},
		"promote": func(t *rapid.T) {
			key := w.aKey(t)
			_, err := w.manager.Promote(ctx, key)
			if w.waiting[key] == nil {
				require.ErrorIs(t, err, session.ErrNotFound)
				return
			}
			require.NoError(t, err)
			for _, waits := range w.waiting[key] {
				w.said[key] = append(w.said[key], waits[0])
				w.records[longtermdriver.RecordKey{Namespace: key.Namespace, UserID: key.UserID, ID: waits[1]}] = waits[2]
			}
			w.waiting[key] = [][]string{}
			if w.fresh[key] {
				w.fresh[key] = false
				w.things[owner{key.Namespace, key.UserID}] = true
			}
		},
		"delete session": func(t *rapid.T) {
			key := w.aKey(t)
			require.NoError(t, w.manager.Delete(ctx, key))
			delete(w.waiting, key)
			delete(w.said, key)
		},
		"delete": func(t *rapid.T) {
			scope, id := w.aScope(t), anID.Draw(t, "id")
			var meant []longtermdriver.RecordKey
			for key := range w.records {
				if key.ID == id && scope.Holds(key.Namespace, key.UserID) {
					meant = append(meant, key)
				}
			}
			n, err := w.Delete(ctx, scope, id)
			require.NoError(t, err)
			if len(meant) != 1 {
				require.Zero(t, n)
				return
			}
			require.Equal(t, 1, n)
			delete(w.records, meant[0])
		},
		"forget": func(t *rapid.T) {
			scope, topic := w.aScope(t), w.mark(w.anOwner(t))
			policy := longterm.Policy{Budget: new(0), Filter: longterm.RecordFilter{Topics: &longterm.TextCondition{Eq: &topic}}}
			f, err := w.Forget(ctx, scope, policy, &longterm.ForgetOptions{Delete: true})
			require.NoError(t, err)
			for _, key := range f.Keys {
				require.True(t, scope.Holds(key.Namespace, key.UserID))
				require.Contains(t, w.records[key], topic)
				delete(w.records, key)
			}
			for key, text := range w.records {
				if strings.Contains(text, topic+" likes") && scope.Holds(key.Namespace, key.UserID) {
					require.Fail(t, "it should have been forgotten")
				}
			}
		},
		"compact": func(t *rapid.T) {
			c, err := w.Compact(ctx, w.aScope(t))
			require.NoError(t, err)
			require.Zero(t, c.Merged)
		},
		"recall": func(t *rapid.T) { w.recall(t, w.anOwner(t)) },
		"search": func(t *rapid.T) { w.search(t, w.aScope(t)) },
		"load":   func(t *rapid.T) { w.load(t, w.aKey(t)) },
	}
}

// thing is of the same id for all.
func thing(name string) memory.Entity { return memory.Entity{Type: "order", ID: "W1", Name: name} }

func (w *tenants) waitingIn(key session.Key, part int) (parts []string) {
	for _, waits := range w.waiting[key] {
		parts = append(parts, waits[part])
	}
	return parts
}

// resume notes that a session is made, if it is not there.
func (w *tenants) resume(key session.Key) {
	if w.waiting[key] == nil {
		w.fresh[key] = true
	}
}

// recall looks at the block of somebody who asks for what others have.
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

// of are the texts that are remembered in a scope, but for messages.
func (w *tenants) of(scope longterm.Scope) (texts []string) {
	for key, text := range w.records {
		if scope.Holds(key.Namespace, key.UserID) {
			texts = append(texts, text)
		}
	}
	for o, there := range w.things {
		if there && scope.Holds(o.namespace, o.user) {
			texts = append(texts, fmt.Sprintf("order %q (W1)", w.mark(o)))
		}
	}
	slices.Sort(texts)
	return texts
}

// search looks for all that is in a scope, in all modes, and with filters that want others'.
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

// load reads a session, or what it is rebuilt of.
func (w *tenants) load(t *rapid.T, key session.Key) {
	s, err := w.manager.Load(context.Background(), key, nil)
	want := append(slices.Clone(w.said[key]), w.waitingIn(key, 0)...)
	if w.waiting[key] == nil {
		require.ErrorIs(t, err, session.ErrNotFound)
		return
	}
	require.NoError(t, err)
	var got []string
	for i := range s.Messages {
		got = append(got, s.Messages[i].Content)
	}
	require.Equal(t, want, got)
}

// check looks at all of it.
func (w *tenants) check(t *rapid.T) {
	results, err := w.Search(context.Background(), longterm.Everyone(), longterm.Query{Limit: longterm.MaxPage})
	require.NoError(t, err)
	var texts, kept, want []string
	for i := range results.Hits {
		r := &results.Hits[i].Record
		require.Contains(t, r.Text, w.mark(owner{r.Namespace, r.UserID}), "it has another owner")
		if r.Type == session.RecordMessage {
			kept = append(kept, r.Text)
			continue
		}
		texts = append(texts, r.Text)
	}
	slices.Sort(texts)
	require.Equal(t, w.of(longterm.Everyone()), texts)
	for _, said := range w.said {
		want = append(want, said...)
	}
	require.ElementsMatch(t, want, kept)
}

func TestNothingCrossesFromOneTenantToAnother(t *testing.T) {
	t.Parallel()
	dir, files := t.TempDir(), atomic.Int64{}
	for name, open := range map[string]func(t *rapid.T) (sessiondriver.Store, longtermdriver.Index, func() error){
		"in the process": func(*rapid.T) (sessiondriver.Store, longtermdriver.Index, func() error) {
			return memstore.New(nil), memindex.New(nil), func() error { return nil }
		},
		"sqlite": func(t *rapid.T) (sessiondriver.Store, longtermdriver.Index, func() error) {
			store, err := sqlitestore.Open(context.Background(), filepath.Join(dir, fmt.Sprint(files.Add(1), ".db")), nil)
			require.NoError(t, err)
			return store, store.Index(), store.Close
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				part := rapid.SampledFrom(tenantParts)
				found := map[owner]bool{}
				for range rapid.IntRange(2, 5).Draw(t, "owners") {
					found[owner{part.Draw(t, "namespace"), part.Draw(t, "user")}] = true
				}
				store, index, closed := open(t)
				defer func() { assert.NoError(t, closed()) }()
				w := &tenants{
					records: map[longtermdriver.RecordKey]string{}, things: map[owner]bool{}, said: map[session.Key][]string{},
					waiting: map[session.Key][][]string{}, fresh: map[session.Key]bool{},
				}
				w.owners = slices.SortedFunc(maps.Keys(found), func(a, b owner) int {
					return strings.Compare(a.namespace+"\xff"+a.user, b.namespace+"\xff"+b.user)
				})
				var err error
				w.Memory, err = longterm.New(index, &longterm.Options{Embedder: &drivertest.Embedder{Dimension: 64}, MergeDistance: -1, TouchEvery: -1})
				require.NoError(t, err)
				defer w.Memory.Close(context.Background())
				p, err := longterm.NewPromoter(w.Memory, &longterm.PromoterOptions{Messages: true, Entities: true})
				require.NoError(t, err)
				w.manager, err = session.NewManager(store, &session.Options{LongTerm: p, Promotions: promotion.Options{Off: true}})
				require.NoError(t, err)
				defer w.manager.Close(context.Background())
				actions := w.actions()
				action := rapid.SampledFrom(slices.Sorted(maps.Keys(actions)))
				for range rapid.IntRange(3, 12).Draw(t, "actions") {
					actions[action.Draw(t, "action")](t)
				}
				w.check(t)
			})
		})
	}
}
