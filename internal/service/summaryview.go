package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
)

// NewSummaryView describes a summary view to create.
type NewSummaryView struct {
	// Source is where the memories come from: long_term.
	Source string
	// FilterFields are the fields that the filter has.
	FilterFields []string
	// WindowDays is nil for all memories, or from 1 to summaryview.MaxWindowDays.
	WindowDays *int64
	// Definition has the rest.
	summaryview.Definition
}

// SummaryFilterFields returns the fields that the filter of a summary view may have.
func SummaryFilterFields() []string {
	return append(summaryview.GroupFields(), "extraction_strategy", "topics", "event_date")
}

// CreateSummaryView creates a view of a tenant. Errors: Bad, Invalid, Conflict, Unavailable.
func (s *Service) CreateSummaryView(ctx context.Context, t Tenant, v *NewSummaryView) (*summaryview.Definition, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	views, err := s.summaryViews()
	if err != nil {
		return nil, err
	}
	definition := v.Definition
	if v.WindowDays != nil {
		definition.WindowDays = int(*v.WindowDays)
	}
	made, err := views.Create(ctx, summaryview.Tenant(t), definition)
	if err != nil {
		return nil, s.reportViewError(ctx, "", err)
	}
	return &made, nil
}

func (v *NewSummaryView) check() error {
	if v.Source != "long_term" {
		return &Error{Kind: Bad, Detail: "SummaryView.source must be 'long_term' for now; 'working_memory' is not yet supported."}
	}
	for _, list := range []struct {
		what         string
		given, known []string
	}{{"group_by", v.GroupBy, summaryview.GroupFields()}, {"filter", v.FilterFields, SummaryFilterFields()}} {
		unknown := slices.DeleteFunc(slices.Clone(list.given), func(name string) bool { return slices.Contains(list.known, name) })
		if len(unknown) > 0 {
			slices.Sort(unknown)
			return &Error{Kind: Bad, Detail: "Unsupported " + list.what + " fields: " + displayNames(unknown)}
		}
	}
	var c checks
	for i, field := range v.GroupBy {
		if slices.Contains(v.GroupBy[:i], field) {
			c.add(Unfit, "group_by has "+field+" twice", nil, "group_by")
		}
	}
	c.length(v.Name, summaryview.MaxNameBytes, "name")
	c.length(v.Prompt, summaryview.MaxPromptBytes, "prompt")
	c.length(v.ModelName, summaryview.MaxNameBytes, "model_name")
	checkRange(&c, v.WindowDays, 1, summaryview.MaxWindowDays, "time_window_days")
	return c.invalid()
}

// displayNames joins names for an error text.
func displayNames(names []string) string {
	return strings.ToValidUTF8(cut(strings.Join(names, ", "), MaxIDBytes), "\uFFFD")
}

// summaryViews returns the views. Errors: Bad if they are disabled.
func (s *Service) summaryViews() (*summaryview.Views, error) {
	switch {
	case s.opts.Memory == nil:
		return nil, memoryDisabled()
	case s.opts.Views == nil:
		return nil, &Error{Kind: Bad, Detail: "Summary views are disabled"}
	}
	return s.opts.Views, nil
}

// SummaryViews returns all views of a tenant, oldest first. Errors: Bad, Unavailable.
func (s *Service) SummaryViews(ctx context.Context, t Tenant) ([]summaryview.Definition, error) {
	views, err := s.summaryViews()
	if err != nil {
		return nil, err
	}
	all, err := views.List(ctx, summaryview.Tenant(t))
	return all, s.reportViewError(ctx, "", err)
}

// SummaryView returns a view of a tenant. Errors: Bad, NotFound, Unavailable.
func (s *Service) SummaryView(ctx context.Context, t Tenant, id string) (*summaryview.Definition, error) {
	views, err := s.summaryViews()
	if err != nil {
		return nil, err
	}
	view, err := views.Get(ctx, summaryview.Tenant(t), id)
	if err != nil {
		return nil, s.reportViewError(ctx, id, err)
	}
	return &view, nil
}

// DeleteSummaryView deletes a view of a tenant with its summaries. A view that does not exist is no
// error. Errors: Bad, Unavailable.
func (s *Service) DeleteSummaryView(ctx context.Context, t Tenant, id string) error {
	views, err := s.summaryViews()
	if err != nil {
		return err
	}
	err = views.Delete(ctx, summaryview.Tenant(t), id)
	if errors.Is(err, summaryview.ErrNotFound) {
		return nil
	}
	return s.reportViewError(ctx, id, err)
}

// SummarizePartition computes and stores the summary of a partition of a tenant's view. Errors: Bad,
// Invalid, NotFound, Conflict, Unavailable.
func (s *Service) SummarizePartition(ctx context.Context, t Tenant, id string, group map[string]string) (*summaryview.Partition, error) {
	views, err := s.summaryViews()
	if err != nil {
		return nil, err
	}
	p, err := views.Summarize(ctx, summaryview.Tenant(t), id, group)
	if err != nil {
		return nil, s.reportViewError(ctx, id, err)
	}
	return &p, nil
}

// SummaryPartitions returns the stored summaries of a tenant's view whose groups have the given
// values. Errors: Bad, NotFound, Unavailable.
func (s *Service) SummaryPartitions(ctx context.Context, t Tenant, id string, values map[string]string) ([]summaryview.Partition, error) {
	views, err := s.summaryViews()
	if err != nil {
		return nil, err
	}
	all, err := views.Partitions(ctx, summaryview.Tenant(t), id, values)
	return all, s.reportViewError(ctx, id, err)
}

// RunSummaryView queues a task that summarises all partitions of a tenant's view. Errors: Bad,
// Invalid, NotFound, Conflict, Unavailable.
func (s *Service) RunSummaryView(ctx context.Context, t Tenant, id, taskID string) (*summaryview.Task, error) {
	if err := checkID(taskID, "task_id"); err != nil {
		return nil, err
	}
	views, err := s.summaryViews()
	if err != nil {
		return nil, err
	}
	task, err := views.Run(ctx, summaryview.Tenant(t), id, taskID)
	if err != nil {
		return nil, s.reportViewError(ctx, id, err)
	}
	return &task, nil
}

// Task returns a task of a tenant. Errors: Bad, NotFound, Unavailable.
func (s *Service) Task(ctx context.Context, t Tenant, id string) (*summaryview.Task, error) {
	views, err := s.summaryViews()
	if err != nil {
		return nil, err
	}
	task, err := views.Task(ctx, summaryview.Tenant(t), id)
	if errors.Is(err, summaryview.ErrNotFound) {
		return nil, &Error{Kind: NotFound, Detail: "Task " + displayID(id) + " not found"}
	}
	if err != nil {
		return nil, s.reportError(ctx, err)
	}
	return &task, nil
}

// reportViewError is reportError for a call about one view.
func (s *Service) reportViewError(ctx context.Context, id string, err error) error {
	if errors.Is(err, summaryview.ErrNotFound) {
		return &Error{Kind: NotFound, Detail: "SummaryView " + displayID(id) + " not found"}
	}
	return s.reportError(ctx, err)
}

// viewError converts an error of package summaryview. It returns nil for any other error.
func viewError(err error) *Error {
	if wrong, ok := errors.AsType[*summaryview.GroupError](err); ok {
		return &Error{Kind: Bad, Detail: fmt.Sprintf("group keys [%s] must exactly match view.group_by [%s]", quotedNames(wrong.Fields), quotedNames(wrong.GroupBy))}
	}
	after := func(sentinel error) string {
		_, text, _ := strings.Cut(err.Error(), sentinel.Error()+": ")
		return text
	}
	switch {
	case errors.Is(err, summaryview.ErrInvalid):
		return invalidValue(after(summaryview.ErrInvalid))
	case errors.Is(err, summaryview.ErrLimit):
		return &Error{Kind: Conflict, Detail: "Limit exceeded: " + after(summaryview.ErrLimit)}
	case errors.Is(err, summaryview.ErrBusy):
		return &Error{Kind: Conflict, Detail: "An unfinished task of another view has this id"}
	case errors.Is(err, summaryview.ErrConflict):
		return &Error{Kind: Conflict, Detail: "Too many writes to this summary view at once: try again"}
	case errors.Is(err, summaryview.ErrUnavailable):
		return &Error{Kind: Unavailable, Detail: "The store of summary views does not answer"}
	case errors.Is(err, summaryview.ErrClosed):
		return &Error{Kind: Unavailable, Detail: "The server is shutting down"}
	case errors.Is(err, longterm.ErrModel):
		return &Error{Kind: Unavailable, Detail: "The model did not write a summary"}
	default:
		return nil
	}
}

// quotedNames lists names as agent-memory-server does.
func quotedNames(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "'" + strings.ToValidUTF8(cut(strings.Join(names, "', '"), MaxIDBytes), "\uFFFD") + "'"
}
