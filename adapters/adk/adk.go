package adk

import (
	"context"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/plugin"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Name is the name of the plugin. A runner accepts one plugin of a name.
const Name = "working_memory"

// Options configures a WorkingMemory. The zero value is useful.
type Options struct {
	// Recorder returns the recorder of a session, or nil: see InSessions. A recorder that
	// the context carries (middleware.WithRecorder) takes precedence. If Recorder is nil,
	// that of New is used.
	Recorder func(ctx agent.ReadonlyContext) *middleware.Recorder
	// Placement is where the block goes. The zero value is prompt.PlaceSystem, the system
	// instruction. prompt.PlaceAfterPrefix makes it a part of its own there;
	// prompt.PlaceTail and prompt.PlaceAppend make it a content of the user.
	Placement prompt.Placement
}

// WorkingMemory connects recorders with ADK. It keeps nothing of a session, and is safe for
// concurrent use.
type WorkingMemory struct {
	opts     Options
	fallback *middleware.Recorder
}

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

// Plugin returns the plugin for a runner, which should be its first: see Order in the
// documentation of the package. It panics if ADK refuses the plugin, which v2.2 never does.
func (w *WorkingMemory) Plugin() *plugin.Plugin {
	p, err := plugin.New(plugin.Config{
		Name:                Name,
		BeforeRunCallback:   w.beforeRun,
		BeforeModelCallback: w.BeforeModel,
		BeforeToolCallback:  w.beforeTool,
		OnToolErrorCallback: w.onToolError,
		AfterToolCallback:   w.afterTool,
		OnEventCallback:     w.onEvent,
	})
	if err != nil {
		panic(err)
	}
	return p
}

var _ llmagent.BeforeModelCallback = (*WorkingMemory)(nil).BeforeModel

// BeforeModel records the calls in the session that are new, and puts the block into a request,
// and handles and descriptions of stored results into its contents. It is an
// llmagent.BeforeModelCallback, for agents that run without the plugin, such as those that
// agenttool calls. With handles, they need BeforeTool, too. The request receives copies of what is
// changed.
func (w *WorkingMemory) BeforeModel(ctx agent.Context, req *model.LLMRequest) (*model.LLMResponse, error) {
	rec := w.recorder(ctx)
	if rec == nil {
		return nil, nil
	}
	s := sessionOf(ctx)
	if s != nil {
		_ = rec.RecordHistory(ctx, historyOf(rec.Handles(), s, nil)) // the recorder reports failures to OnCall and Logger
	}
	rec.Prepare(ctx, lastSaid(s, ctx.UserContent())...)
	place(rec, req, w.opts.Placement)
	if rec.Handles() != nil {
		req.Contents = shownContents(ctx, rec, req.Contents)
		w.wrapStreaming(req)
	}
	return nil, nil
}

// recorder returns the recorder that serves a context, or nil.
func (w *WorkingMemory) recorder(ctx agent.Context) *middleware.Recorder {
	var choose func(context.Context) *middleware.Recorder
	if w.opts.Recorder != nil {
		choose = func(context.Context) *middleware.Recorder { return w.opts.Recorder(ctx) }
	}
	return middleware.RecorderFor(ctx, choose, w.fallback)
}
