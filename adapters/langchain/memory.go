package langchain

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
)

// Memory returns a memory for chains and executors. Its variable (Options.Variable)
// holds the block, beside the variables of the inner memory, which may be nil.
//
//   - All values are text, including the message lists of an inner memory (see
//     Options.KeepMessages), because agents.Executor accepts nothing else.
//   - The inner memory never sees the variable, so one that expects a single
//     input key keeps working.
//   - Clear clears the inner memory and the recorder's context.
//   - The block is that of the session in the context, but the inner memory is fixed:
//     if contexts carry recorders, create a Memory with an inner one for each session.
//   - The block hides an inner variable named Options.Variable.
//
// The input of a chain that has only one updates the recorder's focus (see
// middleware.Recorder.UpdateFocus).
//
// The prompt must name the variable. An executor loads its memory once per
// run; Agent and Model keep the block current at each step.
func (w *WorkingMemory) Memory(inner schema.Memory) schema.Memory {
	if inner == nil {
		inner = memory.NewSimple()
	}
	return &chainMemory{inner: inner, wm: w}
}

type chainMemory struct {
	inner schema.Memory
	wm    *WorkingMemory
}

var _ schema.Memory = (*chainMemory)(nil)

// GetMemoryKey returns the inner memory's key, by which a conversational retrieval
// chain finds the history, or the block's variable without an inner memory.
func (m *chainMemory) GetMemoryKey(ctx context.Context) string {
	if key := m.inner.GetMemoryKey(ctx); key != "" {
		return key
	}
	return m.wm.opts.Variable
}

// MemoryVariables returns the block's variable and the inner memory's.
func (m *chainMemory) MemoryVariables(ctx context.Context) []string {
	names := []string{m.wm.opts.Variable}
	for _, name := range m.inner.MemoryVariables(ctx) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// LoadMemoryVariables returns the block and the inner memory's variables.
func (m *chainMemory) LoadMemoryVariables(ctx context.Context, inputs map[string]any) (map[string]any, error) {
	loaded, err := m.inner.LoadMemoryVariables(ctx, m.withoutBlock(inputs))
	if err != nil {
		return nil, fmt.Errorf("langchain: loading inner memory: %w", err)
	}
	out := make(map[string]any, len(loaded)+1)
	for name, value := range loaded {
		if out[name], err = m.value(value); err != nil {
			return nil, fmt.Errorf("langchain: variable %q of inner memory: %w", name, err)
		}
	}
	c, ok := m.wm.conversation(ctx)
	if ok {
		if input, err := memory.GetInputValue(m.withoutBlock(inputs), ""); err == nil {
			c.updateInput(input)
		}
		c.rec.Prepare(ctx)
	}
	out[m.wm.opts.Variable] = c.show()
	return out, nil
}

func (m *chainMemory) value(value any) (any, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case []llms.ChatMessage:
		if m.wm.opts.KeepMessages {
			return v, nil
		}
		return llms.GetBufferString(v, "Human", "AI")
	default:
		return fmt.Sprint(v), nil
	}
}

// SaveContext saves the turn in the inner memory.
func (m *chainMemory) SaveContext(ctx context.Context, inputs, outputs map[string]any) error {
	if err := m.inner.SaveContext(ctx, m.withoutBlock(inputs), outputs); err != nil {
		return fmt.Errorf("langchain: saving to inner memory: %w", err)
	}
	return nil
}

// Clear clears the inner memory and the working context.
func (m *chainMemory) Clear(ctx context.Context) error {
	if rec := m.wm.recorderFor(ctx); rec != nil {
		if err := rec.Clear(ctx); err != nil {
			return fmt.Errorf("langchain: clearing the context: %w", err)
		}
	}
	if err := m.inner.Clear(ctx); err != nil {
		return fmt.Errorf("langchain: clearing inner memory: %w", err)
	}
	return nil
}

func (m *chainMemory) withoutBlock(values map[string]any) map[string]any {
	if _, ok := values[m.wm.opts.Variable]; !ok {
		return values
	}
	values = maps.Clone(values)
	delete(values, m.wm.opts.Variable)
	return values
}
