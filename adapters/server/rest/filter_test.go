package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// condition is an operator of a filter with a value: as it is sent, and as it is meant.
type condition struct {
	name  string
	value any
	set   func(*longterm.RecordFilter)
}

// textConditions are one condition of each operator on a field.
func textConditions(of func(*longterm.RecordFilter) **longterm.TextCondition, draw func() string) []condition {
	one, few := draw(), []string{draw(), draw()}
	on := func(set func(*longterm.TextCondition)) func(*longterm.RecordFilter) {
		return func(f *longterm.RecordFilter) {
			if *of(f) == nil {
				*of(f) = &longterm.TextCondition{}
			}
			set(*of(f))
		}
	}
	all := []condition{
		{"eq", one, on(func(t *longterm.TextCondition) { t.Eq = &one })},
		{"ne", one, on(func(t *longterm.TextCondition) { t.Ne = &one })},
		{"not_eq", one, on(func(t *longterm.TextCondition) { t.Ne = &one })},
		{"any", few, on(func(t *longterm.TextCondition) { t.Any = few })},
		{"in_", few, on(func(t *longterm.TextCondition) { t.Any = few })},
		{"all", few, on(func(t *longterm.TextCondition) { t.All = few })},
		{"none", few, on(func(t *longterm.TextCondition) { t.None = few })},
		{"not_in", few, on(func(t *longterm.TextCondition) { t.None = few })},
	}
	if one != "" {
		all = append(all, condition{"startswith", one[:1], on(func(t *longterm.TextCondition) { t.StartsWith = new(one[:1]) })})
	}
	return all
}

// timeConditions are one condition of each operator on a field.
func timeConditions(of func(*longterm.RecordFilter) **longterm.TimeCondition, draw func() time.Time) []condition {
	one, span := draw(), []time.Time{draw(), draw()}
	slices.SortFunc(span, time.Time.Compare)
	on := func(set func(*longterm.TimeCondition)) func(*longterm.RecordFilter) {
		return func(f *longterm.RecordFilter) {
			if *of(f) == nil {
				*of(f) = &longterm.TimeCondition{}
			}
			set(*of(f))
		}
	}
	return []condition{
		{"eq", one, on(func(t *longterm.TimeCondition) { t.Eq = &one })},
		{"ne", one, on(func(t *longterm.TimeCondition) { t.Ne = &one })},
		{"gt", one, on(func(t *longterm.TimeCondition) { t.Gt = &one })},
		{"lt", one, on(func(t *longterm.TimeCondition) { t.Lt = &one })},
		{"gte", one, on(func(t *longterm.TimeCondition) { t.Gte = &one })},
		{"lte", one, on(func(t *longterm.TimeCondition) { t.Lte = &one })},
		{"between", span, on(func(t *longterm.TimeCondition) { t.Between = &[2]time.Time{span[0], span[1]} })},
	}
}

// drawn has memories whose fields have few values, so that filters find some of them.
type drawn struct {
	*rand.Rand
	records []longterm.Record
}

func (d *drawn) of(values ...string) string { return values[d.IntN(len(values))] }

func (d *drawn) owner() string   { return d.of("", "a", "ab", "b%") }
func (d *drawn) text() string    { return d.of("", "a", "ab", "B", "a%", "it's \"é\"") }
func (d *drawn) kind() string    { return d.of("semantic", "episodic", "message") }
func (d *drawn) texts() []string { return []string{d.text() + "1", d.text() + "2"}[:d.IntN(3)] }
func (d *drawn) listed() string  { return d.text() + d.of("1", "2") }
func (d *drawn) moment() time.Time {
	return time.Date(2026, 1, 1+d.IntN(3), 0, 0, 0, d.IntN(2)*1000, time.UTC)
}

// fields are conditions of all operators on each field that a search filters by.
func (d *drawn) fields() map[string][]condition {
	return map[string][]condition{
		"namespace":           textConditions(func(f *longterm.RecordFilter) **longterm.TextCondition { return &f.Namespace }, d.owner),
		"user_id":             textConditions(func(f *longterm.RecordFilter) **longterm.TextCondition { return &f.UserID }, d.owner),
		"session_id":          textConditions(func(f *longterm.RecordFilter) **longterm.TextCondition { return &f.SessionID }, d.text),
		"extraction_strategy": textConditions(func(f *longterm.RecordFilter) **longterm.TextCondition { return &f.Strategy }, d.text),
		"memory_type":         textConditions(func(f *longterm.RecordFilter) **longterm.TextCondition { return &f.Type }, d.kind),
		"topics":              textConditions(func(f *longterm.RecordFilter) **longterm.TextCondition { return &f.Topics }, d.listed),
		"entities":            textConditions(func(f *longterm.RecordFilter) **longterm.TextCondition { return &f.Entities }, d.listed),
		"created_at":          timeConditions(func(f *longterm.RecordFilter) **longterm.TimeCondition { return &f.CreatedAt }, d.moment),
		"last_accessed":       timeConditions(func(f *longterm.RecordFilter) **longterm.TimeCondition { return &f.LastAccessed }, d.moment),
		"event_date":          timeConditions(func(f *longterm.RecordFilter) **longterm.TimeCondition { return &f.EventDate }, d.moment),
	}
}

// Every operator on every field, alone and beside every other, finds what longterm.RecordFilter.Matches
// says, of what the token may see and nothing else. None is ever left out.
func TestFiltersFindWhatTheySay(t *testing.T) {
	t.Parallel()
	memory, err := longterm.New(memindex.New(nil), &longterm.Options{TouchEvery: time.Hour}) // so that searches change no last_accessed
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, memory.Close(context.Background())) })
	s := start(t, withTokens, with(func(o *rest.Options) { o.Memory = memory }))
	tenants := map[auth.Tenant]string{}
	for _, tenant := range []auth.Tenant{{}, {Namespace: "a"}, {UserID: "ab"}, {Namespace: "ab", UserID: "a"}} {
		text, _ := s.token(tenant, 0)
		tenants[tenant] = "Authorization: Bearer " + text
	}
	d := &drawn{Rand: rand.New(rand.NewPCG(1, 2))}
	d.create(t, s, tenants[auth.Tenant{}], memory)

	asked, telling := 0, 0
	for field, conditions := range d.fields() {
		for i, one := range conditions {
			for _, other := range conditions[i:] {
				var f longterm.RecordFilter
				one.set(&f)
				other.set(&f)
				if f.Check() != nil || one.name != other.name && sameMeaning(one.name, other.name) {
					continue
				}
				operators := map[string]any{one.name: one.value, other.name: other.value, "unknown": "x"}
				for tenant, header := range tenants {
					asked++
					if n := d.ask(t, s, tenant, header, field, operators, &f); n > 0 && n < len(d.records) {
						telling++
					}
				}
			}
		}
	}
	assert.Greater(t, telling, asked/5, "filters that find some and not all")
}

func sameMeaning(one, other string) bool {
	return slices.Contains([]string{"ne not_eq", "any in_", "none not_in"}, one+" "+other)
}

// create creates memories, and keeps them as the index has them.
func (d *drawn) create(t *testing.T, s *server, header string, memory *longterm.Memory) {
	var memories []map[string]any
	for i := range 80 {
		m := map[string]any{
			"id": fmt.Sprintf("m%02d", i), "text": fmt.Sprintf("tea number %d", i), "namespace": d.owner(), "user_id": d.owner(), "session_id": d.text(),
			"extraction_strategy": d.text(), "memory_type": d.kind(), "topics": d.texts(), "entities": d.texts(), "created_at": d.moment(), "last_accessed": d.moment(),
		}
		if d.IntN(3) > 0 {
			m["event_date"] = d.moment()
		}
		memories = append(memories, m)
	}
	body, err := json.Marshal(map[string]any{"memories": memories, "deduplicate": false})
	require.NoError(t, err)
	s.do("POST", memoryPath+"/", string(body), header).is(200)
	found, err := memory.Search(t.Context(), longterm.Everyone(), longterm.Query{Limit: longterm.MaxPage})
	require.NoError(t, err)
	for i := range found.Hits {
		d.records = append(d.records, found.Hits[i].Record)
	}
	require.Len(t, d.records, 80)
}

// ask searches by a filter, with a text and without, and checks what is found.
func (d *drawn) ask(t *testing.T, s *server, tenant auth.Tenant, header, field string, operators map[string]any, f *longterm.RecordFilter) int {
	want := []string{}
	for i := range d.records {
		r := &d.records[i]
		if f.Matches(r) && (tenant.Namespace == "" || tenant.Namespace == r.Namespace) && (tenant.UserID == "" || tenant.UserID == r.UserID) {
			want = append(want, r.ID)
		}
	}
	for _, text := range []string{"", "tea"} {
		body, err := json.Marshal(map[string]any{"text": text, "limit": 100, field: operators})
		require.NoError(t, err)
		found := s.do("POST", memoryPath+"/search", string(body), header).is(200)
		ids := []string{}
		list, _ := found["memories"].([]any)
		for _, one := range list {
			m, _ := one.(map[string]any)
			id, _ := m["id"].(string)
			ids = append(ids, id)
		}
		require.ElementsMatch(t, want, ids, "%v %s", tenant, body)
		require.EqualValues(t, len(want), found["total"])
	}
	return len(want)
}
