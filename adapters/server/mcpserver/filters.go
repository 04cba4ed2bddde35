package mcpserver

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// filters are the conditions of a search by field: a text, a list of texts, or an object of
// operators.
type filters map[string]any

// filterForm explains filters to a model whose filters are wrong.
const filterForm = `filters have the form {"topics": "tea"}, {"topics": ["tea", "food"]} (any of these) or {"event_date": {"gte": "2026-01-01"}}; ` +
	"texts have the operators eq, ne, any, all, none and startswith, times eq, ne, gt, gte, lt, lte and between"

// filterFields returns the fields of a search that filters may have.
func filterFields(s *wire.Search) (texts map[string]**wire.TextFilter, times map[string]**wire.TimeFilter) {
	return map[string]**wire.TextFilter{
			"session_id": &s.SessionID, "namespace": &s.Namespace, "user_id": &s.UserID, "topics": &s.Topics,
			"entities": &s.Entities, "memory_type": &s.Type, "extraction_strategy": &s.Strategy,
		}, map[string]**wire.TimeFilter{
			"created_at": &s.CreatedAt, "last_accessed": &s.LastAccessed, "event_date": &s.EventDate,
		}
}

// apply sets the filters of a search.
func (f filters) apply(search *wire.Search) error {
	var wrong []wire.FieldError
	texts, times := filterFields(search)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		var err error
		if field := texts[name]; field != nil {
			*field, err = textFilter(f[name])
		} else if field := times[name]; field != nil {
			*field = new(wire.TimeFilter)
			err = decodeOperators(f[name], *field)
		} else {
			known := slices.Sorted(maps.Keys(texts))
			known = slices.AppendSeq(known, maps.Keys(times))
			slices.Sort(known)
			err = &wire.Invalid{Fields: []wire.FieldError{wire.Field("extra_forbidden", "Unknown filter: known are "+strings.Join(known, ", "), nil, "body")}}
			name = cutName(name)
		}
		wrong = append(wrong, translate.Mistakes(relocate(err, part{nil, []any{"filters", name}}))...)
	}
	return explained(wrong)
}

// textFilter reads the condition of a field that is a text or a list of texts.
func textFilter(condition any) (*wire.TextFilter, error) {
	switch condition := condition.(type) {
	case string:
		return &wire.TextFilter{Eq: &condition}, nil
	case []any:
		f := new(wire.TextFilter)
		return f, decodeOperators(map[string]any{"any": condition}, f)
	}
	f := new(wire.TextFilter)
	return f, decodeOperators(condition, f)
}

// decodeOperators reads an object of operators.
func decodeOperators(condition, filter any) error {
	encoded, err := wire.Encode(condition)
	if err != nil {
		return err
	}
	strict := wire.Decoder{Strict: true}
	return strict.Decode(encoded, filter, nil)
}

// explainFilters maps the mistakes in the filters of a search to the argument that they came from.
func explainFilters(err error) error {
	texts, times := filterFields(new(wire.Search))
	var parts []part
	for _, name := range slices.Concat(slices.Collect(maps.Keys(texts)), slices.Collect(maps.Keys(times))) {
		parts = append(parts, part{[]any{name}, []any{"filters", name}})
	}
	fields := translate.Mistakes(relocate(err, parts...))
	if len(fields) == 0 {
		return err
	}
	return explained(fields)
}

// explained returns the error for mistakes, with an explanation if any is in filters.
func explained(wrong []wire.FieldError) error {
	if len(wrong) == 0 {
		return nil
	}
	inFilters := func(f wire.FieldError) bool { return len(f.Loc) > 1 && f.Loc[1] == "filters" }
	if slices.ContainsFunc(wrong, inFilters) {
		wrong = append(slices.Clone(wrong[:min(len(wrong), maxFields-1)]), wire.Field("value_error", filterForm, nil, "body"))
	}
	return &wire.Invalid{Fields: wrong}
}

// cutName cuts a name that a client chose.
func cutName(name string) string { return strings.ToValidUTF8(name[:min(len(name), 50)], "") }
