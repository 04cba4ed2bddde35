package longtermtest

import (
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

func filterCases() []testCase {
	return []testCase{{
		Name:  "filters on texts",
		About: "Each operator on each text and list finds what Filter.Matches says, in every mode.",
		Run:   filterTexts,
	}, {
		Name:  "filters on times",
		About: "Each operator on each time finds what Filter.Matches says, to the microsecond; times that are not known pass only Ne.",
		Run:   filterTimes,
	}, {
		Name:  "several conditions",
		About: "Several operators on a field all apply, and so do conditions on several fields.",
		Run:   filterSeveral,
	}, {
		Name:  "values of all sorts in filters",
		About: "Values of filters are compared byte for byte: no pattern, no operator, no other case, no other form of a letter.",
		Run:   filterOddValues,
	}, {
		Name:  "many values in a filter",
		About: "Any, All and None take MaxConditions values.",
		Run:   filterManyValues,
	}, {
		Name:  "a filter that nothing passes",
		About: "A filter that nothing passes finds nothing, in every mode; no condition is left out to find something.",
		Run:   filterNothing,
	}, {
		Name:  "filters at random",
		About: "Whatever records there are, a filter finds those that Filter.Matches passes, in every mode.",
		Run: func(e *env) {
			run := 0
			rapid.Check(e, func(t *rapid.T) {
				run++
				e.filterAtRandom(t, "run"+strconv.Itoa(run))
			})
		},
	}}
}

// everyMode are searches of a scope that find all records with the term "term" and a
// vector of two numbers, if they pass the filter.
func everyMode(scope longterm.Scope, f longterm.Filter) []longterm.Search {
	var all []longterm.Search
	for mode := longterm.ModeList; mode <= longterm.ModeHybrid; mode++ {
		all = append(all, longterm.Search{
			Scope: scope, Filter: f, Mode: mode, Order: longterm.OrderKey, Limit: longterm.MaxPage,
			Terms: []string{"term"}, Vector: unit(1, 1), Model: "model", Ranking: longterm.Ranking{Alpha: 0.5},
		})
	}
	return all
}

// findable is an entry that all of everyMode find.
func findable(r longterm.Record) longterm.Entry {
	return longterm.Entry{Record: r, Terms: []string{"term"}, Vector: unit(1, 1), Model: "model"}
}

// filters requires that a filter finds, in every mode, what the model finds.
func (e *env) filters(t require.TestingT, m model, scope longterm.Scope, f longterm.Filter) (total int) {
	for _, s := range everyMode(scope, f) {
		page, err := e.index.Search(e.ctx, s)
		require.NoError(t, err)
		requireLikeModel(t, m, s, page)
		total = page.Total
	}
	return total
}

// addModel adds records that all of everyMode find, and returns the model of them.
func (e *env) addModel(records ...longterm.Record) model {
	e.Helper()
	entries := make([]longterm.Entry, len(records))
	for i, r := range records {
		entries[i] = findable(r)
	}
	e.add(entries...)
	return modelOf(entries...)
}

// told requires that filters find what the model finds, and that so many of them
// tell records apart: they find some, and not all.
func (e *env) told(m model, atLeast int, filters []longterm.Filter) {
	e.Helper()
	telling := 0
	for _, f := range filters {
		if total := e.filters(e, m, longterm.Everyone(), f); total > 0 && total < len(m) {
			telling++
		}
	}
	require.GreaterOrEqual(e, telling, atLeast, "filters that find some and not all")
}

// textField is a condition of a filter on texts, and how a record gets them.
type textField struct {
	of  func(f *longterm.Filter) **longterm.Text
	set func(r *longterm.Record, value string)
}

func textFields() []textField {
	return []textField{
		{func(f *longterm.Filter) **longterm.Text { return &f.ID }, func(r *longterm.Record, v string) { r.ID = v }},
		{func(f *longterm.Filter) **longterm.Text { return &f.Namespace }, func(r *longterm.Record, v string) { r.Namespace = v }},
		{func(f *longterm.Filter) **longterm.Text { return &f.UserID }, func(r *longterm.Record, v string) { r.UserID = v }},
		{func(f *longterm.Filter) **longterm.Text { return &f.SessionID }, func(r *longterm.Record, v string) { r.SessionID = v }},
		{func(f *longterm.Filter) **longterm.Text { return &f.Type }, func(r *longterm.Record, v string) { r.Type = session.MemoryType(v) }},
		{func(f *longterm.Filter) **longterm.Text { return &f.Strategy }, func(r *longterm.Record, v string) { r.ExtractionStrategy = v }},
		{func(f *longterm.Filter) **longterm.Text { return &f.Topics }, func(r *longterm.Record, v string) { r.Topics = strings.Split(v, "+") }},
		{func(f *longterm.Filter) **longterm.Text { return &f.Entities }, func(r *longterm.Record, v string) { r.Entities = strings.Split(v, "+") }},
	}
}

// oneByOne are records that differ in one field each, and in the value that it has there.
func oneByOne(values []string) []longterm.Record {
	var records []longterm.Record
	for i, field := range textFields() {
		for j, value := range values {
			r := record(strconv.Itoa(i)+"-"+strconv.Itoa(j), "text")
			if value != "" || i > 0 {
				field.set(&r, value)
			}
			r.Hash = hash(strconv.Itoa(i) + "-" + strconv.Itoa(j))
			records = append(records, r)
		}
	}
	return records
}

// onEach are filters with a condition on one field.
func onEach(conditions ...longterm.Text) []longterm.Filter {
	var filters []longterm.Filter
	for _, field := range textFields() {
		for _, condition := range conditions {
			var f longterm.Filter
			*field.of(&f) = &condition
			filters = append(filters, f)
		}
	}
	return filters
}

func filterTexts(e *env) {
	m := e.addModel(oneByOne([]string{"", "a", "ab", "abc", "b", "A", "a+b", "b+ab", "c+c"})...)
	e.told(m, 8*11, onEach(
		longterm.Text{Eq: new("a")}, longterm.Text{Eq: new("")}, longterm.Text{Ne: new("a")}, longterm.Text{Ne: new("")},
		longterm.Text{Any: []string{"a"}}, longterm.Text{Any: []string{"b", "none", "abc", "b"}}, longterm.Text{Any: []string{""}},
		longterm.Text{All: []string{"a"}}, longterm.Text{All: []string{"c", "c"}}, longterm.Text{All: []string{"ab", "b"}},
		longterm.Text{None: []string{"a"}}, longterm.Text{None: []string{"b", "none", "abc", "b"}}, longterm.Text{None: []string{""}},
		longterm.Text{StartsWith: new("a")}, longterm.Text{StartsWith: new("ab")}, longterm.Text{StartsWith: new("none")},
	))
}

// timeField is a condition of a filter on times, and where a record has it.
type timeField struct {
	of func(f *longterm.Filter) **longterm.Time
	at func(r *longterm.Record) *time.Time
}

func timeFields() []timeField {
	return []timeField{
		{func(f *longterm.Filter) **longterm.Time { return &f.CreatedAt }, func(r *longterm.Record) *time.Time { return &r.CreatedAt }},
		{func(f *longterm.Filter) **longterm.Time { return &f.UpdatedAt }, func(r *longterm.Record) *time.Time { return &r.UpdatedAt }},
		{func(f *longterm.Filter) **longterm.Time { return &f.LastAccessed }, func(r *longterm.Record) *time.Time { return &r.LastAccessed }},
		{func(f *longterm.Filter) **longterm.Time { return &f.EventDate }, func(r *longterm.Record) *time.Time { return &r.EventDate }},
	}
}

func filterTimes(e *env) {
	var records []longterm.Record
	for i, field := range timeFields() {
		for j, at := range edgeTimes() {
			r := record(strconv.Itoa(i)+"-"+strconv.Itoa(j), "text")
			r.CreatedAt = time.Time{}
			*field.at(&r) = at
			records = append(records, r)
		}
	}
	m := e.addModel(records...)
	var filters []longterm.Filter
	for _, field := range timeFields() {
		for _, at := range edgeTimes()[1:] {
			for _, condition := range []longterm.Time{
				{Eq: &at}, {Ne: &at}, {Gt: &at}, {Gte: &at}, {Lt: &at}, {Lte: &at}, {Between: &[2]time.Time{at, at.Add(time.Hour)}}, {Between: &[2]time.Time{time.Unix(0, 0), at}},
			} {
				var f longterm.Filter
				*field.of(&f) = &condition
				if f.Check() == nil {
					filters = append(filters, f)
				}
			}
		}
	}
	e.toldInList(m, len(filters)*3/4, filters)
}

// toldInList is told in a ModeList alone, of which it reads the first hits.
func (e *env) toldInList(m model, atLeast int, filters []longterm.Filter) {
	e.Helper()
	telling := 0
	for _, f := range filters {
		s := longterm.Search{Scope: longterm.Everyone(), Filter: f, Order: longterm.OrderKey, Limit: 20}
		page := e.search(s)
		requireLikeModel(e, m, s, page)
		if page.Total > 0 && page.Total < len(m) {
			telling++
		}
	}
	require.GreaterOrEqual(e, telling, atLeast, "filters that find some and not all")
}

func filterSeveral(e *env) {
	var records []longterm.Record
	for i, id := range numbered("r", 24) {
		r := record(id, "text")
		r.SessionID, r.Topics = []string{"s1", "s2", ""}[i%3], [][]string{{"a", "b"}, {"ab"}, nil, {"b", "ba"}}[i%4]
		r.Pinned, r.CreatedAt = i%2 == 0, made.Add(time.Duration(i)*time.Hour)
		r.Entities = [][]string{{"Anna"}, {"Bob", "Anna"}}[i/12]
		records = append(records, r)
	}
	m := e.addModel(records...)
	at := func(hours int) *time.Time { return new(made.Add(time.Duration(hours) * time.Hour)) }
	filters := []longterm.Filter{
		{SessionID: &longterm.Text{Eq: new("s1"), StartsWith: new("s"), Any: []string{"s1", "s2"}}},
		{SessionID: &longterm.Text{Ne: new("s1"), StartsWith: new("s")}}, {SessionID: &longterm.Text{Ne: new("s1"), Any: []string{"s1", "s2"}}},
		{Topics: &longterm.Text{Eq: new("a"), StartsWith: new("b")}}, {Topics: &longterm.Text{Ne: new("a"), StartsWith: new("b"), All: []string{"b", "ba"}}},
		{Topics: &longterm.Text{Ne: new("a")}}, {Topics: &longterm.Text{Ne: new("a"), Any: []string{"a", "b"}}},
		{Topics: &longterm.Text{None: []string{"a", "ba"}}}, {Topics: &longterm.Text{Any: []string{"b", "ab"}, None: []string{"a", "none"}}},
		{SessionID: &longterm.Text{Any: []string{"s1", "s2"}, None: []string{"s1", ""}}}, {SessionID: &longterm.Text{Ne: new("s1"), None: []string{"s2"}}},
		{Entities: &longterm.Text{StartsWith: new("A"), None: []string{"Bob"}}}, {Entities: &longterm.Text{All: []string{"Anna"}, None: []string{"Bob", "Carla"}}},
		{CreatedAt: &longterm.Time{Gt: at(2), Lte: at(9), Ne: at(5)}}, {CreatedAt: &longterm.Time{Gte: at(1), Lt: at(20), Between: &[2]time.Time{*at(3), *at(30)}}},
		{Pinned: new(true)}, {Pinned: new(false)}, {Pinned: new(true), SessionID: &longterm.Text{Eq: new("s2")}},
		{Pinned: new(false), Topics: &longterm.Text{Eq: new("ab")}, Entities: &longterm.Text{All: []string{"Anna", "Bob"}}, CreatedAt: &longterm.Time{Lt: at(20)}},
		{ID: &longterm.Text{StartsWith: new("r0000")}, SessionID: &longterm.Text{Eq: new("")}, Entities: &longterm.Text{Eq: new("Anna")}, Type: &longterm.Text{Eq: new("semantic")}},
		{UserID: &longterm.Text{Eq: new("anna")}, Namespace: &longterm.Text{Ne: new("other")}, Pinned: new(true), UpdatedAt: &longterm.Time{Ne: at(0)}},
	}
	e.told(m, len(filters), filters)
}

func filterOddValues(e *env) {
	m := e.addModel(oneByOne(append(oddTexts(), "ab", "axb", "a", "none"))...)
	var filters []longterm.Filter
	for i, text := range oddTexts() {
		equal := []longterm.Text{{Eq: &text}, {Ne: &text}, {Any: []string{text, "axb"}}, {All: []string{text}}}[i%4]
		all := onEach(equal, longterm.Text{StartsWith: &text})
		// Of each text two fields, and a list: with all there would be thousands.
		at := i * 4 % len(all)
		filters = append(filters, all[at], all[(at+2)%len(all)], all[at+1], all[len(all)-4], all[len(all)-3],
			onEach(longterm.Text{None: []string{text, "axb"}})[i%8])
	}
	e.toldInList(m, len(filters)*9/10, filters)
}

func filterManyValues(e *env) {
	r := record("a", "text")
	r.Topics = numbered("topic", longterm.MaxConditions)
	short := record("b", "text")
	short.Topics = r.Topics[:longterm.MaxConditions-1]
	m := e.addModel(r, short, record("topic00999", "text"))
	e.told(m, 5, []longterm.Filter{
		{Topics: &longterm.Text{Any: r.Topics}}, {Topics: &longterm.Text{All: r.Topics}}, {ID: &longterm.Text{Any: r.Topics}},
		{Topics: &longterm.Text{None: append(numbered("none", longterm.MaxConditions-1), r.Topics[longterm.MaxConditions-1])}},
		{ID: &longterm.Text{None: append(numbered("none", longterm.MaxConditions-1), "a")}},
		{Topics: &longterm.Text{All: numbered("topic", 500)}, ID: &longterm.Text{Any: append(numbered("none", 499), "a")}},
	})
}

func filterNothing(e *env) {
	m := e.addModel(record("a", "text"), record("b", "text"))
	filters := onEach(longterm.Text{Eq: new("none")}, longterm.Text{Any: []string{"none", "nobody"}}, longterm.Text{All: []string{"none"}}, longterm.Text{StartsWith: new("none")})
	for _, field := range timeFields() {
		var f longterm.Filter
		*field.of(&f) = &longterm.Time{Gt: new(made.Add(time.Hour))}
		filters = append(filters, f)
	}
	for _, f := range append(filters, longterm.Filter{Pinned: new(true)}) {
		require.Zero(e, e.filters(e, m, longterm.Everyone(), f))
		require.Zero(e, e.filters(e, m, anna, f))
	}
}

// filterAtRandom is one run, in a namespace of its own.
func (e *env) filterAtRandom(t *rapid.T, namespace string) {
	m := model{}
	for i := range rapid.IntRange(1, 8).Draw(t, "records") {
		r := drawRecord(t, namespace, strconv.Itoa(i))
		r.ID += "-" + strconv.Itoa(i)
		r.Hash = hash(r.ID)
		m[longterm.KeyOf(&r)] = findable(r)
	}
	var entries []longterm.Entry
	for _, of := range m {
		entries = append(entries, of)
	}
	require.NoError(t, e.index.Write(e.ctx, adding(entries...)))
	for range 4 {
		e.filters(t, m, longterm.OfNamespace(namespace), drawFilter(t, namespace))
	}
}
