package translate

import (
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// filterOf returns the conditions of a search.
func filterOf(search *wire.Search) longterm.RecordFilter {
	return longterm.RecordFilter{
		SessionID: textCondition(search.SessionID),
		Namespace: textCondition(search.Namespace), UserID: textCondition(search.UserID),
		Topics: textCondition(search.Topics), Entities: textCondition(search.Entities),
		Type: textCondition(search.Type), Strategy: textCondition(search.Strategy),
		CreatedAt: timeCondition(search.CreatedAt), LastAccessed: timeCondition(search.LastAccessed),
		EventDate: timeCondition(search.EventDate),
	}
}

// textCondition converts a filter, whose conditions may have either of their names. Every text
// passes an empty filter.
func textCondition(f *wire.TextFilter) *longterm.TextCondition {
	if f == nil {
		return nil
	}
	return &longterm.TextCondition{
		Eq: f.Eq, Ne: either(f.Ne, f.NotEq), StartsWith: f.StartsWith,
		Any: listed(either(f.Any, f.In)), All: listed(f.All), None: listed(either(f.None, f.NotIn)),
	}
}

func either[T any](one, other *T) *T {
	if one != nil {
		return one
	}
	return other
}

// listed returns the values of a condition. It returns nil for nil and an empty list for an
// empty one, which differ.
func listed(values *[]string) []string {
	if values == nil {
		return nil
	}
	return append([]string{}, *values...)
}

func timeCondition(f *wire.TimeFilter) *longterm.TimeCondition {
	if f == nil {
		return nil
	}
	t := &longterm.TimeCondition{Eq: instant(f.Eq), Ne: instant(f.Ne), Gt: instant(f.Gt), Lt: instant(f.Lt), Gte: instant(f.Gte), Lte: instant(f.Lte)}
	if f.Between != nil && len(*f.Between) == 2 {
		t.Between = &[2]time.Time{(*f.Between)[0].UTC(), (*f.Between)[1].UTC()}
	}
	return t
}

func instant(t *wire.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.UTC())
}
