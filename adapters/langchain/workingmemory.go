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
	// Placement says where Agent and Model put the block in a prompt that does
	// not show it yet. The zero value is prompt.PlaceSystem. The others make
	// system messages, which not every provider of langchaingo sends as such:
	// googleai and vertex send the last one only, with prompt.PlaceAppend what was
	// new last; anthropic joins them all to one system prompt, with nothing
	// between them, where they save none of the cache.
	//
	// With prompt.PlaceAppend callers keep their own history, without blocks.
	// Where it begins with messages that were sent before, the blocks that stood
	// among them stand there again; that goes for the last four different
	// conversations of a session. Blocks behind a message that was changed or left
	// out are gone, and all of them where one shows what memory no longer has.
	Placement prompt.Placement
	// SingleMessage makes Agent and Model keep a prompt of one message, as a
	// chains.LLMChain and the text agents send, one message: the block goes in
	// front of its text, not into a system message of its own. Needed for the
	// providers that read only a prompt's first message.
	SingleMessage bool
	// KeepMessages makes Memory pass on an inner memory's message lists
	// (ReturnMessages) as they are, for a prompts.MessagesPlaceholder. The
	// default turns them into text, because agents.Executor accepts only strings.
	KeepMessages bool
}

// WorkingMemory connects working memory with langchaingo. Use any of its
// wrappers, alone or together. It is safe for concurrent use.
type WorkingMemory struct {
	opts     Options
	recorder *middleware.Recorder // nil: contexts carry it

	// ledgers holds a *ledger for each weak.Pointer[middleware.Recorder]. It is
	// an allocation of its own so that a recorder's cleanup can refer to it
	// without keeping alive the recorder above.
	ledgers *sync.Map
}

// New connects langchaingo with a recorder. With a nil recorder each context
// carries its own (middleware.WithRecorder); a recorder in the context also
// wins over rec. nil options mean the defaults.
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

// withRecorder is w with a recorder, and with what w knows of the recorders that contexts carry.
func (w *WorkingMemory) withRecorder(rec *middleware.Recorder) *WorkingMemory {
	return &WorkingMemory{opts: w.opts, recorder: rec, ledgers: w.ledgers}
}

// conversation is the recorder that a context works with and the ledger of what it
// was told. The zero conversation, of a context without a recorder, knows nothing.
type conversation struct {
	rec    *middleware.Recorder
	ledger *ledger
}

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

// ledgerOf returns the ledger of a recorder. It lives as long as the recorder:
// a server that forgets a session forgets its ledger.
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

// record hands a call to the recorder. A recorder reports its own failures, by
// its OnCall and Logger: they are nothing that the agent could act on.
func (s conversation) record(ctx context.Context, call middleware.ToolCall) {
	_ = s.rec.Record(ctx, call)
}

// refresh lets a recorder of a stored session see what others recorded. One that
// cannot goes on with what it knows.
func (s conversation) refresh(ctx context.Context) {
	_ = s.rec.Refresh(ctx)
}

// show returns the current block for a prompt, and remembers that a prompt has
// it, so that Model finds it there when it has become outdated.
func (s conversation) show() string {
	if s.rec == nil {
		return ""
	}
	block := s.rec.Block()
	s.ledger.show(block)
	return block
}
