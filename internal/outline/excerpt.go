package outline

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-workingmemory/workingmemory/internal/inert"
)

// Excerpt returns the first and the last lines of a text with their numbers, each in half of
// // maxBytes, and between them how many are left out. A line of more than 500 bytes is cut
// there, at a rune, with "…". Lines are escaped by [inert.Line]. The result is valid UTF-8 and
// has no final line break; it is empty if maxBytes is too small for any line.
func Excerpt(text string, maxBytes int) string {
	const note = 40 // bytes of the longest note, with its line break
	data := unsafe.Slice(unsafe.StringData(text), len(text))
	total := countLines(data)
	half := (maxBytes - note) / 2
	var head []string
	used := 0
	for l := range lines(data) {
		shown := numbered(l)
		if used += len(shown) + 1; used > half {
			break
		}
		head = append(head, shown)
	}
	var tail []string
	if len(head) < total {
		tail = lastLines(data, half, total, len(head))
	}
	if len(head)+len(tail) == 0 {
		return ""
	}
	if between := total - len(head) - len(tail); between > 0 {
		head = append(head, "… "+count(between, "line")+" between …")
	}
	return strings.Join(append(head, tail...), "\n")
}

// lastLines returns the last lines of a text with their numbers, in at most limit bytes,
// without the first skip lines.
func lastLines(text []byte, limit, total, skip int) (tail []string) {
	const shortest = len("1: \n")
	most := limit / shortest
	var last []line
	for l := range lines(text) {
		if l.n > max(skip, total-most) {
			last = append(last, l)
		}
	}
	for _, l := range slices.Backward(last) {
		shown := numbered(l)
		if limit -= len(shown) + 1; limit < 0 {
			break
		}
		tail = append(tail, shown)
	}
	slices.Reverse(tail)
	return tail
}

// numbered returns a line with its number, as package excerpt shows it.
func numbered(l line) string {
	const longest = 500
	text, cut, sign := l.text, "", ": "
	if len(text) > longest {
		end := longest
		for end > longest-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		text, cut = text[:end], "…"
	}
	if l.part {
		sign = "+ "
	}
	return strconv.Itoa(l.n) + sign + inert.Line(string(text)) + cut
}
