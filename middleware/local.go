package middleware

import (
	"context"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
)

// local is a context of this process alone.
type local struct{ context *memory.WorkingContext }

func (l local) current() *memory.WorkingContext { return l.context }

func (l local) apply(_ context.Context, _ ToolCall, found extractor.Extraction) error {
	return l.context.Apply(changeOf(found))
}

func (l local) refresh(context.Context) error { return nil }

func (l local) clear(context.Context) error {
	l.context.Clear()
	return nil
}
