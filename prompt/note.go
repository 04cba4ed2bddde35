package prompt

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory/items"
)

const (
	// notesTitle is the line above the notes. It differs from headers of groups, which
	// end in a colon.
	notesTitle = "[NOTES]"
	// noteSeparator separates the type of a note from its text.
	noteSeparator = ": "
)

// note is an item as the block shows it.
type note struct {
	typ      string
	text     string // not escaped
	cut      bool   // the text is cut
	position int
	tokens   int // of its line, 0 before it is counted
	hidden   bool
}

// readNotes adds the first n items that can be shown.
func (d *draft) readNotes(items []items.Item, n, runes int) {
	d.notes, d.byPosition = d.notes[:0], d.byPosition[:0]
	for i := range items {
		if len(d.notes) == n {
			break
		}
		if shown, ok := noteOf(&items[i], runes); ok {
			d.byPosition = append(d.byPosition, int32(len(d.notes)))
			d.notes = append(d.notes, shown)
		}
	}
	slices.SortStableFunc(d.byPosition, func(a, b int32) int {
		return cmp.Compare(d.notes[a].position, d.notes[b].position)
	})
}

// noteOf returns the note of an item, and false for an item that cannot be shown or is
// deleted.
func noteOf(item *items.Item, runes int) (note, bool) {
	typ := cmp.Or(item.Type, items.TypeCustom)
	if item.Deleted || !validType(string(typ)) {
		return note{}, false
	}
	text, cut := plaintext.CutWords(item.Text, runes)
	return note{typ: string(typ), text: text, cut: cut, position: item.Position}, text != ""
}

// hideNotes hides all notes.
func (d *draft) hideNotes() {
	for i := range d.notes {
		d.notes[i].hidden = true
	}
}

// hideLastNote hides the least important note that is shown, and reports whether there
// was one.
func (d *draft) hideLastNote() bool {
	for i := range slices.Backward(d.notes) {
		if n := &d.notes[i]; !n.hidden {
			n.hidden = true
			return true
		}
	}
	return false
}

// appendNotes appends the notes to a block that begins at start, preceded by the title if
// it has no entities.
func (d *draft) appendNotes(dst []byte, start int) []byte {
	first := true
	for _, i := range d.byPosition {
		n := &d.notes[i]
		if n.hidden {
			continue
		}
		if first && len(dst) == start {
			dst = append(dst, Title...)
		}
		if first {
			dst = append(dst, "\n"+notesTitle...)
			first = false
		}
		dst = n.appendLine(dst)
	}
	return dst
}

// appendLine appends the line of a note, and the line break before it.
func (n *note) appendLine(dst []byte) []byte {
	dst = append(dst, "\n"+entityPrefix...)
	dst = appendNoteType(dst, n.typ)
	dst = append(dst, noteSeparator...)
	mark := ""
	if n.cut {
		mark = plaintext.CutMark
	}
	return appendQuoted(dst, n.text, mark)
}

// appendNoteType appends a type, in quotes unless it is plain.
func appendNoteType(dst []byte, typ string) []byte {
	if isPlain(typ) {
		return append(dst, typ...)
	}
	return appendQuoted(dst, typ, "")
}

// cutNote reads a note: type: "text".
func cutNote(line string) (typ, text, reason string) {
	typ, quoted, ok := cutNoteType(line)
	if !ok {
		return "", "", "its type is not written as a type"
	}
	escaped, rest, ok := cutQuoted(quoted)
	if !ok || rest != "" {
		return "", "", "its text is not in quotes"
	}
	if text, ok = inert.Unescape(escaped, inert.InQuotes); !ok || text == "" {
		return "", "", "its text is not written as a text"
	}
	return typ, text, ""
}

// cutNoteType reads the type that a note begins with, and what follows it.
func cutNoteType(line string) (typ, rest string, ok bool) {
	escaped, rest, quoted := cutQuoted(line)
	if !quoted {
		typ, rest, ok = strings.Cut(line, noteSeparator)
		return strings.Clone(typ), rest, ok && validType(typ) && isPlain(typ)
	}
	rest, separated := strings.CutPrefix(rest, noteSeparator)
	typ, ok = inert.Unescape(escaped, inert.InQuotes)
	return typ, rest, separated && ok && validType(typ) && !isPlain(typ)
}

// splitNotes returns the part of a block before the notes, and the lines of the notes.
// Equal notes have equal lines.
func splitNotes(block string) (entities string, notes []string) {
	entities, lines, ok := strings.Cut(block, "\n"+notesTitle+"\n")
	if ok {
		notes = strings.Split(lines, "\n")
	}
	return entities, notes
}

// appendNewNotes appends the lines of notes that were not shown, under their title.
func appendNewNotes(dst, lines []string, shown map[string]bool) []string {
	title := notesTitle // until a line is kept
	for _, line := range lines {
		if shown[line] {
			continue
		}
		if title != "" {
			dst = append(dst, title)
			title = ""
		}
		dst = append(dst, line)
	}
	return dst
}
