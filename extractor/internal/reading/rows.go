package reading

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/record"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
)

// rows reads what a command lists without a header: a line for each thing, which begins
// with its identifier, "431  OPEN  Digest is late". It adds nothing unless most lines look
// like that.
func (r *Reader) rows(text []byte) {
	lines, rows := 0, 0
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		lines++
		if id, _ := splitRow(line); id != nil {
			rows++
		}
	}
	if rows == 0 || 3*rows < 2*lines {
		return
	}
	taken := 0
	for line := range bytes.Lines(text) {
		id, name := splitRow(bytes.TrimSpace(line))
		if id == nil || secret.Within(line) {
			continue
		}
		s := finding.Sighting{Type: r.call.Tool.Noun, Place: memory.PlaceText, Order: r.next(), ID: id, Name: record.NameText(name), Path: r.path(-1)}
		nameByItself(&s)
		if taken++; taken > r.limits.TopItems {
			s.Role = memory.RoleCandidate
		}
		why := r.addOr(&s, nil, record.Row)
		r.explainScalar(document.String, id, s.Type, why)
		if why == record.NoRoom {
			r.Cut = true
			break
		}
	}
}

// splitRow returns the identifier that a row begins with and the name behind it, if any. The
// identifier is nil if the line is no row.
func splitRow(line []byte) (id, name []byte) {
	for _, mark := range [...]string{"* ", "- ", "+ ", "● "} {
		line = bytes.TrimPrefix(line, []byte(mark))
	}
	line = bytes.TrimSpace(line)
	gap := bytes.IndexByte(line, '\t')
	if spaces := bytes.Index(line, []byte("  ")); gap < 0 || spaces >= 0 && spaces < gap {
		gap = spaces
	}
	id = line
	if gap >= 0 {
		id, name = line[:gap], bytes.TrimSpace(line[gap:])
		if end := bytes.IndexAny(name, "\t"); end > 0 {
			name = name[:end]
		} else if end := bytes.Index(name, []byte("  ")); end > 0 {
			name = name[:end]
		}
	}
	if len(id) < 2 || len(id) > 200 || bytes.ContainsAny(id, " \t,;:\"'{}()<>|=") && !shape.IsPath(id) || !record.HasLetter(id) && !shape.IsDigits(id) || id[len(id)-1] == ':' || shape.Of(id) == shape.NotID || bytes.IndexByte(id, ' ') >= 0 || !record.IsLine(id) {
		return nil, nil
	}
	if !record.HasLetter(name) || isUpperName(name) || shape.IsHandle(name) {
		name = nil
	}
	return id, name
}

// isUpperName reports whether a text is in capitals, as states are: OPEN.
func isUpperName(text []byte) bool { return bytes.Equal(text, bytes.ToUpper(text)) }
