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

// ErrNoBlock says that a template got no value for the block's variable, and
// that there is no recorder to take it from.
var ErrNoBlock = errors.New("langchain: no value for the block's variable: give the chain the Memory, or the agent the Agent wrapper")

// SystemMessage is a system message for a chat prompt: the text of a Go
// template, and after it the block, as data. The template must not name the
// block's variable itself.
//
// The block is the value of Options.Variable, which Memory and Agent provide;
// where it is missing, the block of New's recorder; with neither, ErrNoBlock.
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

// Prompt prepares a template that names the block's variable, in any of
// langchaingo's template formats: it returns a copy that takes the block of
// New's recorder, at each rendering, where Memory or Agent provide no value.
// Without a recorder of its own the variable becomes an input, so that a chain
// without Memory fails instead of showing nothing.
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

// ownBlock is the block of New's recorder.
func (w *WorkingMemory) ownBlock() string { return w.ownConversation().show() }

// ownConversation is the conversation of New's recorder.
func (w *WorkingMemory) ownConversation() conversation {
	return conversation{rec: w.recorder, ledger: w.ledgerOf(w.recorder)}
}
