package langchain

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// ErrNoBlock is returned when a template has neither a value for the block's variable nor
// a recorder.
var ErrNoBlock = errors.New("langchain: no value for the block's variable: give the chain the Memory, or the agent the Agent wrapper")

// SystemMessage returns a system message for a chat prompt: the text of a Go template
// followed by the block, as data. The template must not name the block's variable itself.
//
// The block is the value of Options.Variable, which Memory and Agent provide. Without a
// value it is the block of New's recorder; without a recorder, formatting fails with
// ErrNoBlock.
func (w *WorkingMemory) SystemMessage(template string, inputVariables ...string) prompts.MessageFormatter {
	return systemMessage{
		SystemMessagePromptTemplate: prompts.NewSystemMessagePromptTemplate(template, inputVariables),
		wm:                          w,
	}
}

type systemMessage struct {
	prompts.SystemMessagePromptTemplate
	wm *WorkingMemory
}

var _ prompts.MessageFormatter = systemMessage{}

// FormatMessages formats the template and adds the block.
func (m systemMessage) FormatMessages(values map[string]any) ([]llms.ChatMessage, error) {
	text, err := m.Prompt.Format(values)
	if err != nil {
		return nil, fmt.Errorf("langchain: formatting system message: %w", err)
	}
	block, ok := values[m.wm.opts.Variable].(string)
	if !ok {
		if m.wm.recorder == nil {
			return nil, ErrNoBlock
		}
		block = m.wm.ownBlock()
	}
	return []llms.ChatMessage{llms.SystemChatMessage{Content: prompt.InSystem(text, block)}}, nil
}

// Prompt returns a copy of a template that names the block's variable, in any of
// langchaingo's template formats. If Memory or Agent provide no value, each rendering
// uses the block of New's recorder. Without a recorder the variable becomes an input, so
// that a chain without Memory fails instead of omitting the block.
func (w *WorkingMemory) Prompt(t prompts.PromptTemplate) prompts.PromptTemplate {
	name := w.opts.Variable
	t.InputVariables = slices.DeleteFunc(slices.Clone(t.InputVariables), func(v string) bool { return v == name })
	if w.recorder == nil {
		t.InputVariables = append(t.InputVariables, name)
		return t
	}
	partial := maps.Clone(t.PartialVariables)
	if partial == nil {
		partial = make(map[string]any, 1)
	}
	partial[name] = w.ownBlock
	t.PartialVariables = partial
	return t
}

// ownBlock returns the block of New's recorder.
func (w *WorkingMemory) ownBlock() string { return w.conversationOf(w.recorder).show() }
