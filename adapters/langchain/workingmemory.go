package langchain

import (
	"context"
	"runtime"
	"sync"
	"weak"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// DefaultVariable is the name of the prompt variable that holds the block.
const DefaultVariable = "working_memory"

// Options configures a WorkingMemory. The zero value is useful.
type Options struct {
	// Variable is the name of the prompt variable that holds the block.
	// "" means DefaultVariable.
	Variable string
	// Placement is where Agent and Model put the block in a prompt that does not
	// show it yet. The zero value is prompt.PlaceSystem. The others add system
	// messages, which not every provider of langchaingo supports: googleai and
	// vertex send only the last one, so with prompt.PlaceAppend only the latest
	// additions; anthropic joins all of them to one system prompt, without
	// separators, which defeats the cache.
	//
	// With prompt.PlaceAppend callers keep their own history, without blocks. If it
	// begins with messages that were sent before, the earlier blocks among them are
	// restored, for the last four different conversations of a session. Blocks
	// behind a changed or removed message are dropped, and all blocks if one shows
	// something that memory no longer has.
	Placement prompt.Placement
	// SingleMessage keeps a prompt of one message, such as those of a
	// chains.LLMChain and the text agents, a single message: Agent and Model put the
	// block in front of its text instead of into a system message. Set it for
	// providers that read only a prompt's first message.
	SingleMessage bool
	// KeepMessages passes an inner memory's message lists (ReturnMessages) through
	// Memory unchanged, for a prompts.MessagesPlaceholder. By default they become
	// text, because agents.Executor accepts only strings.
	KeepMessages bool
}

// WorkingMemory creates wrappers that connect a recorder with langchaingo. The wrappers may
// be used alone or together, also with others on the same recorder. It is safe for
// concurrent use.
type WorkingMemory struct {
	opts     Options
	recorder *middleware.Recorder // nil: contexts carry it

	// progress holds a *progress for each weak.Pointer[middleware.Recorder]. It is
	// allocated separately so that a recorder's cleanup can refer to it without
	// keeping the recorder above alive.
	progress *sync.Map
}

// New returns the wrappers for a recorder. If rec is nil, each context carries its own
// (middleware.WithRecorder). A recorder in the context takes precedence over rec. If opts
// is nil, the defaults are used.
func New(rec *middleware.Recorder, opts *Options) *WorkingMemory {
	w := &WorkingMemory{recorder: rec, progress: &sync.Map{}}
	if opts != nil {
		w.opts = *opts
	}
	if w.opts.Variable == "" {
		w.opts.Variable = DefaultVariable
	}
	return w
}

// withRecorder returns a copy of w with another recorder and the same progress.
func (w *WorkingMemory) withRecorder(rec *middleware.Recorder) *WorkingMemory {
	return &WorkingMemory{opts: w.opts, recorder: rec, progress: w.progress}
}

// recorderFor returns the recorder that serves a call, or nil.
func (w *WorkingMemory) recorderFor(ctx context.Context) *middleware.Recorder {
	return middleware.RecorderFor(ctx, nil, w.recorder)
}

// conversation is a recorder with its progress. Both are nil in a context without a recorder.
type conversation struct {
	rec      *middleware.Recorder
	progress *progress
}

// conversation returns the conversation of a context, and false if it has no recorder.
func (w *WorkingMemory) conversation(ctx context.Context) (c conversation, ok bool) {
	rec := w.recorderFor(ctx)
	if rec == nil {
		return conversation{}, false
	}
	return w.conversationOf(rec), true
}

// conversationOf returns the conversation of a recorder. Its progress lives as long as the
// recorder.
func (w *WorkingMemory) conversationOf(rec *middleware.Recorder) conversation {
	key := weak.Make(rec)
	p, loaded := w.progress.Load(key)
	if !loaded {
		if p, loaded = w.progress.LoadOrStore(key, new(progress)); !loaded {
			all := w.progress
			runtime.AddCleanup(rec, func(key weak.Pointer[middleware.Recorder]) { all.Delete(key) }, key)
		}
	}
	return conversation{rec, p.(*progress)}
}

// show returns the current block for a prompt, behind prompt.Guidance, and keeps it, so that
// Model can replace it once it is outdated.
func (c conversation) show() string {
	if c.rec == nil {
		return ""
	}
	block := prompt.WithGuidance(c.rec.Block())
	c.progress.addShown(block)
	return block
}
