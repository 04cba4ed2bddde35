package langchain

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"

	"github.com/go-workingmemory/workingmemory/memory/queue"
)

// DefaultHistoryVariable is the name of the prompt variable that holds a
// Window's messages.
const DefaultHistoryVariable = "history"

// WindowOptions configures a Window. The zero value is useful.
type WindowOptions struct {
	// Queue configures the compaction and the hooks of the window's queue.
	// queue.SummarizeOlder summarizes messages older than the window.
	Queue queue.Options[*Exchange]
	// Variable is the name of the prompt variable that holds the messages.
	// "" means DefaultHistoryVariable.
	Variable string
	// ReturnMessages gives chains a list of messages, for a
	// prompts.MessagesPlaceholder, instead of text.
	ReturnMessages bool
	// InputKey and OutputKey name the input and output of a chain that SaveContext
	// saves. They may be empty if there is only one of each.
	InputKey, OutputKey string
	// HumanPrefix and AIPrefix precede messages in text. Their defaults are Human and AI.
	HumanPrefix, AIPrefix string
}

// Window holds a conversation's last messages in a queue.Queue. It is a
// schema.ChatMessageHistory, and a schema.Memory for chains. A tool call and its
// results are kept or evicted together. It is safe for concurrent use.
type Window struct {
	opts   WindowOptions
	format turnFormat
	queue  *queue.Queue[*Exchange]
}

var (
	_ schema.ChatMessageHistory = (*Window)(nil)
	_ schema.Memory             = (*Window)(nil)
)

// NewWindow returns a window of the last limit exchanges, which must be at least 1: a
// tool call with its results is one exchange, and so is any other message. If opts is
// nil, the defaults are used. Errors: those of queue.New.
func NewWindow(limit int, opts *WindowOptions) (*Window, error) {
	w := new(Window)
	if opts != nil {
		w.opts = *opts
	}
	w.opts.Variable = cmp.Or(w.opts.Variable, DefaultHistoryVariable)
	w.format = newTurnFormat(w.opts.ReturnMessages, w.opts.InputKey, w.opts.OutputKey, w.opts.HumanPrefix, w.opts.AIPrefix)
	q := w.opts.Queue
	q.Compact = w.compact
	var err error
	if w.queue, err = queue.New(limit, &q); err != nil {
		return nil, err
	}
	return w, nil
}

// AddMessage adds a message. The result of a tool call joins the call, even if other
// messages came in between, and replaces an earlier result with the same id. If the
// window has no such call, AddMessage returns ErrNoToolCall. Its other errors are
// ErrNoMessage and those of the queue's Append. After an error nothing is added.
func (w *Window) AddMessage(ctx context.Context, message llms.ChatMessage) error {
	switch {
	case message == nil:
		return ErrNoMessage
	case !isResult(message):
		return w.append(ctx, NewExchange(message))
	case !addToExchange(message, w.queue.Items()):
		return ErrNoToolCall
	}
	return nil
}

// AddUserMessage adds a message of the user.
func (w *Window) AddUserMessage(ctx context.Context, text string) error {
	return w.append(ctx, NewExchange(llms.HumanChatMessage{Content: text}))
}

// AddAIMessage adds a message of the model.
func (w *Window) AddAIMessage(ctx context.Context, text string) error {
	return w.append(ctx, NewExchange(llms.AIChatMessage{Content: text}))
}

// Messages returns the messages, oldest first. The slice is the caller's.
func (w *Window) Messages(context.Context) ([]llms.ChatMessage, error) {
	var messages []llms.ChatMessage
	for e := range w.queue.All() {
		messages = append(messages, e.Messages()...)
	}
	return messages, nil
}

// SetMessages replaces all messages, as if they were added to an empty window in one
// append. Errors: those of AddMessage; after an error the window is unchanged.
func (w *Window) SetMessages(ctx context.Context, messages []llms.ChatMessage) error {
	exchanges, err := exchangesOf(messages)
	if err != nil {
		return err
	}
	if len(exchanges) == 0 {
		return w.Clear(ctx)
	}
	set := &replacing{window: w}
	defer set.done.Store(true)
	return w.append(context.WithValue(ctx, replacingKey{}, set), exchanges...)
}

// replacing marks the context of an append that replaces the messages of a window. It is
// reset afterwards, because callbacks may keep the context for other appends.
type replacing struct {
	window *Window
	done   atomic.Bool
}

type replacingKey struct{}

// compact is the queue's compaction. It empties the queue for SetMessages before it
// applies the compaction of the options.
func (w *Window) compact(ctx context.Context, queue queue.CompactionInput[*Exchange]) ([]*Exchange, error) {
	if set, ok := ctx.Value(replacingKey{}).(*replacing); ok && set.window == w && !set.done.Load() {
		queue.Items = nil
	}
	if w.opts.Queue.Compact == nil {
		return queue.Items, nil
	}
	return w.opts.Queue.Compact(ctx, queue)
}

// Clear removes all messages.
func (w *Window) Clear(ctx context.Context) error {
	if err := w.queue.Clear(ctx); err != nil {
		return fmt.Errorf("langchain: clearing the window: %w", err)
	}
	return nil
}

func (w *Window) append(ctx context.Context, exchanges ...*Exchange) error {
	if err := w.queue.Append(ctx, exchanges...); err != nil {
		return fmt.Errorf("langchain: adding to the window: %w", err)
	}
	return nil
}

// GetMemoryKey returns the variable's name.
func (w *Window) GetMemoryKey(context.Context) string { return w.opts.Variable }

// MemoryVariables returns the variable's name.
func (w *Window) MemoryVariables(context.Context) []string { return []string{w.opts.Variable} }

// LoadMemoryVariables returns the messages, as text or, with
// WindowOptions.ReturnMessages, as a list.
func (w *Window) LoadMemoryVariables(ctx context.Context, _ map[string]any) (map[string]any, error) {
	messages, err := w.Messages(ctx)
	if err != nil {
		return nil, err
	}
	value, err := w.format.value(messages)
	if err != nil {
		return nil, err
	}
	return map[string]any{w.opts.Variable: value}, nil
}

// SaveContext adds a turn: the user's input and the model's answer, both or neither.
func (w *Window) SaveContext(ctx context.Context, inputs, outputs map[string]any) error {
	input, err := w.format.input(inputs)
	if err != nil {
		return err
	}
	output, err := w.format.output(outputs)
	if err != nil {
		return err
	}
	return w.append(ctx,
		NewExchange(llms.HumanChatMessage{Content: input}), NewExchange(llms.AIChatMessage{Content: output}))
}
