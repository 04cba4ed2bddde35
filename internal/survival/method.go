package survival

import (
	"context"

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

// Method makes a Memory for each conversation.
type Method struct {
	// Name is what tables call the method.
	Name string
	// New makes the memory of a conversation.
	New func() Memory
	// Text says that blocks are plain text without headers and labels: only
	// their coverage can be measured, as identifiers that stand in them.
	Text bool
	// Baseline is a method to compare with: its misses are not kept, and its
	// prefix reuse is not measured.
	Baseline bool
}

// explainer is a Memory that knows why it does not show something.
type explainer interface {
	// absence says why an identifier is not in the block.
	absence(id string) (MissKind, string)
}

// sizer is a Memory that knows the size of its block without counting it whole.
type sizer interface {
	size(counter prompt.TokenCounter) (chars, tokens int)
}
