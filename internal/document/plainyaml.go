package document

import (
	"bytes"
	"regexp"
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
		held := block.holds(line)
		for _, form := range dropped {
			if m := form.FindSubmatch(body); m != nil && !held {
				quoted := bytes.ReplaceAll(m[2], []byte("'"), []byte("''"))
				line = slices.Concat(line[:indent], m[1], []byte("'"), quoted, []byte("'\n"))
				break
			}
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

// dropped are the forms of lines with a value that YAML drops or rejects: in a list or behind a key with a
// reserved first character, and behind a key with a colon before any comment.
var dropped = []*regexp.Regexp{
	regexp.MustCompile("^((?:- +)+|" + yamlKey + ")(#[\\w[:^ascii:]].*|[@`%].+|\\*\\*.*)$"),
	regexp.MustCompile("^(" + yamlKey + ")([^\"'{\\[#&*!@`%](?:[^ ]| +[^ #])*:(?: .*)?)$"),
}

// yamlKey matches a plain key.
const yamlKey = "(?:- +)*[^\"'{\\[#&*!|>%@` ](?:[^:]|:[^ ])*: +"
