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
	return &ai.Hooks{WrapGenerate: wrapGenerate, WrapModel: w.wrapModel, WrapTool: w.wrapTool}, nil
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

// wrapTool runs a tool, with ids in place of handles in its input, and records its call. It returns
// what the model is to see of the result.
func (w WorkingMemory) wrapTool(ctx context.Context, params *ai.ToolParams, next ai.ToolNext) (*ai.MultipartToolResponse, error) {
	rec := w.recorder(ctx)
	if rec == nil {
		return next(ctx, params)
	}
	ctx, running := rec.Begin(ctx, callOf(params.Request))
	input, err := running.Arguments()
	if err != nil {
		return &ai.MultipartToolResponse{Output: map[string]any{"error": err.Error()}}, nil // an error would end Generate
	}
	shows := rec.Handles() != nil
	if shows {
		request := *params.Request
		request.Input = input
		params = &ai.ToolParams{Request: &request, Tool: params.Tool}
	}
	response, err := next(ctx, params)
	if suspended, _ := ai.IsToolInterruptError(err); suspended {
		return response, err
	}
	var result any
	if response != nil {
		result = resultOf(response.Output, response.Content)
	}
	_ = running.Finish(result, err) // the recorder reports failures to OnCall and Logger
	if !shows || response == nil {
		return response, err
	}
	stub, stored := running.Stub()
	shown := *response
	shown.Output, shown.Content = shownResult(response.Output, response.Content, stub, stored, running.Shown)
	return &shown, err
}

type returnsKey struct{}

// wrapGenerate notes in the context whether the program runs the tools itself, so that wrapTool
// does not see their calls.
func wrapGenerate(ctx context.Context, params *ai.GenerateParams, next ai.GenerateNext) (*ai.ModelResponse, error) {
	returns := params.Options != nil && params.Options.ReturnToolRequests
	return next(context.WithValue(ctx, returnsKey{}, returns), params)
}

// wrapModel records the calls in the messages that are new, and calls the model with the current
// block, and with handles and descriptions of stored results in the messages.
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
	placed := newPlacement()
	if rec.Handles() != nil {
		messages = placed.show(ctx, rec, messages)
	}
	if len(edits)+len(placed.original) > 0 {
		params = withMessages(params, placed.place(messages, edits))
	}
	response, err := next(ctx, params)
	if returns, _ := ctx.Value(returnsKey{}).(bool); returns && err == nil && rec.Handles() != nil {
		response, err = decode(ctx, rec, params, response, next)
	}
	return placed.undo(response), err
}

// withMessages returns parameters with other messages.
func withMessages(params *ai.ModelParams, messages []*ai.Message) *ai.ModelParams {
	changed, request := *params, *params.Request
	changed.Request, request.Messages = &request, messages
	return &changed
}
