package evaluation

import (
	"context"
	"iter"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// Memory remembers one conversation: it receives each finished tool call and provides
// the block shown to the model before the next. It need not be safe for concurrent
// use.
type Memory interface {
	// Block returns the current block.
	Block() string
	// Record records a finished tool call, which is the step with the given index.
	Record(ctx context.Context, step int, call *Step) error
}

// Family is a group of methods that differ in a setting and form a curve in plots.
type Family string

// The families of methods.
const (
	FamilyWorking Family = "working memory"
	FamilyFloor   Family = "bare list of ids"
	FamilyRaw     Family = "raw tool calls"
	FamilySeed    Family = "seed"
)

// Method creates a Memory for each conversation.
type Method struct {
	// Name is the method's name in tables.
	Name string
	// Family is the method's family, or "".
	Family Family
	// Setting is the method's name in plots of its family.
	Setting string
	// Budget is the largest size of a block in tokens; 0 means no budget.
	Budget int
	// Handles is set if blocks and results have handles in place of ids.
	Handles bool
	// Offload is the number of tokens from which results are stored; 0 means never.
	Offload int
	// New returns the memory for a conversation.
	New func() Memory
	// Text is set if blocks have no meaningful headers and labels. Only their
	// coverage can be measured.
	Text bool
	// Baseline is set for methods that serve as a comparison. Their misses are not
	// kept and their prefix reuse is not measured.
	Baseline bool
}

// listener is implemented by a Memory that uses messages between tool calls.
type listener interface {
	updateFocus(step *Step)
}

// observeStep passes a message of the user or the assistant to a memory.
func observeStep(m Memory, step *Step) {
	if l, ok := m.(listener); ok && step.Kind != KindTool {
		l.updateFocus(step)
	}
}

// explainer is implemented by a Memory that can explain why it does not show an
// identifier.
type explainer interface {
	// absence returns why an identifier is not in the block.
	absence(ref *Reference) (MissKind, string)
}

// lister is implemented by a Memory whose block is text and that can list the
// identifiers in it.
type lister interface {
	// ids returns the identifiers in the block, each once.
	ids() iter.Seq[string]
}

// sizer is implemented by a Memory that can compute the size of its block without
// counting all of it.
type sizer interface {
	size(counter prompt.TokenCounter) (chars, tokens int)
}
