package middleware

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// updateWorkspace routes the items that a call returned, and observes the call, even if
// ctx is done.
func (r *Recorder) updateWorkspace(ctx context.Context, call ToolCall, found extractor.Extraction, items []queue.ContextItem) error {
	if r.workspace == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	var routed error
	if call.Err == nil {
		routed = r.workspace.Route(ctx, items...)
	}
	if items != nil {
		call.Result = contentsOf(items)
	}
	observed := callee.RecoverPanic(func() error { return r.memorize(ctx, call, found) })
	if observed != nil {
		observed = fmt.Errorf("observing: %w", observed)
	}
	return errors.Join(routed, observed)
}

// memorize adds an item for a call to the item store if Options.Item is set.
func (r *Recorder) memorize(ctx context.Context, call ToolCall, found extractor.Extraction) error {
	if r.item == nil {
		return nil
	}
	store := r.workspace.Items()
	store.AdvanceStep()
	item, ok := r.item(call, found)
	if !ok {
		return nil
	}
	_, err := store.Memorize(ctx, item)
	return err
}
