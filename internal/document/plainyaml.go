package document

import (
	"bytes"
	"slices"
)

// quotePlain quotes plain values that tools print although YAML drops or rejects
// them: a word after a number sign, which would be a comment ("order: #W1"), a colon
// and space within a value ("title: Re: offer"), a reserved first character ("user:
// @ann").
func quotePlain(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/16)
	block := noBlock
	for line := range bytes.Lines(text) {
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		body := bytes.TrimRight(line[indent:], " \t\r\n")
		at, keyed := valueStart(body)
		if value := body[at:]; !block.holds(line) && at > 0 && needsQuotes(value, keyed) {
			quoted := bytes.ReplaceAll(value, []byte("'"), []byte("''"))
			line = slices.Concat(line[:indent+at], []byte("'"), quoted, []byte("'\n"))
		}
		out = append(out, line...)
	}
	return out
}

// blockScalar is the indent of the key, or item, of an open block scalar of YAML, or noBlock.
type blockScalar int

const noBlock blockScalar = -1

// holds reports whether the next line is in a block scalar: below "body: |" or "- >-", and indented.
func (b *blockScalar) holds(line []byte) bool {
	body := bytes.TrimSpace(line)
	indent := blockScalar(len(line) - len(bytes.TrimLeft(line, " ")))
	if len(body) > 0 && indent <= *b {
		*b = noBlock
	}
	if *b > noBlock {
		return true
	}
	switch head := bytes.TrimRight(body, "+-123456789"); {
	case bytes.HasSuffix(head, []byte(": |")), bytes.HasSuffix(head, []byte(": >")), string(head) == "- |", string(head) == "- >":
		*b = indent
	}
	return false
}

// valueStart returns the offset of the value in "key: value", "- value" and "- key:
// value", and whether there is a key. It returns 0 for other lines.
func valueStart(line []byte) (at int, keyed bool) {
	for bytes.HasPrefix(line[at:], []byte("- ")) {
		at += len(line[at:]) - len(bytes.TrimLeft(line[at+1:], " "))
	}
	if at < len(line) && bytes.IndexByte([]byte(`"'{[#&*!|>%@`+"`"), line[at]) >= 0 {
		return at, false
	}
	if i := bytes.Index(line[at:], []byte(": ")); i > 0 {
		rest := line[at+i+1:]
		return len(line) - len(bytes.TrimLeft(rest, " ")), true
	}
	return at, false
}

// needsQuotes reports whether YAML would drop or reject a plain value.
func needsQuotes(value []byte, keyed bool) bool {
	if len(value) < 2 {
		return false
	}
	switch value[0] {
	case '#':
		return isWord(value[1])
	case '@', '`', '%':
		return true
	case '*':
		return value[1] == '*'
	case '"', '\'', '{', '[', '&', '!':
		return false
	}
	text, _, _ := bytes.Cut(value, []byte(" #")) // the rest is a comment
	return keyed && (bytes.Contains(text, []byte(": ")) || bytes.HasSuffix(text, []byte(":")))
}
