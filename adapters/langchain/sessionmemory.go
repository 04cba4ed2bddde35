package langchain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// SummaryTitle is the first line of the system message that holds the summary of the
// messages evicted from a session.
const SummaryTitle = "Summary of the conversation so far:"

// SessionMemoryOptions configures a SessionMemory. The zero value is useful.
type SessionMemoryOptions struct {
	// Load limits the messages in Messages and in the history variable.
	Load session.LoadOptions
	// Recorder configures the recorder of tool calls. If its Messages is nil, the calls
	// that wrapped tools make in a chain's turn are stored as messages, with the first and
	// last lines of results that are stored by themselves (Results). A server should share
	// one Extractor among its sessions.
	Recorder middleware.SessionsOptions
	// WorkingMemory wraps the session's tools, agents and models; its Options name the
	// block's variable. A server that creates the wrappers once, with New(nil, …), sets
	// it. If nil, wrappers with the default Options are created.
	WorkingMemory *WorkingMemory
	// Write is passed with every write of messages, such as a time to live or the model,
	// and with every write of tool calls if Recorder.Write is zero.
	Write session.WriteOptions
	// Variable is the name of the prompt variable that holds the messages.
	// "" means DefaultHistoryVariable.
	Variable string
	// SummaryVariable is the name of a prompt variable that holds the summary. If
	// empty, the summary precedes the messages as a system message that begins with
	// SummaryTitle. Set it for googleai and vertex, which send only the last system
	// message.
	SummaryVariable string
	// ReturnMessages gives chains a list of messages, for a
	// prompts.MessagesPlaceholder, instead of text. agents.Executor takes text only.
	ReturnMessages bool
	// InputKey and OutputKey name the input and output of a chain that SaveContext
	// saves. They may be empty if there is only one of each.
	InputKey, OutputKey string
	// HumanPrefix and AIPrefix precede messages in text. Their defaults are Human and AI.
	HumanPrefix, AIPrefix string
}

// SessionMemory is a stored conversation: a schema.ChatMessageHistory, and a
// schema.Memory for chains. Every method accesses the store, so a conversation continues
// where it was left, in this process or another. It is safe for concurrent use, but the
// turns of a chain on one SessionMemory must not overlap.
type SessionMemory struct {
	manager *session.Manager
	key     session.Key
	opts    SessionMemoryOptions
	format  turnFormat
	turn    turn
	wm      *WorkingMemory
}

var (
	_ schema.ChatMessageHistory = (*SessionMemory)(nil)
	_ schema.Memory             = (*SessionMemory)(nil)
)

// NewSessionMemory returns the memory of a manager's session. The session need not exist:
// the first write creates it. Nothing is read. If opts is nil, the defaults are used.
// Errors: session.ErrKey, and those of middleware.NewSessions.
func NewSessionMemory(manager *session.Manager, key session.Key, opts *SessionMemoryOptions) (*SessionMemory, error) {
	s := &SessionMemory{manager: manager, key: key}
	if opts != nil {
		s.opts = *opts
	}
	if err := key.Check(); err != nil {
		return nil, fmt.Errorf("langchain: %w", err)
	}
	s.opts.Variable = cmp.Or(s.opts.Variable, DefaultHistoryVariable)
	s.format = newTurnFormat(s.opts.ReturnMessages, s.opts.InputKey, s.opts.OutputKey, s.opts.HumanPrefix, s.opts.AIPrefix)
	recording := s.opts.Recorder
	recording.Write = cmp.Or(recording.Write, s.opts.Write)
	if recording.Messages == nil {
		recording.Messages = s.turn.messages
	}
	if manager != nil && manager.StoresResults() {
		s.turn.large = recording.Results
	}
	sessions, err := middleware.NewSessions(manager, &recording)
	if err != nil {
		return nil, fmt.Errorf("langchain: %w", err)
	}
	wrappers := s.opts.WorkingMemory
	if wrappers == nil {
		wrappers = New(nil, nil)
	}
	s.wm = wrappers.withRecorder(sessions.Recorder(key))
	return s, nil
}

// WorkingMemory returns the wrappers of tools, agents and models that record into the
// session and show its block.
func (s *SessionMemory) WorkingMemory() *WorkingMemory { return s.wm }

// Recorder returns the session's recorder. Bind it to the context of calls to tools,
// agents or models that several sessions share: see middleware.WithRecorder.
func (s *SessionMemory) Recorder() *middleware.Recorder { return s.wm.recorder }

// AddMessage adds a message. Messages returns langchaingo's types unchanged, and
// pointers to them as values. A type of another package is returned as langchaingo's
// type with the same GetType, or as a generic message otherwise. Bytes that are
// not valid UTF-8 become U+FFFD.
//
// The result of a tool call is added even if the call is missing. Errors: ErrNoMessage
// and those of session.Manager.Append. After session.ErrUnavailable the message may have
// been added.
func (s *SessionMemory) AddMessage(ctx context.Context, message llms.ChatMessage) error {
	stored, err := toStored(message)
	if err != nil {
		return err
	}
	return s.append(ctx, stored)
}

// AddUserMessage adds a message of the user.
func (s *SessionMemory) AddUserMessage(ctx context.Context, text string) error {
	return s.AddMessage(ctx, llms.HumanChatMessage{Content: text})
}

// AddAIMessage adds a message of the model.
func (s *SessionMemory) AddAIMessage(ctx context.Context, text string) error {
	return s.AddMessage(ctx, llms.AIChatMessage{Content: text})
}

func (s *SessionMemory) append(ctx context.Context, messages ...session.Message) error {
	if _, err := s.manager.Append(ctx, s.key, messages, &s.opts.Write); err != nil {
		return fmt.Errorf("langchain: adding to the session: %w", err)
	}
	return nil
}

// Messages returns the messages, oldest first, in the form that providers accept:
// results of tool calls follow their call, and results without a call are omitted, as
// are calls without a result unless they are the last message. Omitted messages stay
// stored. The summary of evicted messages comes first, unless
// SessionMemoryOptions.SummaryVariable is set. Errors: those of session.Manager.Load
// except ErrNotFound.
func (s *SessionMemory) Messages(ctx context.Context) ([]llms.ChatMessage, error) {
	found, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	return s.promptMessages(found, true), nil
}

// load reads the session. A missing session is empty.
func (s *SessionMemory) load(ctx context.Context) (*session.Session, error) {
	found, err := s.manager.Load(ctx, s.key, &s.opts.Load)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return s.manager.New(s.key), nil
	case err != nil:
		return nil, fmt.Errorf("langchain: loading the session: %w", err)
	}
	return found, nil
}

// promptMessages returns the messages of a session for a prompt. If awaited, calls of the
// last message that have no result are included.
func (s *SessionMemory) promptMessages(found *session.Session, awaited bool) []llms.ChatMessage {
	messages := validHistory(found.Messages, awaited)
	if found.Context == "" || s.opts.SummaryVariable != "" {
		return messages
	}
	summary := llms.SystemChatMessage{Content: SummaryTitle + "\n" + found.Context}
	return append([]llms.ChatMessage{summary}, messages...)
}

// SetMessages replaces all messages of the session, including those that Messages omits,
// and the summary. If the first message is a summary as Messages returns it, it becomes
// the summary. Messages at the beginning and at the end that are unchanged keep their ids
// and times. Entities and data are kept. Errors: ErrNoMessage and those of
// session.Manager.Update; after an error the session is unchanged.
func (s *SessionMemory) SetMessages(ctx context.Context, messages []llms.ChatMessage) error {
	summary, messages := s.splitSummary(messages)
	after := make([]session.Message, len(messages))
	for i, m := range messages {
		var err error
		if after[i], err = toStored(m); err != nil {
			return err
		}
	}
	_, err := s.manager.Update(ctx, s.key, func(found *session.Session) error {
		found.Messages, found.Context = replaceMessages(found.Messages, slices.Clone(after)), summary
		return nil
	}, &s.opts.Write)
	if err != nil {
		return fmt.Errorf("langchain: setting the session's messages: %w", err)
	}
	return nil
}

func (s *SessionMemory) splitSummary(messages []llms.ChatMessage) (string, []llms.ChatMessage) {
	if len(messages) == 0 || s.opts.SummaryVariable != "" {
		return "", messages
	}
	first, _ := valueOf(messages[0]) // the caller reports a nil message
	if first, ok := first.(llms.SystemChatMessage); ok {
		if summary, ok := strings.CutPrefix(first.Content, SummaryTitle+"\n"); ok {
			return valid(summary), messages[1:]
		}
	}
	return "", messages
}

// Clear removes messages, summary and entities. The session's data and the memories that
// were made from it are kept. Errors: those of session.Manager.Update.
func (s *SessionMemory) Clear(ctx context.Context) error {
	_, err := s.manager.Update(ctx, s.key, func(found *session.Session) error {
		if found.Version() == 0 {
			return session.ErrNotFound
		}
		found.Messages, found.Context = nil, ""
		found.Entities.Clear()
		return nil
	}, &s.opts.Write)
	if err == nil || errors.Is(err, session.ErrNotFound) {
		s.turn.drop()
		err = s.Recorder().Clear(ctx) // including calls that are not stored yet
	}
	if err != nil {
		return fmt.Errorf("langchain: clearing the session: %w", err)
	}
	return nil
}
