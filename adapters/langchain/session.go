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

// SummaryTitle is the first line of the system message that stands for the summary
// of messages that left a Session.
const SummaryTitle = "Summary of the conversation so far:"

// SessionMemoryOptions configures a Session. The zero value is useful.
type SessionMemoryOptions struct {
	// Load says how many of the messages Messages and the history variable have.
	Load session.LoadOptions
	// Recorder configures the recorder of tool calls. A nil Messages means that the
	// calls of a chain's turn, made through wrapped tools, are kept as messages. A
	// server shares one Extractor among its sessions.
	Recorder middleware.SessionsOptions
	// WorkingMemory are the wrappers of tools, agents and models that the session works
	// with; their Options name the block's variable. A server that makes them once,
	// with New(nil, …), gives them here. nil means wrappers with the default Options.
	WorkingMemory *WorkingMemory
	// Write goes with every write of messages and, where Recorder has none of its
	// own, of tool calls: a time to live, the model.
	Write session.WriteOptions
	// Variable is the name of the prompt variable that holds the messages.
	// "" means DefaultHistoryVariable.
	Variable string
	// SummaryVariable is the name of a prompt variable that holds the summary. ""
	// means that the summary stands in front of the messages, as a system message
	// that begins with SummaryTitle. Name one for googleai and vertex, which send
	// the last system message only.
	SummaryVariable string
	// ReturnMessages gives chains a list of messages, for a
	// prompts.MessagesPlaceholder, instead of text. agents.Executor takes text only.
	ReturnMessages bool
	// InputKey and OutputKey name the values that a chain's turn is saved from.
	// They may be empty where there is only one.
	InputKey, OutputKey string
	// HumanPrefix and AIPrefix stand before messages in text. "" means Human and AI.
	HumanPrefix, AIPrefix string
}

// SessionMemory is a stored conversation: a schema.ChatMessageHistory, and a
// schema.Memory for chains. Every method goes to the store, so that a conversation
// goes on where it was left, in this process or another. It is safe for concurrent
// use; a chain's turns on one SessionMemory are to come one after the other.
type SessionMemory struct {
	manager *session.Manager
	key     session.Key
	opts    SessionMemoryOptions
	turns   turns
	turn    turn
	wm      *WorkingMemory
}

var (
	_ schema.ChatMessageHistory = (*SessionMemory)(nil)
	_ schema.Memory             = (*SessionMemory)(nil)
)

// NewSessionMemory connects langchaingo with a manager's session, which need not be there
// yet: the first write makes it. Nothing is read. nil options mean the defaults.
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
	s.turns = newTurns(s.opts.ReturnMessages, s.opts.InputKey, s.opts.OutputKey, s.opts.HumanPrefix, s.opts.AIPrefix)
	recording := s.opts.Recorder
	recording.Write = cmp.Or(recording.Write, s.opts.Write)
	if recording.Messages == nil {
		recording.Messages = s.turn.messages
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

// WorkingMemory returns the wrappers of tools, agents and models that record into
// the session and show its block.
func (s *SessionMemory) WorkingMemory() *WorkingMemory { return s.wm }

// Recorder returns the session's recorder, to be bound to the context of what
// several sessions share: see middleware.WithRecorder.
func (s *SessionMemory) Recorder() *middleware.Recorder { return s.wm.recorder }

// AddMessage adds a message. All types of langchaingo come back from Messages as
// they were, pointers to them as values; a type of another package comes back as
// langchaingo's with the same GetType, a generic one if that is none of
// langchaingo's. Bytes that are not valid UTF-8 become U+FFFD.
//
// The result of a tool call is added whether its call is there or not. Errors:
// ErrNoMessage and those of session.Manager.Append, after session.ErrUnavailable of
// which the message may be there.
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

// Messages returns the messages, oldest first, as providers take them: results of
// tool calls stand behind their call, and results without a call are left out, as
// are calls without a result unless they are the last message. All that is left out
// stays stored. The summary of what left the session stands in front, unless
// SessionMemoryOptions.SummaryVariable has it. Errors: those of session.Manager.Load but
// ErrNotFound.
func (s *SessionMemory) Messages(ctx context.Context) ([]llms.ChatMessage, error) {
	found, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	return s.shown(found, true), nil
}

// load reads the session; one that is not there is empty.
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

// shown returns what prompts have of a session, with calls at the end that are
// awaited or without. A wrapped model that meets the tool calls among it does not
// record them: that was done when they were made.
func (s *SessionMemory) shown(found *session.Session, awaited bool) []llms.ChatMessage {
	messages := readable(found.Messages, awaited)
	s.wm.ledgerOf(s.wm.recorder).skip(toolCalls(contentsOf(messages)))
	if found.Context == "" || s.opts.SummaryVariable != "" {
		return messages
	}
	summary := llms.SystemChatMessage{Content: SummaryTitle + "\n" + found.Context}
	return append([]llms.ChatMessage{summary}, messages...)
}

// SetMessages replaces all that the session holds of messages, also those that
// Messages leaves out, and the summary; where the first message is a summary as
// Messages gives it, that is the summary again. Messages at the beginning and at the
// end that were there before keep their ids and times. Entities and data stay.
// Errors: ErrNoMessage and those of session.Manager.Update, with which the session
// stays as it was.
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
		found.Messages, found.Context = replaced(found.Messages, slices.Clone(after)), summary
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
	first, _ := valueOf(messages[0]) // what it is not is found later
	if first, ok := first.(llms.SystemChatMessage); ok {
		if summary, ok := strings.CutPrefix(first.Content, SummaryTitle+"\n"); ok {
			return valid(summary), messages[1:]
		}
	}
	return "", messages
}

// Clear removes messages, summary and entities. The session's data and what is to
// be remembered beyond it stay. Errors: those of session.Manager.Update.
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
		err = s.Recorder().Clear(ctx) // of what is not stored yet
	}
	if err != nil {
		return fmt.Errorf("langchain: clearing the session: %w", err)
	}
	return nil
}
