package longterm_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// modelRecord is what the model knows of a record.
type modelRecord struct {
	text, session string
	topics        map[string]bool
	created, used time.Time
	client        bool
	pinned        bool
}

// model is a memory without an embedder, in the plainest form: which records there are,
// by their ids, and what each was put as. Times are all different.
type model struct {
	records map[string]modelRecord
	put     map[string]modelRecord // what merged records were before
}

func (m *model) insert(id string, r modelRecord) {
	old, ok := m.records[id]
	if put, merged := m.put[id]; merged && put.says(r) {
		if r.created.Before(old.created) {
			old.created, old.used = r.created, later(r.used, old.used)
			m.records[id] = old
		}
		return
	}
	if ok && old.says(r) && old.created.Equal(r.created) {
		return
	}
	r.used = later(r.used, old.used)
	delete(m.records, id)
	delete(m.put, id)
	m.settle(id, r, false)
}

// says reports whether two records are the same, whenever they were made.
func (r modelRecord) says(other modelRecord) bool {
	return r.text == other.text && r.session == other.session && maps.Equal(r.topics, other.topics) &&
		r.client == other.client && r.pinned == other.pinned
}

// settle adds a record that is not there, or lets it be one with another.
func (m *model) settle(id string, r modelRecord, survives bool) {
	for other, there := range m.records {
		if there.text != r.text || there.session != r.session {
			continue
		}
		stays, own := other, there
		if survives || r.client && !there.client || r.client == there.client && r.created.Before(there.created) {
			stays, own = id, r
		}
		merged := own
		merged.topics = maps.Clone(there.topics)
		maps.Copy(merged.topics, r.topics)
		merged.created, merged.used = there.created, later(there.used, r.used)
		if r.created.Before(there.created) {
			merged.created = r.created
		}
		merged.pinned = there.pinned || r.pinned
		delete(m.records, other)
		before, ok := m.put[stays]
		delete(m.put, other)
		m.records[stays] = merged
		if ok && stays == other {
			m.put[stays] = before
		} else if !merged.says(own) || !merged.created.Equal(own.created) {
			m.put[stays] = own
		}
		return
	}
	m.records[id] = r
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// forget removes all but the most recently used ones of those that are not pinned.
func (m *model) forget(budget int) []string {
	var ids []string
	for id, r := range m.records {
		if !r.pinned {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b string) int {
		if c := m.records[a].used.Compare(m.records[b].used); c != 0 {
			return c
		}
		return compareIDs(a, b)
	})
	gone := ids[:max(0, len(ids)-budget)]
	for _, id := range gone {
		delete(m.records, id)
		delete(m.put, id)
	}
	return gone
}

func compareIDs(a, b string) int { return driver.RecordKey{ID: a}.Compare(driver.RecordKey{ID: b}) }

func TestMemoryIsWhatTheModelIs(t *testing.T) {
	t.Parallel()
	ids := rapid.SampledFrom([]string{"1", "2", "3", "4", "5"})
	texts := rapid.SampledFrom([]string{"tea", "ale", "rum"})
	rapid.Check(t, func(t *rapid.T) {
		now := noon
		index := memindex.New(nil)
		memory, err := longterm.New(index, &longterm.Options{Now: func() time.Time { return now }})
		require.NoError(t, err)
		m := &model{records: map[string]modelRecord{}, put: map[string]modelRecord{}}
		ctx := context.Background()
		draw := func(t *rapid.T) (longterm.Record, modelRecord) {
			r := longterm.Record{
				ID: ids.Draw(t, "id"), Text: texts.Draw(t, "text"), SessionID: rapid.SampledFrom([]string{"", "s"}).Draw(t, "session"),
				Pinned: rapid.Bool().Draw(t, "pinned"), Topics: []string{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "topic")},
				CreatedAt: noon.Add(time.Duration(rapid.IntRange(-9, -1).Draw(t, "created")) * time.Hour),
			}
			now = now.Add(time.Second)
			r.LastAccessed = now
			if rapid.Bool().Draw(t, "extracted") {
				r.ExtractedFrom = []string{"m"}
			}
			return r, modelRecord{
				text: r.Text, session: r.SessionID, topics: map[string]bool{r.Topics[0]: true}, created: r.CreatedAt, used: r.LastAccessed,
				client: r.ExtractedFrom == nil, pinned: r.Pinned,
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				r, record := draw(t)
				// Uses alone are no change: what is put again keeps its own.
				puts, err := memory.Put(ctx, anna, []longterm.Record{r}, nil)
				require.NoError(t, err)
				m.insert(r.ID, record)
				require.Contains(t, m.records, puts[0].Key.ID)
				require.Equal(t, r.Text, m.records[puts[0].Key.ID].text)
			},
			"update": func(t *rapid.T) {
				id, text := ids.Draw(t, "id"), texts.Draw(t, "text")
				_, err := memory.Update(ctx, anna, id, func(r *longterm.Record) error {
					r.Text = text
					return nil
				})
				old, ok := m.records[id]
				if !ok {
					require.ErrorIs(t, err, longterm.ErrNotFound)
					return
				}
				require.NoError(t, err)
				if old.text != text {
					old.text = text
					delete(m.records, id)
					delete(m.put, id)
					m.settle(id, old, true)
				}
			},
			"delete": func(t *rapid.T) {
				id := ids.Draw(t, "id")
				n, err := memory.Delete(ctx, anna, id)
				require.NoError(t, err)
				_, ok := m.records[id]
				require.Equal(t, ok, n == 1)
				delete(m.records, id)
				delete(m.put, id)
			},
			"forget": func(t *rapid.T) {
				budget := rapid.IntRange(0, 5).Draw(t, "budget")
				f, err := memory.Forget(ctx, anna, longterm.Policy{Budget: &budget}, &longterm.ForgetOptions{Delete: true})
				require.NoError(t, err)
				var gone []string
				for _, key := range f.Keys {
					gone = append(gone, key.ID)
				}
				require.ElementsMatch(t, m.forget(budget), gone)
			},
			"": func(t *rapid.T) { requireModel(t, m, index) },
		})
	})
}

func requireModel(t *rapid.T, m *model, index driver.Index) {
	page, err := index.Search(context.Background(), driver.Search{Scope: longterm.Everyone(), Limit: 100})
	require.NoError(t, err)
	got := map[string]modelRecord{}
	for _, hit := range page.Hits {
		r := hit.Record
		require.Equal(t, driver.HashOf(&r, false), r.Hash)
		topics := map[string]bool{}
		for _, topic := range r.Topics {
			topics[topic] = true
		}
		require.Len(t, topics, len(r.Topics))
		got[r.ID] = modelRecord{
			text: r.Text, session: r.SessionID, topics: topics, created: r.CreatedAt, used: r.LastAccessed,
			client: len(r.ExtractedFrom) == 0, pinned: r.Pinned,
		}
	}
	require.Equal(t, m.records, got)
}

// Whatever is put, and however it is divided: putting it again changes nothing, each
// text is where Put says, and no two records that stay are the same.
func TestPuttingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	// Texts are near within a group, and far between them.
	text := rapid.Custom(func(t *rapid.T) string {
		group, at := rapid.IntRange(0, 2).Draw(t, "group"), rapid.IntRange(0, 9).Draw(t, "at")
		return fmt.Sprintf("%d @%d", at, group*90+at)
	})
	record := rapid.Custom(func(t *rapid.T) longterm.Record {
		r := longterm.Record{Text: text.Draw(t, "text"), Pinned: rapid.Bool().Draw(t, "pinned")}
		if rapid.Bool().Draw(t, "dated") {
			r.CreatedAt = noon.Add(time.Duration(rapid.IntRange(-9, -1).Draw(t, "created")) * time.Hour)
		}
		if rapid.Bool().Draw(t, "extracted") {
			r.ExtractedFrom = []string{"m"}
		}
		if rapid.Bool().Draw(t, "tagged") {
			r.Topics = []string{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "topic")}
		}
		return r
	})
	rapid.Check(t, func(t *rapid.T) {
		now := noon
		index := memindex.New(nil)
		memory, err := longterm.New(index, &longterm.Options{Now: func() time.Time { return now }, Embedder: &compass{}})
		require.NoError(t, err)
		records := rapid.SliceOfN(record, 1, 12).Draw(t, "records")
		for i := range records {
			records[i].ID = fmt.Sprint(i)
		}
		list := func() (all []longterm.Record) {
			page, err := index.Search(context.Background(), driver.Search{Scope: longterm.Everyone(), Limit: 100, Order: longterm.OrderKey})
			require.NoError(t, err)
			for _, hit := range page.Hits {
				all = append(all, hit.Record)
			}
			return all
		}
		put := func() {
			puts, err := memory.Put(context.Background(), anna, records, nil)
			require.NoError(t, err)
			for _, put := range puts {
				_, err := memory.Get(context.Background(), anna, put.Key.ID)
				require.NoError(t, err)
			}
		}
		put()
		before := list()
		require.LessOrEqual(t, len(before), 3, "one of each group")
		now = now.Add(time.Hour)
		put()
		require.Equal(t, before, list())
		for i := range records {
			if !records[i].CreatedAt.IsZero() { // what has no time is said again now
				_, err := memory.Put(context.Background(), anna, records[i:i+1], nil)
				require.NoError(t, err)
			}
		}
		require.Len(t, list(), len(before))
		c, err := memory.Compact(context.Background(), anna)
		require.NoError(t, err)
		require.Zero(t, c.Merged)
	})
}

func TestPutsOfTheSameTextsAtOnce(t *testing.T) {
	t.Parallel()
	index := memindex.New(nil)
	const memories, goroutines, texts = 3, 4, 20
	var wg sync.WaitGroup
	for i := range memories {
		m, err := longterm.New(index, &longterm.Options{Embedder: &compass{}})
		require.NoError(t, err)
		for j := range goroutines {
			wg.Go(func() {
				var records []longterm.Record
				for k := range texts {
					records = append(records, longterm.Record{
						ID: fmt.Sprintf("%d-%d-%d", i, j, k), Text: fmt.Sprintf("fact %d @%d", k, 3*k), Topics: []string{fmt.Sprintf("%d-%d", i, j)},
						SessionID: fmt.Sprint(k), // or they would be near each other
					})
				}
				for some := range slices.Chunk(records, 1+3*j) {
					_, err := m.Put(context.Background(), anna, some, nil)
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	page, err := index.Search(t.Context(), driver.Search{Scope: anna, Limit: 1000})
	require.NoError(t, err)
	require.Equal(t, texts, page.Total)
	for _, hit := range page.Hits {
		require.Len(t, hit.Record.Topics, memories*goroutines, "nothing of any is lost")
	}
}
