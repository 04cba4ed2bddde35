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

// MemoryVariables returns the names of the variables: of the messages, of the block
// (Options.Variable) and, if it has one, of the summary.
func (s *SessionMemory) MemoryVariables(context.Context) []string {
	names := []string{s.opts.Variable, s.wm.opts.Variable}
	if s.opts.SummaryVariable != "" {
		names = append(names, s.opts.SummaryVariable)
	}
	return names
}

// LoadMemoryVariables returns the messages, as text or, with
// SessionMemoryOptions.ReturnMessages, as a list, the block, and the summary if it has a
// variable. It is the beginning of the turn that SaveContext ends, and the recorder
// hears what the user says in it (see middleware.Recorder.UpdateFocus).
func (s *SessionMemory) LoadMemoryVariables(ctx context.Context, inputs map[string]any) (map[string]any, error) {
	input, notTold := s.turns.input(inputs)
	if notTold == nil {
		s.wm.ownConversation().hearInput(input)
	}
	if err := s.Recorder().Refresh(ctx); err != nil {
		return nil, fmt.Errorf("langchain: loading the session: %w", err)
	}
	found, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	messages := s.shown(found, false) // the user speaks next
	history, err := s.turns.value(messages)
	if err != nil {
		return nil, err
	}
	s.turn.drop()
	if notTold == nil { // else it is no chain's turn
		s.turn.begin(input, messages)
	}
	values := map[string]any{s.opts.Variable: history, s.wm.opts.Variable: s.wm.ownBlock()}
	if s.opts.SummaryVariable != "" {
		values[s.opts.SummaryVariable] = found.Context
	}
	return values, nil
}

// History is a part of an agent's prompt, for agents.WithExtraMessages: the messages
// as they were at the beginning of the turn, as messages of their own. An
// agents.Executor with the SessionMemory as its memory loads them with each run.
func (s *SessionMemory) History() prompts.MessageFormatter { return &s.turn }

// SaveContext ends a turn: it adds what the user said and what the model answered,
// both or neither. Where wrapped tools were called in the turn, what the user said
// and the calls are there already, also if the chain failed: then it adds the answer.
// After an error it may be repeated: what was stored all the same is not added again.
func (s *SessionMemory) SaveContext(ctx context.Context, inputs, outputs map[string]any) error {
	input, err := s.turns.input(inputs)
	if err != nil {
		return err
	}
	output, err := s.turns.output(outputs)
	if err != nil {
		return err
	}
	answer, err := toStored(llms.AIChatMessage{Content: output})
	if err != nil {
		return err
	}
	messages := []session.Message{answer}
	if s.turn.isStored(input) {
		// What a failing store did not take yet goes before the answer.
		if err := s.Recorder().Refresh(ctx); err != nil {
			return fmt.Errorf("langchain: adding to the session: %w", err)
		}
	} else {
		messages = []session.Message{userMessage(input), answer}
	}
	if err := s.append(ctx, s.turn.identified(messages)...); err != nil {
		return err
	}
	s.turn.drop()
	return nil
}
