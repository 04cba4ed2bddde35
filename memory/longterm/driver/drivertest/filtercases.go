package drivertest

import (
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func filterCases() []testCase {
	return []testCase{{
		Name:  "filters on texts",
		About: "Each operator on each text and list finds what RecordFilter.Matches passes, in every mode.",
		Run:   filterTexts,
	}, {
		Name:  "filters on times",
		About: "Each operator on each time finds what RecordFilter.Matches passes, to the microsecond; unset times only pass Ne.",
		Run:   filterTimes,
	}, {
		Name:  "several conditions",
		About: "All operators on a field apply, and so do conditions on several fields.",
		Run:   filterSeveral,
	}, {
		Name:  "odd values in filters",
		About: "Values of filters are compared byte for byte: not as patterns, operators, other cases or other forms of a letter.",
		Run:   filterOddValues,
	}, {
		Name:  "many values in a filter",
		About: "Any, All and None accept MaxConditions values.",
		Run:   filterManyValues,
	}, {
		Name:  "a filter without matches",
		About: "A filter that no record passes finds nothing, in every mode; no condition is ignored.",
		Run:   filterNothing,
	}, {
		Name:  "filters at random",
		About: "A filter finds the records that RecordFilter.Matches passes, in every mode.",
		Run: func(e *env) {
			run := 0
			rapid.Check(e, func(t *rapid.T) {
				run++
				e.filterAtRandom(t, "run"+strconv.Itoa(run))
			})
		},
	}}
}

// everyMode returns searches that find all records with the term "term" and a vector of
// dimension 2, if they pass the filter.
func everyMode(scope longtermdriver.Scope, f longtermdriver.RecordFilter) []longtermdriver.Search {
	var all []longtermdriver.Search
	for mode := longtermdriver.ModeList; mode <= longtermdriver.ModeHybrid; mode++ {
		all = append(all, longtermdriver.Search{
			Scope: scope, Filter: f, Mode: mode, Order: longtermdriver.OrderKey, Limit: longtermdriver.MaxPage,
			Terms: []string{"term"}, Vector: unit(1, 1), Model: "model", Ranking: longtermdriver.Ranking{Alpha: 0.5},
		})
	}
	return all
}

// findable returns an entry that all searches of everyMode find.
func findable(r longtermdriver.Record) longtermdriver.Entry {
	return longtermdriver.Entry{Record: r, Terms: []string{"term"}, Vector: unit(1, 1), Model: "model"}
}

// filters requires that a filter finds, in every mode, the same as the model.
func (e *env) filters(t require.TestingT, m model, scope longtermdriver.Scope, f longtermdriver.RecordFilter) (total int) {
	return e.searches(t, m, everyMode(scope, f))
}

// filtersInTurn is like filters in a soak run. Otherwise it searches in ModeList and in one of
// the other modes, which turn selects.
func (e *env) filtersInTurn(t require.TestingT, m model, scope longtermdriver.Scope, f longtermdriver.RecordFilter, turn int) (total int) {
	modes := everyMode(scope, f)
	if !soak.Enabled() {
		modes = []longtermdriver.Search{modes[0], modes[1+turn%(len(modes)-1)]}
	}
	return e.searches(t, m, modes)
}

func (e *env) searches(t require.TestingT, m model, searches []longtermdriver.Search) (total int) {
	for _, s := range searches {
		page, err := e.index.Search(e.ctx, s)
		require.NoError(t, err)
		requireLikeModel(t, m, s, page)
		total = page.Total
	}
	return total
}

// addModel adds records that all searches of everyMode find, and returns their model.
func (e *env) addModel(records ...longtermdriver.Record) model {
	e.Helper()
	entries := make([]longtermdriver.Entry, len(records))
	for i, r := range records {
		entries[i] = findable(r)
	}
	e.add(entries...)
	return modelOf(entries...)
}

// distinguish requires that filters find the same as the model, and that at least some of them
// find some records but not all.
func (e *env) distinguish(m model, atLeast int, filters []longtermdriver.RecordFilter) {
	e.Helper()
	selective := 0
	for i, f := range filters {
		if total := e.filtersInTurn(e, m, longterm.Everyone(), f, i); total > 0 && total < len(m) {
			selective++
		}
	}
	require.GreaterOrEqual(e, selective, atLeast, "filters that find some and not all")
}

// textField accesses a text condition of a filter and the text of a record.
type textField struct {
	of  func(f *longtermdriver.RecordFilter) **longtermdriver.TextCondition
	set func(r *longtermdriver.Record, value string)
}

func textFields() []textField {
	return []textField{
		{func(f *longtermdriver.RecordFilter) **longtermdriver.TextCondition { return &f.ID }, func(r *longtermdriver.Record, v string) { r.ID = v }},
		{func(f *longtermdriver.RecordFilter) **longtermdriver.TextCondition { return &f.Namespace }, func(r *longtermdriver.Record, v string) { r.Namespace = v }},
		{func(f *longtermdriver.RecordFilter) **longtermdriver.TextCondition { return &f.UserID }, func(r *longtermdriver.Record, v string) { r.UserID = v }},
		{func(f *longtermdriver.RecordFilter) **longtermdriver.TextCondition { return &f.SessionID }, func(r *longtermdriver.Record, v string) { r.SessionID = v }},
		{func(f *longtermdriver.RecordFilter) **longtermdriver.TextCondition { return &f.Type }, func(r *longtermdriver.Record, v string) { r.Type = sessiondriver.RecordType(v) }},
		{func(f *longtermdriver.RecordFilter) **longtermdriver.TextCondition { return &f.Strategy }, func(r *longtermdriver.Record, v string) { r.ExtractionStrategy = v }},
		{func(f *longtermdriver.RecordFilter) **longtermdriver.TextCondition { return &f.Topics }, func(r *longtermdriver.Record, v string) { r.Topics = strings.Split(v, "+") }},
		{func(f *longtermdriver.RecordFilter) **longtermdriver.TextCondition { return &f.Entities }, func(r *longtermdriver.Record, v string) { r.Entities = strings.Split(v, "+") }},
	}
}

// oneByOne returns records that differ in the value of one field.
func oneByOne(values []string) []longtermdriver.Record {
	var records []longtermdriver.Record
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

// onEach returns filters with a condition on one field.
func onEach(conditions ...longtermdriver.TextCondition) []longtermdriver.RecordFilter {
	var filters []longtermdriver.RecordFilter
	for _, field := range textFields() {
		for _, condition := range conditions {
			var f longtermdriver.RecordFilter
			*field.of(&f) = &condition
			filters = append(filters, f)
		}
	}
	return filters
}

func filterTexts(e *env) {
	m := e.addModel(oneByOne([]string{"", "a", "ab", "abc", "b", "A", "a+b", "b+ab", "c+c"})...)
	e.distinguish(m, 8*11, onEach(
		longtermdriver.TextCondition{Eq: new("a")}, longtermdriver.TextCondition{Eq: new("")}, longtermdriver.TextCondition{Ne: new("a")}, longtermdriver.TextCondition{Ne: new("")},
		longtermdriver.TextCondition{Any: []string{"a"}}, longtermdriver.TextCondition{Any: []string{"b", "none", "abc", "b"}}, longtermdriver.TextCondition{Any: []string{""}},
		longtermdriver.TextCondition{All: []string{"a"}}, longtermdriver.TextCondition{All: []string{"c", "c"}}, longtermdriver.TextCondition{All: []string{"ab", "b"}},
		longtermdriver.TextCondition{None: []string{"a"}}, longtermdriver.TextCondition{None: []string{"b", "none", "abc", "b"}}, longtermdriver.TextCondition{None: []string{""}},
		longtermdriver.TextCondition{StartsWith: new("a")}, longtermdriver.TextCondition{StartsWith: new("ab")}, longtermdriver.TextCondition{StartsWith: new("none")},
	))
}

// timeField accesses a time condition of a filter and the time of a record.
type timeField struct {
	of func(f *longtermdriver.RecordFilter) **longtermdriver.TimeCondition
	at func(r *longtermdriver.Record) *time.Time
}

func timeFields() []timeField {
	return []timeField{
		{func(f *longtermdriver.RecordFilter) **longtermdriver.TimeCondition { return &f.CreatedAt }, func(r *longtermdriver.Record) *time.Time { return &r.CreatedAt }},
		{func(f *longtermdriver.RecordFilter) **longtermdriver.TimeCondition { return &f.UpdatedAt }, func(r *longtermdriver.Record) *time.Time { return &r.UpdatedAt }},
		{func(f *longtermdriver.RecordFilter) **longtermdriver.TimeCondition { return &f.LastAccessed }, func(r *longtermdriver.Record) *time.Time { return &r.LastAccessed }},
		{func(f *longtermdriver.RecordFilter) **longtermdriver.TimeCondition { return &f.EventDate }, func(r *longtermdriver.Record) *time.Time { return &r.EventDate }},
	}
}

func filterTimes(e *env) {
	var records []longtermdriver.Record
	for i, field := range timeFields() {
		for j, at := range edgeTimes() {
			r := record(strconv.Itoa(i)+"-"+strconv.Itoa(j), "text")
			r.CreatedAt = time.Time{}
			*field.at(&r) = at
			records = append(records, r)
		}
	}
	m := e.addModel(records...)
	var filters []longtermdriver.RecordFilter
	for _, field := range timeFields() {
		for _, at := range edgeTimes()[1:] {
			for _, condition := range []longtermdriver.TimeCondition{
				{Eq: &at}, {Ne: &at}, {Gt: &at}, {Gte: &at}, {Lt: &at}, {Lte: &at}, {Between: &[2]time.Time{at, at.Add(time.Hour)}}, {Between: &[2]time.Time{time.Unix(0, 0), at}},
			} {
				var f longtermdriver.RecordFilter
				*field.of(&f) = &condition
				if f.Check() == nil {
					filters = append(filters, f)
				}
			}
		}
	}
	e.distinguishLists(m, len(filters)*3/4, filters)
}

// distinguishLists is like distinguish, but only compares the first hits of a ModeList.
func (e *env) distinguishLists(m model, atLeast int, filters []longtermdriver.RecordFilter) {
	e.Helper()
	selective := 0
	for _, f := range filters {
		s := longtermdriver.Search{Scope: longterm.Everyone(), Filter: f, Order: longtermdriver.OrderKey, Limit: 20}
		page := e.search(s)
		requireLikeModel(e, m, s, page)
		if page.Total > 0 && page.Total < len(m) {
			selective++
		}
	}
	require.GreaterOrEqual(e, selective, atLeast, "filters that find some and not all")
}

func filterSeveral(e *env) {
	var records []longtermdriver.Record
	for i, id := range numbered("r", 24) {
		r := record(id, "text")
		r.SessionID, r.Topics = []string{"s1", "s2", ""}[i%3], [][]string{{"a", "b"}, {"ab"}, nil, {"b", "ba"}}[i%4]
		r.Pinned, r.CreatedAt = i%2 == 0, made.Add(time.Duration(i)*time.Hour)
		r.Entities = [][]string{{"Anna"}, {"Bob", "Anna"}}[i/12]
		records = append(records, r)
	}
	m := e.addModel(records...)
	at := func(hours int) *time.Time { return new(made.Add(time.Duration(hours) * time.Hour)) }
	filters := []longtermdriver.RecordFilter{
		{SessionID: &longtermdriver.TextCondition{Eq: new("s1"), StartsWith: new("s"), Any: []string{"s1", "s2"}}},
		{SessionID: &longtermdriver.TextCondition{Ne: new("s1"), StartsWith: new("s")}}, {SessionID: &longtermdriver.TextCondition{Ne: new("s1"), Any: []string{"s1", "s2"}}},
		{Topics: &longtermdriver.TextCondition{Eq: new("a"), StartsWith: new("b")}}, {Topics: &longtermdriver.TextCondition{Ne: new("a"), StartsWith: new("b"), All: []string{"b", "ba"}}},
		{Topics: &longtermdriver.TextCondition{Ne: new("a")}}, {Topics: &longtermdriver.TextCondition{Ne: new("a"), Any: []string{"a", "b"}}},
		{Topics: &longtermdriver.TextCondition{None: []string{"a", "ba"}}}, {Topics: &longtermdriver.TextCondition{Any: []string{"b", "ab"}, None: []string{"a", "none"}}},
		{SessionID: &longtermdriver.TextCondition{Any: []string{"s1", "s2"}, None: []string{"s1", ""}}}, {SessionID: &longtermdriver.TextCondition{Ne: new("s1"), None: []string{"s2"}}},
		{Entities: &longtermdriver.TextCondition{StartsWith: new("A"), None: []string{"Bob"}}}, {Entities: &longtermdriver.TextCondition{All: []string{"Anna"}, None: []string{"Bob", "Carla"}}},
		{CreatedAt: &longtermdriver.TimeCondition{Gt: at(2), Lte: at(9), Ne: at(5)}}, {CreatedAt: &longtermdriver.TimeCondition{Gte: at(1), Lt: at(20), Between: &[2]time.Time{*at(3), *at(30)}}},
		{Pinned: new(true)}, {Pinned: new(false)}, {Pinned: new(true), SessionID: &longtermdriver.TextCondition{Eq: new("s2")}},
		{Pinned: new(false), Topics: &longtermdriver.TextCondition{Eq: new("ab")}, Entities: &longtermdriver.TextCondition{All: []string{"Anna", "Bob"}}, CreatedAt: &longtermdriver.TimeCondition{Lt: at(20)}},
		{ID: &longtermdriver.TextCondition{StartsWith: new("r0000")}, SessionID: &longtermdriver.TextCondition{Eq: new("")}, Entities: &longtermdriver.TextCondition{Eq: new("Anna")}, Type: &longtermdriver.TextCondition{Eq: new("semantic")}},
		{UserID: &longtermdriver.TextCondition{Eq: new("anna")}, Namespace: &longtermdriver.TextCondition{Ne: new("other")}, Pinned: new(true), UpdatedAt: &longtermdriver.TimeCondition{Ne: at(0)}},
	}
	e.distinguish(m, len(filters), filters)
}

func filterOddValues(e *env) {
	m := e.addModel(oneByOne(append(oddTexts(), "ab", "axb", "a", "none"))...)
	var filters []longtermdriver.RecordFilter
	for i, text := range oddTexts() {
		equal := []longtermdriver.TextCondition{{Eq: &text}, {Ne: &text}, {Any: []string{text, "axb"}}, {All: []string{text}}}[i%4]
		all := onEach(equal, longtermdriver.TextCondition{StartsWith: &text})
		// Test some fields for each text: all fields would take thousands of searches.
		at := i * 4 % len(all)
		filters = append(filters, all[at], all[at+1], onEach(longtermdriver.TextCondition{None: []string{text, "axb"}})[i%8])
		if soak.Enabled() {
			filters = append(filters, all[(at+2)%len(all)], all[len(all)-4], all[len(all)-3])
		}
	}
	e.distinguishLists(m, len(filters)*9/10, filters)
}

func filterManyValues(e *env) {
	r := record("a", "text")
	r.Topics = numbered("topic", longtermdriver.MaxConditions)
	short := record("b", "text")
	short.Topics = r.Topics[:longtermdriver.MaxConditions-1]
	m := e.addModel(r, short, record("topic00999", "text"))
	e.distinguish(m, 5, []longtermdriver.RecordFilter{
		{Topics: &longtermdriver.TextCondition{Any: r.Topics}}, {Topics: &longtermdriver.TextCondition{All: r.Topics}}, {ID: &longtermdriver.TextCondition{Any: r.Topics}},
		{Topics: &longtermdriver.TextCondition{None: append(numbered("none", longtermdriver.MaxConditions-1), r.Topics[longtermdriver.MaxConditions-1])}},
		{ID: &longtermdriver.TextCondition{None: append(numbered("none", longtermdriver.MaxConditions-1), "a")}},
		{Topics: &longtermdriver.TextCondition{All: numbered("topic", 500)}, ID: &longtermdriver.TextCondition{Any: append(numbered("none", 499), "a")}},
	})
}

func filterNothing(e *env) {
	m := e.addModel(record("a", "text"), record("b", "text"))
	filters := onEach(longtermdriver.TextCondition{Eq: new("none")}, longtermdriver.TextCondition{Any: []string{"none", "nobody"}}, longtermdriver.TextCondition{All: []string{"none"}}, longtermdriver.TextCondition{StartsWith: new("none")})
	for _, field := range timeFields() {
		var f longtermdriver.RecordFilter
		*field.of(&f) = &longtermdriver.TimeCondition{Gt: new(made.Add(time.Hour))}
		filters = append(filters, f)
	}
	for i, f := range append(filters, longtermdriver.RecordFilter{Pinned: new(true)}) {
		require.Zero(e, e.filtersInTurn(e, m, longterm.Everyone(), f, i))
		require.Zero(e, e.filtersInTurn(e, m, anna, f, i))
	}
}

// filterAtRandom is one run, in a namespace of its own.
func (e *env) filterAtRandom(t *rapid.T, namespace string) {
	m := model{}
	for i := range rapid.IntRange(1, 8).Draw(t, "records") {
		r := drawRecord(t, namespace, strconv.Itoa(i))
		r.ID += "-" + strconv.Itoa(i)
		r.Hash = hash(r.ID)
		m[longtermdriver.KeyOf(&r)] = findable(r)
	}
	var entries []longtermdriver.Entry
	for _, of := range m {
		entries = append(entries, of)
	}
	require.NoError(t, e.index.Write(e.ctx, adding(entries...)))
	for i := range 4 {
		e.filtersInTurn(t, m, longterm.OfNamespace(namespace), drawFilter(t, namespace), i)
	}
}
