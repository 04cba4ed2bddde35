package items

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/slab"
	"github.com/go-workingmemory/workingmemory/memory"
)

// ForgetMode says what Forget does with items.
type ForgetMode uint8

const (
	// ForgetSoft hides items: they can be restored, count towards the limits, and
	// leave first. The zero value.
	ForgetSoft ForgetMode = iota
	// ForgetHard removes items.
	ForgetHard
)

// String returns "hard" or, for any other mode, "soft", as which it counts.
func (m ForgetMode) String() string {
	if m == ForgetHard {
		return "hard"
	}
	return "soft"
}

// InstructionError says that an instruction to forget was not understood. It
// does not contain the instruction.
type InstructionError struct {
	// Understood are the forms an instruction may have.
	Understood []string
}

// Error implements error.
func (e *InstructionError) Error() string {
	return "items: instruction is none of: " + strings.Join(e.Understood, ", ")
}

// PositionError says that a store has no item at a position.
type PositionError struct {
	// Position is what was asked for, math.MaxInt for more than that. Size is how
	// many items there are.
	Position, Size int
}

// Error implements error.
func (e *PositionError) Error() string {
	return fmt.Sprintf("items: position %d of %d items", e.Position, e.Size)
}

// Forgotten is what Forget did.
type Forgotten struct {
	// Items are those that were forgotten, oldest first, as they were before.
	Items []Item
	// Size and Tokens are what the store holds now.
	Size, Tokens int
}

// Forget forgets the items that an instruction names, in any case:
//
//   - "oldest": the one at the first position
//   - "least important": the one of least importance, of several the oldest
//   - "position:N": the one at position N, from 0
//   - "before:step_N": those of a step below N, from 0
//
// The first two pass over what was forgotten softly; the others name that too,
// and hard forgetting removes it. It is no error if an instruction names none, but
// for a position. Errors, after which nothing has changed: *InstructionError,
// *PositionError.
func (s *Store) Forget(ctx context.Context, instruction string, mode ForgetMode) (Forgotten, error) {
	op := s.begin(ctx, opForget)
	kind, n, err := parseInstruction(instruction)
	op.detail("mode", mode.String())
	op.detail("instruction", string(kind))
	var f Forgotten
	if err == nil {
		f, err = s.forget(op.now, mode, func(l *itemList) ([]slab.Handle, error) { return l.named(kind, n) })
	}
	op.record.Items, op.record.Tokens = len(f.Items), tokensOf(f.Items)
	op.end(err)
	return f, err
}

// ForgetItem forgets the item with an id, as Forget does that at a position.
// Errors: *memory.NotFoundError.
func (s *Store) ForgetItem(ctx context.Context, id string, mode ForgetMode) (Forgotten, error) {
	op := s.begin(ctx, opForget)
	op.detail("mode", mode.String())
	op.detail("instruction", "id")
	f, err := s.forget(op.now, mode, func(l *itemList) ([]slab.Handle, error) {
		h := l.kept.Find(id)
		if h == slab.None {
			return nil, &memory.NotFoundError{ID: id}
		}
		return []slab.Handle{h}, nil
	})
	if err == nil {
		op.record.ItemID = id
	}
	op.record.Items, op.record.Tokens = len(f.Items), tokensOf(f.Items)
	op.end(err)
	return f, err
}

// instructionKind is what an instruction begins with.
type instructionKind string

const (
	forgetOldest         instructionKind = "oldest"
	forgetLeastImportant instructionKind = "least important"
	forgetPosition       instructionKind = "position:"
	forgetBefore         instructionKind = "before:step_"
)

// parseInstruction returns the kind of an instruction, "" if it is none, and its
// number, at most math.MaxInt.
func parseInstruction(instruction string) (kind instructionKind, n int, err error) {
	instruction = strings.ToLower(strings.TrimSpace(instruction))
	switch k := instructionKind(instruction); k {
	case forgetOldest, forgetLeastImportant:
		return k, 0, nil
	}
	for _, kind := range []instructionKind{forgetPosition, forgetBefore} {
		digits, ok := strings.CutPrefix(instruction, string(kind))
		if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
			continue
		}
		n, err := strconv.Atoi(digits)
		if err != nil { // it has only digits: there are too many
			n = math.MaxInt
		}
		return kind, n, nil
	}
	return "", 0, &InstructionError{Understood: []string{
		string(forgetOldest), string(forgetLeastImportant), string(forgetPosition) + "N", string(forgetBefore) + "N",
	}}
}

// forget forgets the items that a function finds, oldest first.
func (s *Store) forget(now moment, mode ForgetMode, find func(*itemList) ([]slab.Handle, error)) (f Forgotten, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items.advance(now)
	named, err := find(&s.items)
	if err == nil {
		f.Items = s.items.forget(named, mode)
	}
	if len(f.Items) > 0 {
		s.items.kept.Compact()
		s.version++
	}
	f.Size, f.Tokens = s.items.len(), s.items.tokens
	return f, err
}

// named returns the items that an instruction names, oldest first.
func (l *itemList) named(kind instructionKind, n int) ([]slab.Handle, error) {
	var named []slab.Handle
	position := -1
	for h, it := range l.all() {
		position++
		switch {
		case kind == forgetPosition:
			if position == n {
				return []slab.Handle{h}, nil
			}
		case kind == forgetBefore:
			if it.StepIndex < n {
				named = append(named, h)
			}
		case it.Deleted:
		case named == nil:
			named = append(named, h)
			if kind == forgetOldest {
				return named, nil
			}
		case it.Importance < l.kept.At(named[0]).Importance:
			named[0] = h
		}
	}
	if kind == forgetPosition {
		return nil, &PositionError{Position: n, Size: l.len()}
	}
	return named, nil
}

// forget forgets items, given oldest first, and returns those that it makes a
// difference to, as they were before.
func (l *itemList) forget(named []slab.Handle, mode ForgetMode) []Item {
	if mode != ForgetHard {
		named = slices.DeleteFunc(named, func(h slab.Handle) bool { return l.kept.At(h).Deleted })
	}
	forgotten := l.copies(named)
	for _, h := range named {
		if mode == ForgetHard {
			l.remove(h)
		} else {
			l.kept.At(h).Deleted = true
		}
	}
	return forgotten
}
