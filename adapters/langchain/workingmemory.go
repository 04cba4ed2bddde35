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

// WorkingMemory creates wrappers that connect a recorder with langchaingo. The wrappers
// may be used alone or together. It is safe for concurrent use.
type WorkingMemory struct {
	opts     Options
	recorder *middleware.Recorder // nil: contexts carry it

	// ledgers holds a *ledger for each weak.Pointer[middleware.Recorder]. It is
	// allocated separately so that a recorder's cleanup can refer to it without
	// keeping the recorder above alive.
	ledgers *sync.Map
}

// New returns the wrappers for a recorder. If rec is nil, each context carries its own
// (middleware.WithRecorder). A recorder in the context takes precedence over rec. If opts
// is nil, the defaults are used.
func New(rec *middleware.Recorder, opts *Options) *WorkingMemory {
	w := &WorkingMemory{recorder: rec, ledgers: &sync.Map{}}
	if opts != nil {
		w.opts = *opts
	}
	if w.opts.Variable == "" {
		w.opts.Variable = DefaultVariable
	}
	return w
}

// withRecorder returns a copy of w with another recorder and the same ledgers.
func (w *WorkingMemory) withRecorder(rec *middleware.Recorder) *WorkingMemory {
	return &WorkingMemory{opts: w.opts, recorder: rec, ledgers: w.ledgers}
}

// conversation is the recorder of a context with its ledger. Both are nil in a context
// without a recorder.
type conversation struct {
	rec    *middleware.Recorder
	ledger *ledger
}

// session returns the conversation of a context, and false if it has no recorder.
func (w *WorkingMemory) session(ctx context.Context) (s conversation, ok bool) {
	rec, ok := middleware.RecorderFrom(ctx)
	if !ok {
		rec = w.recorder
	}
	if rec == nil {
		return conversation{}, false
	}
	return conversation{rec: rec, ledger: w.ledgerOf(rec)}, true
}

// ledgerOf returns the ledger of a recorder, which lives as long as the recorder.
func (w *WorkingMemory) ledgerOf(rec *middleware.Recorder) *ledger {
	key := weak.Make(rec)
	if l, ok := w.ledgers.Load(key); ok {
		return l.(*ledger)
	}
	l, loaded := w.ledgers.LoadOrStore(key, newLedger())
	if !loaded {
		ledgers := w.ledgers
		runtime.AddCleanup(rec, func(key weak.Pointer[middleware.Recorder]) { ledgers.Delete(key) }, key)
	}
	return l.(*ledger)
}

// record records a call. The recorder reports failures to its OnCall and Logger; an agent
// could not act on them.
func (s conversation) record(ctx context.Context, call middleware.ToolCall) {
	_ = s.rec.Record(ctx, call)
}

// refresh loads what other processes recorded in a stored session. After a failure, which
// the recorder logs, the session is used as known.
func (s conversation) refresh(ctx context.Context) {
	_ = s.rec.Refresh(ctx)
}

// show returns the current block for a prompt, behind prompt.Guidance, and keeps it in the
// ledger, so that Model can replace it once it is outdated.
func (s conversation) show() string {
	if s.rec == nil {
		return ""
	}
	block := prompt.WithGuidance(s.rec.Block())
	s.ledger.addShown(block)
	return block
}
