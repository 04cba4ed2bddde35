package translate

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
)

// NewSummaryView converts the description of a view. If its filters are invalid, it returns a
// *wire.Invalid.
func NewSummaryView(body *wire.SummaryViewBody) (*service.NewSummaryView, error) {
	filter, err := summaryFilter(body.Filters)
	if err != nil {
		return nil, err
	}
	note, err := wire.Encode(body.Filters)
	if err != nil {
		return nil, err
	}
	return &service.NewSummaryView{
		Source: body.Source, FilterFields: slices.Sorted(maps.Keys(body.Filters)), WindowDays: integer(body.TimeWindowDays),
		Definition: summaryview.Definition{
			Name: orElse(body.Name, ""), GroupBy: slices.Clone([]string(body.GroupBy)), Filter: filter, Note: string(note),
			Continuous: boolean(body.Continuous), Prompt: orElse(body.Prompt, ""), ModelName: orElse(body.ModelName, ""),
		},
	}, nil
}

// summaryFilter converts the filters of a view. A text is a condition eq, a list one of any, and an
// object has conditions as in a search. It leaves out unknown fields, which the service refuses.
func summaryFilter(filters map[string]any) (none longterm.RecordFilter, err error) {
	conditions := map[string]any{}
	for _, name := range service.SummaryFilterFields() {
		switch value := filters[name].(type) {
		case string:
			conditions[name] = map[string]any{"eq": value}
		case []any:
			conditions[name] = map[string]any{"any": value}
			if name == "event_date" {
				conditions[name] = value // a mistake
			}
		case nil:
		default:
			conditions[name] = value
		}
	}
	data, err := wire.Encode(conditions)
	if err != nil {
		return none, err
	}
	var search wire.Search
	if err := wire.Decode(data, &search); err != nil {
		if wrong, ok := errors.AsType[*wire.Invalid](err); ok {
			return none, withinFilters(wrong)
		}
		return none, err
	}
	if wrong := filterMistakes(&search, "body", "filters"); len(wrong) > 0 {
		return none, &wire.Invalid{Fields: wrong}
	}
	return filterOf(&search), nil
}

// withinFilters moves mistakes from a body to its filters.
func withinFilters(wrong *wire.Invalid) *wire.Invalid {
	fields := slices.Clone(wrong.Fields)
	for i := range fields {
		fields[i].Loc = slices.Insert(slices.Clone(fields[i].Loc), 1, any("filters"))
	}
	return &wire.Invalid{Fields: fields}
}

// SummaryView converts a view.
func SummaryView(d *summaryview.Definition) wire.SummaryView {
	view := wire.SummaryView{
		ID: d.ID, Name: orNull(d.Name), Source: "long_term", GroupBy: slices.Concat([]string{}, d.GroupBy), Filters: map[string]any{},
		Continuous: d.Continuous, Prompt: orNull(d.Prompt), ModelName: orNull(d.ModelName),
	}
	if d.WindowDays > 0 {
		view.TimeWindowDays = &d.WindowDays
	}
	_ = json.Unmarshal([]byte(cmp.Or(d.Note, "{}")), &view.Filters) // a view of a program may have any note
	return view
}

// SummaryViews converts views.
func SummaryViews(all []summaryview.Definition) []wire.SummaryView {
	out := make([]wire.SummaryView, len(all))
	for i := range all {
		out[i] = SummaryView(&all[i])
	}
	return out
}

// SummaryGroup converts the values of a group. It returns a *wire.Invalid if one is not a text.
func SummaryGroup(body *wire.SummaryGroup) (map[string]string, error) {
	group := make(map[string]string, len(body.Group))
	for _, name := range slices.Sorted(maps.Keys(body.Group)) {
		text, ok := body.Group[name].(string)
		if !ok {
			return nil, &wire.Invalid{Fields: []wire.FieldError{wire.Field("string_type", "Input should be a valid string", nil, "body", "group", name)}}
		}
		group[name] = text
	}
	return group, nil
}

// SummaryPartition converts the summary of a partition.
func SummaryPartition(p *summaryview.Partition) wire.SummaryPartition {
	out := wire.SummaryPartition{
		ViewID: p.ViewID, Group: p.Group, Summary: p.Summary, MemoryCount: p.Memories, Empty: p.Memories == 0, ComputedAt: wire.Time{Time: p.ComputedAt},
	}
	if out.Empty {
		out.EmptyReason = new("no_matching_memories")
	}
	return out
}

// SummaryPartitions converts summaries.
func SummaryPartitions(all []summaryview.Partition) []wire.SummaryPartition {
	out := make([]wire.SummaryPartition, len(all))
	for i := range all {
		out[i] = SummaryPartition(&all[i])
	}
	return out
}

// Task converts a task.
func Task(t *summaryview.Task) wire.Task {
	return wire.Task{
		ID: t.ID, Type: "summary_view_full_run", Status: string(t.Status), ViewID: orNull(t.ViewID), CreatedAt: wire.Time{Time: t.CreatedAt},
		StartedAt: timeOut(t.StartedAt), CompletedAt: timeOut(t.CompletedAt), Error: orNull(t.Error),
	}
}
