package inspector

import (
	"slices"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// mark is what happened to a line of the block in a step.
type mark string

const (
	markSame  mark = ""
	markCame  mark = "came"
	markWent  mark = "went"
	markMoved mark = "moved"
	markNamed mark = "renamed"
)

// line is an entity in the block, or one that was in it before the step.
type line struct {
	typ, id, label string
	mark           mark
	before         string // the label before, of a renamed one
}

// compare returns the lines of a block in its order, marked against the block before. Those that
// went follow the lines of their type.
func compare(before, after string) (lines []line, notes []string) {
	old, _ := prompt.ParseContent(before) // blocks of a Renderer
	current, err := prompt.ParseContent(after)
	if err != nil {
		return nil, nil
	}
	was := make(map[memory.Ref]int, len(old.Entities))
	for i, e := range old.Entities {
		was[memory.Ref{Type: e.Type, ID: e.ID}] = i
	}
	is := make(map[memory.Ref]bool, len(current.Entities))
	var positions []int // before, of the lines that stayed
	for _, e := range current.Entities {
		ref := memory.Ref{Type: e.Type, ID: e.ID}
		is[ref] = true
		l := line{typ: e.Type, id: e.ID, label: e.Name}
		if i, there := was[ref]; !there {
			l.mark = markCame
		} else {
			positions = append(positions, i)
			if label := old.Entities[i].Name; label != e.Name {
				l.mark, l.before = markNamed, label
			}
		}
		lines = append(lines, l)
	}
	markMoves(lines, positions)
	for _, n := range current.Notes {
		notes = append(notes, n.Text)
	}
	return withGone(lines, old.Entities, is), notes
}

// markMoves marks the lines that are not in the longest part of the block whose order is as before.
func markMoves(lines []line, positions []int) {
	stays := longestRise(positions)
	n := 0
	for i := range lines {
		if lines[i].mark == markCame {
			continue
		}
		if lines[i].mark == markSame && !stays[n] {
			lines[i].mark = markMoved
		}
		n++
	}
}

// longestRise reports which numbers belong to a longest ascending part of a list of distinct numbers.
func longestRise(list []int) []bool {
	var ends []int // index of the least last number of the parts of each length
	previous := make([]int, len(list))
	for i, n := range list {
		length, _ := slices.BinarySearchFunc(ends, n, func(end, n int) int { return list[end] - n })
		previous[i] = -1
		if length > 0 {
			previous[i] = ends[length-1]
		}
		if length == len(ends) {
			ends = append(ends, i)
		} else {
			ends[length] = i
		}
	}
	in := make([]bool, len(list))
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = previous[i] {
			in[i] = true
		}
	}
	return in
}

// withGone adds the entities that are no longer in the block behind the lines of their type.
func withGone(lines []line, old []memory.Entity, is map[memory.Ref]bool) []line {
	for _, e := range old {
		if is[memory.Ref{Type: e.Type, ID: e.ID}] {
			continue
		}
		end := len(lines)
		for i, l := range slices.Backward(lines) {
			if l.typ == e.Type {
				end = i + 1
				break
			}
		}
		lines = slices.Insert(lines, end, line{typ: e.Type, id: e.ID, label: e.Name, mark: markWent})
	}
	return lines
}
