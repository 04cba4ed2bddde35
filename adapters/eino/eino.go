package eino

import (
	"context"

	"github.com/cloudwego/eino/adk"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// view is the middleware.History.View of this package.
const view = "eino"

// Options configures a WorkingMemory. The zero value is useful.
type Options struct {
	// Recorder returns the recorder of a call, given its context, or nil. A recorder that
	// the context carries (middleware.WithRecorder) takes precedence. If Recorder is nil,
	// that of New is used.
	Recorder func(ctx context.Context) *middleware.Recorder
	// Placement is where the block goes. The zero value is prompt.PlaceSystem. The others
	// add system messages, which not every model of eino-ext accepts after the first
	// message.
	Placement prompt.Placement
}

// WorkingMemory connects a recorder with Eino. It is an adk.ChatModelAgentMiddleware, and its
// methods return what other parts of Eino need. All of them may be used together: a call is
// recorded once, and a request shows the block once. It keeps nothing of a conversation, and is
// safe for concurrent use.
type WorkingMemory struct {
	adk.BaseChatModelAgentMiddleware

	opts     Options
	fallback *middleware.Recorder
}

var _ adk.ChatModelAgentMiddleware = (*WorkingMemory)(nil)

// New returns a WorkingMemory for a recorder. If rec is nil, contexts carry recorders
// (middleware.WithRecorder) or Options.Recorder returns them; without any, nothing is recorded
// and requests are unchanged. If opts is nil, the defaults are used.
func New(rec *middleware.Recorder, opts *Options) *WorkingMemory {
	w := &WorkingMemory{fallback: rec}
	if opts != nil {
		w.opts = *opts
	}
	return w
}

// recorder returns the recorder that serves a context, or nil.
func (w *WorkingMemory) recorder(ctx context.Context) *middleware.Recorder {
	return middleware.RecorderFor(ctx, w.opts.Recorder, w.fallback)
}
