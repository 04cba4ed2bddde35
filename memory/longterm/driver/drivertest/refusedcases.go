package drivertest

import (
	"context"
	"io"
	"math"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func refusedCases() []testCase {
	return []testCase{{
		Name:  "a search without a scope",
		About: "A search with the zero Scope returns ErrScope and finds nothing.",
		Run:   withoutScope,
	}, {
		Name:  "an invalid search",
		About: "A search that Search.Check refuses returns ErrFilter, in every mode, and finds nothing.",
		Run:   contradicts,
	}, {
		Name:  "errors do not quote records",
		About: "Errors contain nothing of records but ids.",
		Run:   errorsTellNothing,
	}}
}

func withoutScope(e *env) {
	e.add(findable(record("a", "window")), findable(recordOf(driver.RecordKey{ID: "nobody's"}, "window")))
	for _, s := range everyMode(driver.Scope{}, driver.RecordFilter{}) {
		e.refuses(s, driver.ErrScope)
		s.Filter.UserID = &driver.TextCondition{Eq: new("anna")}
		e.refuses(s, driver.ErrScope)
	}
}

func (e *env) refuses(s driver.Search, want error) {
	e.Helper()
	require.ErrorIs(e, s.Check(), want)
	page, err := e.index.Search(e.ctx, s)
	require.ErrorIs(e, err, want)
	require.Equal(e, driver.HitPage{}, page)
}

func contradicts(e *env) {
	e.add(findable(record("a", "window")))
	at := []time.Time{made, made.Add(-time.Hour)}
	for _, f := range []driver.RecordFilter{
		{ID: &driver.TextCondition{Eq: new("a"), Ne: new("b")}}, {Topics: &driver.TextCondition{Any: []string{"a"}, All: []string{"a"}}}, {Entities: &driver.TextCondition{Any: []string{}}},
		{SessionID: &driver.TextCondition{None: []string{}}}, {Topics: &driver.TextCondition{Any: numbered("v", driver.MaxConditions-1), None: []string{"a", "b"}}},
		{UserID: &driver.TextCondition{All: []string{}}}, {SessionID: &driver.TextCondition{StartsWith: new("")}}, {CreatedAt: &driver.TimeCondition{Between: &[2]time.Time{at[0], at[1]}}},
		{EventDate: &driver.TimeCondition{Eq: &at[0], Ne: &at[1]}}, {Topics: &driver.TextCondition{Any: numbered("v", driver.MaxConditions+1)}},
		{Topics: &driver.TextCondition{Any: numbered("v", driver.MaxConditions)}, Entities: &driver.TextCondition{All: []string{"a"}}},
	} {
		for _, s := range everyMode(anna, f) {
			e.refuses(s, driver.ErrFilter)
		}
	}
	for _, change := range []func(s *driver.Search){
		func(s *driver.Search) { s.Limit = -1 }, func(s *driver.Search) { s.Limit = driver.MaxPage + 1 }, func(s *driver.Search) { s.Offset = -1 },
		func(s *driver.Search) { s.Mode = 4 }, func(s *driver.Search) { s.Mode = -1 }, func(s *driver.Search) { s.Order = 3 },
		func(s *driver.Search) { s.After, s.Order = new(keyOf("a")), driver.OrderNewest }, func(s *driver.Search) { s.After, s.Offset = new(keyOf("a")), 1 },
		func(s *driver.Search) { s.Ranking.Alpha = -0.1 }, func(s *driver.Search) { s.Ranking.Alpha = math.NaN() },
		func(s *driver.Search) {
			s.Ranking.Recency = &driver.Recency{Match: math.Inf(1), HalfAccess: 1, HalfAge: 1}
		},
		func(s *driver.Search) { s.Ranking.Recency = &driver.Recency{} },
	} {
		for _, s := range everyMode(anna, driver.RecordFilter{}) {
			change(&s)
			e.refuses(s, driver.ErrFilter)
		}
	}
	s := near(1, 0)
	s.Vector = nil
	e.refuses(s, driver.ErrFilter)
	s = both(0.5, "text", 1, 0)
	s.Model = ""
	e.refuses(s, driver.ErrFilter)
	s.Model, s.Ranking.MaxDistance = "model", new(0.5)
	e.refuses(s, driver.ErrFilter)
}

func errorsTellNothing(e *env) {
	const secret = "secretword"
	r := record("a", secret)
	r.Topics, r.SessionID, r.Metadata = []string{secret}, secret, map[string]any{secret: secret}
	given := driver.Entry{Record: r, Terms: []string{secret}}
	e.add(given)
	bad := listing()
	bad.Filter.Topics = &driver.TextCondition{Eq: new(secret), Ne: new(secret)}
	cancelled, cancel := context.WithCancel(e.ctx)
	cancel()
	_, err := e.index.Search(e.ctx, bad)
	_, ended := e.index.Search(cancelled, asking(secret))
	for _, err := range []error{err, ended, e.index.Write(e.ctx, adding(given)), e.index.Write(cancelled, adding(given))} {
		require.Error(e, err)
		require.NotContains(e, err.Error(), secret)
	}
}

func contextCases() []testCase {
	return []testCase{{
		Name:  "context has ended",
		About: "If the context has ended, every method returns its error and changes nothing.",
		Run:   contextEnded,
	}, {
		Name:  "closed",
		About: "After Close, every method returns ErrClosed, and Close may be called again.",
		Run:   closed,
	}}
}

// everyMethod requires that all methods return an error.
func (e *env) everyMethod(ctx context.Context, index driver.Index, version uint64, want error) {
	e.Helper()
	_, err := index.Lookup(ctx, driver.Lookup{Keys: []driver.RecordKey{keyOf("a")}})
	require.ErrorIs(e, err, want, "Lookup")
	changed := entry(record("a", "changed"))
	require.ErrorIs(e, index.Write(ctx, []driver.RecordChange{{Key: keyOf("a"), If: version, Entry: &changed}}), want, "Write")
	require.ErrorIs(e, index.Write(ctx, adding(entry(record("b", "added")))), want, "Write")
	require.ErrorIs(e, index.Touch(ctx, []driver.RecordKey{keyOf("a")}, made), want, "Touch")
	for _, s := range everyMode(anna, driver.RecordFilter{}) {
		page, err := index.Search(ctx, s)
		require.ErrorIs(e, err, want, "Search")
		require.Empty(e, page.Hits)
	}
}

func contextEnded(e *env) {
	e.add(findable(record("a", "window")))
	cancelled, cancel := context.WithCancel(e.ctx)
	cancel()
	e.unchanged(func() { e.everyMethod(cancelled, e.index, e.version("a"), context.Canceled) })
	late, cancel := context.WithDeadline(e.ctx, time.Unix(0, 0))
	defer cancel()
	e.unchanged(func() { e.everyMethod(late, e.index, e.version("a"), context.DeadlineExceeded) })
}

func closed(e *env) {
	e.add(findable(record("a", "window")))
	version := e.version("a")
	index := e.harness.Open(e)
	end := e.harness.Close
	if end == nil {
		closer, ok := index.(io.Closer)
		require.True(e, ok, "the index is not an io.Closer: set Harness.Close")
		end = func(driver.Index) error { return closer.Close() }
	}
	require.NoError(e, end(index))
	e.everyMethod(e.ctx, index, version, driver.ErrClosed)
	require.NoError(e, end(index))
	if e.harness.Shared {
		e.finds(listing(), "a")
	}
}
