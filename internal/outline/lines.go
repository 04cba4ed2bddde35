package outline

import (
	"bytes"
	"iter"
	"unicode/utf8"
)

// maxLineBytes is the length of the longest line that counts as one, as in package excerpt.
const maxLineBytes = 4 << 10

// line is a line of a text, or a part of one that is too long.
type line struct {
	text []byte // without the line break
	n    int    // from 1
	part bool   // continues the one before
}

// lines yields the lines of a text.
func lines(text []byte) iter.Seq[line] {
	return func(yield func(line) bool) {
		l := line{}
		for more := false; len(text) > 0; l.part = more {
			end := bytes.IndexByte(text[:min(len(text), maxLineBytes+1)], '\n')
			next := end + 1
			if more = end < 0 && len(text) > maxLineBytes; more {
				for end = maxLineBytes; end > maxLineBytes-utf8.UTFMax+1 && !utf8.RuneStart(text[end]); {
					end--
				}
				next = end
			} else if end < 0 {
				end, next = len(text), len(text)
			}
			l.text = text[:end]
			if !more {
				l.text = bytes.TrimSuffix(l.text, []byte("\r"))
			}
			l.n++
			if !yield(l) {
				return
			}
			text = text[next:]
		}
	}
}

func countLines(text []byte) (n int) {
	for range lines(text) {
		n++
	}
	return n
}
