package middleware

import (
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// BudgetCapacity is how many entities compete for a block with a token budget: far more
// than fit, so that the budget decides.
const BudgetCapacity = 256

// ErrCapacity is returned where a working context holds too few entities for a block with
// a token budget. CapacityFor gives the capacity that it needs.
var ErrCapacity = errors.New("middleware: the working context holds too few entities for a block with a budget")

// CapacityFor returns how many entities a working context holds for a block:
// BudgetCapacity with a token budget, else memory.DefaultCapacity. It is the Capacity
// of the memory.ContextOptions of a scope, or of a session.Manager:
//
//	session.Options{Context: &memory.ContextOptions{Capacity: middleware.CapacityFor(block)}}
func CapacityFor(block prompt.Options) int {
	if block.Budget > 0 {
		return BudgetCapacity
	}
	return memory.DefaultCapacity
}

// checkCapacity returns an ErrCapacity if a context is too small for the budget of a
// block. Without a budget any capacity will do.
func checkCapacity(wc *memory.WorkingContext, block prompt.Options) error {
	if has, needs := wc.Capacity(), CapacityFor(block); block.Budget > 0 && has < needs {
		return fmt.Errorf("%w: %d, not %d", ErrCapacity, has, needs)
	}
	return nil
}

// LimitsFor is how much of a result is worth taking for a block: with a token
// budget, all that may compete for it; else as many items of a list as the
// block shows of a type, so that a long list does not push everything else out
// of a small context.
func LimitsFor(block prompt.Options) extractor.Limits {
	if block.Budget > 0 {
		return extractor.WideLimits()
	}
	perType := block.PerType
	if perType <= 0 {
		perType = prompt.DefaultPerType
	}
	return extractor.Limits{Items: perType}
}

// notesFor is how many items are worth a look at for a block.
func notesFor(block prompt.Options) int {
	switch {
	case block.Budget > 0:
		return memory.DefaultMaxItems
	case block.Notes > 0:
		return block.Notes
	default:
		return prompt.DefaultNotes
	}
}
