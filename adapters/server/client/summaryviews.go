package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

const viewsPath = "/v1/summary-views"

// CreateSummaryView creates a summary view of the token's tenant. Errors: ErrInvalid.
func (c *Client) CreateSummaryView(ctx context.Context, body *wire.SummaryViewBody) (*wire.SummaryView, error) {
	return fetch[wire.SummaryView](ctx, c, request{method: http.MethodPost, path: viewsPath, body: body})
}

// SummaryViews lists the summary views of the token's tenant, oldest first.
func (c *Client) SummaryViews(ctx context.Context) ([]wire.SummaryView, error) {
	return list[wire.SummaryView](ctx, c, request{method: http.MethodGet, path: viewsPath, repeatable: true})
}

// SummaryView reads a summary view. Errors: ErrNotFound.
func (c *Client) SummaryView(ctx context.Context, id string) (*wire.SummaryView, error) {
	return fetch[wire.SummaryView](ctx, c, request{method: http.MethodGet, path: pathOf(viewsPath, id, ""), repeatable: true})
}

// DeleteSummaryView deletes a summary view with its summaries. A view that does not exist is no
// error.
func (c *Client) DeleteSummaryView(ctx context.Context, id string) error {
	return c.call(ctx, request{method: http.MethodDelete, path: pathOf(viewsPath, id, ""), repeatable: true}, nil)
}

// SummarizePartition computes the summary of one partition of a view now. The group has a value for
// each field of the view's GroupBy. Errors: ErrNotFound, ErrInvalid.
func (c *Client) SummarizePartition(ctx context.Context, id string, group map[string]string) (*wire.SummaryPartition, error) {
	body := wire.SummaryGroup{Group: map[string]any{}}
	for field, value := range group {
		body.Group[field] = value
	}
	return fetch[wire.SummaryPartition](ctx, c, request{method: http.MethodPost, path: pathOf(viewsPath, id, "/partitions/run"), body: &body})
}

// SummaryPartitions returns the stored summaries of a view whose groups have the given values. Nil
// values select all. The namespace and user of Options do not apply. Errors: ErrNotFound.
func (c *Client) SummaryPartitions(ctx context.Context, id string, values map[string]string) ([]wire.SummaryPartition, error) {
	query := url.Values{}
	for field, value := range values {
		query.Set(field, value)
	}
	return list[wire.SummaryPartition](ctx, c, request{method: http.MethodGet, path: pathOf(viewsPath, id, "/partitions"), query: query, repeatable: true})
}

// RunSummaryView starts a task that summarises all partitions of a view. If taskID is empty, the
// server chooses one. Errors: ErrNotFound.
func (c *Client) RunSummaryView(ctx context.Context, id, taskID string) (*wire.Task, error) {
	var body wire.SummaryRun
	if taskID != "" {
		body.TaskID = &taskID
	}
	return fetch[wire.Task](ctx, c, request{method: http.MethodPost, path: pathOf(viewsPath, id, "/run"), body: &body})
}

// Task reads the status of a task. Errors: ErrNotFound.
func (c *Client) Task(ctx context.Context, id string) (*wire.Task, error) {
	return fetch[wire.Task](ctx, c, request{method: http.MethodGet, path: pathOf("/v1/tasks", id, ""), repeatable: true})
}

// list makes a request and returns the decoded list of the answer.
func list[T any](ctx context.Context, c *Client, r request) ([]T, error) {
	all, err := fetch[[]T](ctx, c, r)
	if err != nil {
		return nil, err
	}
	return *all, nil
}
