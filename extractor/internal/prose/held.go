package prose

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
)

// hold keeps a sure mention until its label is found on one of the next lines:
//
//  1. ID: 6
//     Subject: Course schedule
func (r *reader) hold(m Mention) {
	const lines = 8
	r.release()
	r.found++
	r.held, r.heldLines = m, lines
}

// release yields the held mention, if any.
func (r *reader) release() {
	if len(r.held.ID) > 0 {
		r.emit(r.held)
		r.held = Mention{}
	}
}

// keepHeld looks for the label of the held mention in a line, whose title is what it names
// its subject, and releases the mention once it has one or the paragraph ends.
func (r *reader) keepHeld(text, trimmed, title []byte) {
	switch {
	case len(title) > 0:
		r.held.Label, r.heldLines = title, 0
	case len(trimmed) == 0, len(trimBullet(trimmed)) < len(trimmed) && text[0] != ' ':
		r.heldLines = 0
	}
	if r.heldLines--; r.heldLines < 0 {
		r.release()
	}
}

// isSaid reports whether a line is what someone said at a time, "[10:01] ann: See
// you there", but no entry of a log.
func isSaid(line []byte) bool {
	const longest = 40
	when, rest, ok := bytes.Cut(bytes.TrimLeft(line[:min(len(line), window)], "["), []byte("] "))
	if !ok || line[0] != '[' || !shape.IsDateOrTime(when) {
		return false
	}
	name, _, ok := bytes.Cut(rest, []byte(": "))
	return ok && len(name) <= longest && !shape.IsUpperWord(name)
}

// isMailKey reports whether a line is one of those at the head of a mail.
func isMailKey(line []byte) bool {
	key, _, _ := bytes.Cut(line, []byte(": "))
	return vocabulary.MailKeys.HasBytes(bytes.ToLower(bytes.Trim(key, "*_")))
}
