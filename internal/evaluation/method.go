package evaluation

import (
	"context"
	"iter"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// Memory is a way to remember, in one conversation: it is given each finished
// tool call, and shows the model a block before each of its calls. It need not
// be safe for concurrent use.
type Memory interface {
	// Block is what the model is shown now.
	Block() string
	// Record takes in a finished tool call, the step'th step of the episode.
	Record(ctx context.Context, step int, call *Step) error
}

// Family is what a method is a setting of: methods of a family lie on a curve.
type Family string

// The families of methods.
const (
	FamilyWorking Family = "working memory"
	FamilyFloor   Family = "bare list of ids"
	FamilyRaw     Family = "raw tool calls"
	FamilySeed    Family = "seed"
)

// Method makes a Memory for each conversation.
type Method struct {
	// Name is what tables call the method.
	Name string
	// Family is what the method is a setting of; "" if nothing.
	Family Family
	// Setting is what plots call it within its family.
	Setting string
	// Budget is the largest size of a block in tokens; 0 means that there is none.
	Budget int
	// New makes the memory of a conversation.
	New func() Memory
	// Text is set if blocks have no headers and labels that mean anything: only
	// their coverage can be measured.
	Text bool
	// Baseline is a method to compare with: its misses are not kept, and its
	// prefix reuse is not measured.
	Baseline bool
}

// listener is a Memory that hears what is said between the tool calls.
type listener interface {
	updateFocus(step *Step)
}

// observeStep lets a memory hear what the user or the assistant said.
func observeStep(m Memory, step *Step) {
	if l, ok := m.(listener); ok && step.Kind != KindTool {
		l.updateFocus(step)
	}
}

// explainer is a Memory that knows why it does not show something.
type explainer interface {
	// absence says why an identifier is not in the block.
	absence(id string) (MissKind, string)
}

// lister is a Memory whose block is text, and that knows the identifiers in it.
type lister interface {
	// ids are the identifiers that the block shows, each once.
	ids() iter.Seq[string]
}

// sizer is a Memory that knows the size of its block without counting it whole.
type sizer interface {
	size(counter prompt.TokenCounter) (chars, tokens int)
}
