package langchain

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// GetMemoryKey returns the name of the variable that holds the messages.
func (s *SessionMemory) GetMemoryKey(context.Context) string { return s.opts.Variable }

// MemoryVariables returns the names of the variables for the messages, the block
// (Options.Variable) and, if set, the summary.
func (s *SessionMemory) MemoryVariables(context.Context) []string {
	names := []string{s.opts.Variable, s.wm.opts.Variable}
	if s.opts.SummaryVariable != "" {
		names = append(names, s.opts.SummaryVariable)
	}
	return names
}

// LoadMemoryVariables returns the messages, as text or with
// SessionMemoryOptions.ReturnMessages as a list, the block, and the summary if it has a
// variable. It begins the turn that SaveContext ends, and updates the recorder's focus
// with the user's input (see middleware.Recorder.UpdateFocus).
func (s *SessionMemory) LoadMemoryVariables(ctx context.Context, inputs map[string]any) (map[string]any, error) {
	input, noInput := s.format.input(inputs)
	if noInput == nil {
		s.wm.conversationOf(s.Recorder()).updateInput(input)
	}
	if err := s.Recorder().Refresh(ctx); err != nil {
		return nil, fmt.Errorf("langchain: loading the session: %w", err)
	}
	found, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	found.Context = s.Recorder().Handles().Encode(found.Context)
	messages := s.promptMessages(found, false) // the user speaks next
	messages = s.wm.conversationOf(s.Recorder()).shownHistory(ctx, messages)
	history, err := s.format.value(messages)
	if err != nil {
		return nil, err
	}
	s.turn.drop()
	if noInput == nil { // otherwise it is not a turn of a chain
		s.turn.begin(input, messages)
	}
	values := map[string]any{s.opts.Variable: history, s.wm.opts.Variable: s.wm.ownBlock()}
	if s.opts.SummaryVariable != "" {
		values[s.opts.SummaryVariable] = found.Context
	}
	return values, nil
}

// History returns a formatter for agents.WithExtraMessages that adds the messages at the
// beginning of the turn to an agent's prompt. An agents.Executor whose memory is the
// SessionMemory loads them at each run.
func (s *SessionMemory) History() prompts.MessageFormatter { return &s.turn }

// SaveContext ends a turn: it adds the user's input and the model's answer, both or
// neither. If wrapped tools were called in the turn, the input and the calls are already
// stored, even if the chain failed, and only the answer is added. SaveContext may be
// called again after an error: nothing is added twice.
func (s *SessionMemory) SaveContext(ctx context.Context, inputs, outputs map[string]any) error {
	input, err := s.format.input(inputs)
	if err != nil {
		return err
	}
	output, err := s.format.output(outputs)
	if err != nil {
		return err
	}
	answer, err := toStored(llms.AIChatMessage{Content: output})
	if err != nil {
		return err
	}
	messages := []session.Message{answer}
	if s.turn.isStored(input) {
		// Calls that could not be stored yet precede the answer.
		if err := s.Recorder().Refresh(ctx); err != nil {
			return fmt.Errorf("langchain: adding to the session: %w", err)
		}
	} else {
		messages = []session.Message{userMessage(input), answer}
	}
	if err := s.append(ctx, s.turn.assignIDs(messages)...); err != nil {
		return err
	}
	s.turn.drop()
	return nil
}
