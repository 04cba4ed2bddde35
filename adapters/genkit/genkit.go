package genkit

import (
	"context"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/core/api"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Name is the name of the middleware and of the plugin in Genkit's registry.
const Name = "workingmemory"

// Options configures a WorkingMemory. The zero value is useful.
type Options struct {
	// Recorder returns the recorder of a call, given its context, or nil. A recorder that
	// the context carries (middleware.WithRecorder) takes precedence. If Recorder is nil,
	// that of New is used.
	Recorder func(ctx context.Context) *middleware.Recorder
	// Placement is where the block goes. The zero value is prompt.PlaceSystem. The others
	// add system messages, which not every model accepts: see Limits.
	Placement prompt.Placement
}

// WorkingMemory connects a recorder with Genkit. It is an ai.Middleware and a plugin, and keeps
// nothing of a conversation. The zero value takes recorders from contexts. It is safe for
// concurrent use.
type WorkingMemory struct {
	opts     Options
	fallback *middleware.Recorder
}

var (
	_ ai.Middleware       = WorkingMemory{}
	_ ai.MiddlewarePlugin = WorkingMemory{}
	_ api.Plugin          = WorkingMemory{}
)

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

// Name returns Name. It implements ai.Middleware and api.Plugin.
func (WorkingMemory) Name() string { return Name }

// New returns the hooks of a call of Generate. It implements ai.Middleware.
func (w WorkingMemory) New(context.Context) (*ai.Hooks, error) {
	return &ai.Hooks{WrapModel: w.wrapModel, WrapTool: w.wrapTool}, nil
}

// Init implements api.Plugin. There are no actions.
func (WorkingMemory) Init(context.Context) []api.Action { return nil }

// Middlewares returns the description of the middleware. It implements ai.MiddlewarePlugin.
func (w WorkingMemory) Middlewares(context.Context) ([]*ai.MiddlewareDesc, error) {
	return []*ai.MiddlewareDesc{ai.NewMiddleware("Show the model the entities that tools returned", w)}, nil
}

// recorder returns the recorder that serves a context, or nil.
func (w WorkingMemory) recorder(ctx context.Context) *middleware.Recorder {
	return middleware.RecorderFor(ctx, w.opts.Recorder, w.fallback)
}

// wrapTool runs a tool and records its call.
func (w WorkingMemory) wrapTool(ctx context.Context, params *ai.ToolParams, next ai.ToolNext) (*ai.MultipartToolResponse, error) {
	rec := w.recorder(ctx)
	if rec == nil {
		return next(ctx, params)
	}
	ctx, running := rec.Begin(ctx, callOf(params.Request))
	response, err := next(ctx, params)
	if suspended, _ := ai.IsToolInterruptError(err); suspended {
		return response, err
	}
	var result any
	if response != nil {
		result = resultOf(response.Output, response.Content)
	}
	_ = running.Finish(result, err) // the recorder reports failures to OnCall and Logger
	return response, err
}

// wrapModel records the calls in the messages that are new, and calls the model with the current
// block.
func (w WorkingMemory) wrapModel(ctx context.Context, params *ai.ModelParams, next ai.ModelNext) (*ai.ModelResponse, error) {
	rec := w.recorder(ctx)
	if rec == nil {
		return next(ctx, params)
	}
	messages := params.Request.Messages
	_ = rec.RecordHistory(ctx, historyOf(messages)) // the recorder reports failures to OnCall and Logger
	rec.Prepare(ctx, lastSaid(messages, ai.RoleModel), lastSaid(messages, ai.RoleUser))
	compared := w.opts.Placement == prompt.PlaceAppend
	edits := rec.Edits(outline(messages, compared), w.opts.Placement)
	if len(edits) == 0 {
		return next(ctx, params)
	}
	placed := newPlacement(messages, edits)
	shown, request := *params, *params.Request
	shown.Request, request.Messages = &request, placed.messages
	response, err := next(ctx, &shown)
	return placed.undo(response), err
}
