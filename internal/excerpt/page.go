package excerpt

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

// page is the excerpt that is being written: the items from an offset on, as many as have
// room.
type page struct {
	maxBytes      int
	room          int // bytes for items
	offset, limit int // limit is 0 for the default
	out           []byte
	seen, shown   int
	full          bool
	note          []byte
}

func newPage(req Request, maxBytes int) *page {
	maxBytes = max(maxBytes, 0)
	return &page{maxBytes: maxBytes, room: maxBytes - min(1<<10, maxBytes/2), offset: max(req.Offset, 1), limit: req.Limit}
}

// byDefault sets the limit if the request has none.
func (p *page) byDefault(limit int) {
	if p.limit == 0 {
		p.limit = limit
	}
}

// next counts an item and reports whether it belongs to the page.
func (p *page) next() bool {
	p.seen++
	return p.seen >= p.offset && p.shown < p.limit && !p.full
}

// end ends the item that was written since a position. An item without room is left to the
// next page, unless it is the first: then it is cut.
func (p *page) end(start int) {
	if !utf8.Valid(p.out[start:]) {
		p.out = append(p.out[:start], bytes.ToValidUTF8(p.out[start:], []byte("\uFFFD"))...)
	}
	p.out = append(p.out, '\n')
	switch {
	case len(p.out) <= p.room:
		p.shown++
	case p.shown > 0:
		p.out, p.full = p.out[:start], true
	default:
		const mark = "…\n"
		p.out = append(cutRunes(p.out, max(0, p.room-len(mark))), mark...)
		p.shown, p.full = 1, true
	}
}

// finish notes which of the items of a value are on the page, of which those up to the last
// can be read. It fails if the offset is after all.
func (p *page) finish(items, of string, last int) error {
	if p.shown == 0 && (p.offset > 1 || p.seen > 0) {
		return &RequestError{Field: "offset", Reason: fmt.Sprintf("%d is after the last: there are %s", p.offset, count(p.seen, items))}
	}
	if p.shown == 0 {
		p.tell("no %s%s", items, of)
		return nil
	}
	end := p.offset + p.shown - 1
	p.tell("%s %s–%s of %s%s", items, thousands(p.offset), thousands(end), thousands(p.seen), of)
	if end < last {
		p.tell("; continue with offset %d", end+1)
	}
	return nil
}

// tell adds to the note.
func (p *page) tell(format string, args ...any) { p.note = fmt.Appendf(p.note, format, args...) }

// text returns the page with its note.
func (p *page) text() string {
	note := cutRunes(p.note, max(0, p.maxBytes-len(p.out)-len("[…]")))
	cut := len(note) < len(p.note)
	p.out = append(append(p.out, '['), note...)
	if cut {
		p.out = append(p.out, "…"...)
	}
	return string(cutRunes(append(p.out, ']'), p.maxBytes))
}

// cutRunes returns the runes of a valid text that have room in n bytes.
func cutRunes(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// count returns a number of things: "1,204 elements", "1 element".
func count(n int, things string) string {
	if n == 1 {
		return "1 " + english.Singular(things)
	}
	return thousands(n) + " " + things
}

// thousands formats a number of 0 or more as in 10,532.
func thousands[N int | int64](n N) string {
	text := strconv.FormatInt(int64(n), 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
