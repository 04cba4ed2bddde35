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

// ForgetMode determines whether Forget hides or removes items.
type ForgetMode uint8

const (
	// ForgetSoft hides items. They can be restored, count towards the limits, and are
	// evicted first. It is the zero value.
	ForgetSoft ForgetMode = iota
	// ForgetHard removes items.
	ForgetHard
)

// String returns "hard" for ForgetHard and "soft" for all other modes, which are treated
// as ForgetSoft.
func (m ForgetMode) String() string {
	if m == ForgetHard {
		return "hard"
	}
	return "soft"
}

// InstructionError is returned for an unknown instruction to forget. It does not contain
// the instruction.
type InstructionError struct {
	// Understood are the forms of valid instructions.
	Understood []string
}

// Error implements error.
func (e *InstructionError) Error() string {
	return "items: unknown instruction; valid are: " + strings.Join(e.Understood, ", ")
}

// PositionError is returned when a store has no item at a position.
type PositionError struct {
	// Position is the requested position, at most math.MaxInt. Size is the number of
	// items.
	Position, Size int
}

// Error implements error.
func (e *PositionError) Error() string {
	return fmt.Sprintf("items: position %d is out of range of %d items", e.Position, e.Size)
}

// Forgotten is the result of Forget.
type Forgotten struct {
	// Items are the forgotten items as they were before, oldest first.
	Items []Item
	// Size and Tokens are the number of items and tokens in the store afterwards.
	Size, Tokens int
}

// Forget forgets the items that an instruction names. Upper and lower case are
// equivalent. The instructions are:
//
//   - "oldest": the item at the first position
//   - "least important": the item of the lowest importance, the oldest of several
//   - "position:N": the item at position N, from 0
//   - "before:step_N": the items of steps below N
//
// The first two skip items that were forgotten softly. The others include them, so that
// ForgetHard removes them. It is not an error if an instruction other than "position:N"
// names no items. If Forget fails, nothing is changed. Errors: *InstructionError,
// *PositionError.
func (s *Store) Forget(ctx context.Context, instruction string, mode ForgetMode) (Forgotten, error) {
	op := s.begin(ctx, opForget)
	kind, n, err := parseInstruction(instruction)
	op.addDetail("mode", mode.String())
	op.addDetail("instruction", string(kind))
	var f Forgotten
	if err == nil {
		f, err = s.forget(op.now, mode, func(l *itemList) ([]slab.Handle, error) { return l.resolve(kind, n) })
	}
	op.record.Items, op.record.Tokens = len(f.Items), tokensOf(f.Items)
	op.end(err)
	return f, err
}

// ForgetItem forgets the item with an id. If it fails, nothing is changed. Errors:
// *memory.NotFoundError.
func (s *Store) ForgetItem(ctx context.Context, id string, mode ForgetMode) (Forgotten, error) {
	op := s.begin(ctx, opForget)
	op.addDetail("mode", mode.String())
	op.addDetail("instruction", "id")
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

// instructionKind is an instruction without its number.
type instructionKind string

const (
	forgetOldest         instructionKind = "oldest"
	forgetLeastImportant instructionKind = "least important"
	forgetPosition       instructionKind = "position:"
	forgetBefore         instructionKind = "before:step_"
)

// parseInstruction returns the kind of an instruction and its number, clamped to
// math.MaxInt. Errors: *InstructionError.
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
		if err != nil { // out of range, since there are only digits
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

// resolve returns the items that an instruction names, oldest first. Errors:
// *PositionError.
func (l *itemList) resolve(kind instructionKind, n int) ([]slab.Handle, error) {
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

// forget forgets items, given oldest first, and returns those that changed, as they were
// before.
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
