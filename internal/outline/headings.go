package outline

import (
	"bytes"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// heading returns the text of a heading of Markdown and its level, or 0.
func heading(text []byte) (title []byte, level int) {
	for level < len(text) && text[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || level == len(text) || text[level] != ' ' {
		return nil, 0
	}
	return bytes.TrimRight(bytes.TrimSpace(text[level:]), " #"), level
}

// isMarkdown reports whether a text has at least two headings of Markdown.
func isMarkdown(sample []byte) bool {
	n, fenced := 0, false
	for l := range lines(sample) {
		fenced = fenced != isFence(l.text)
		if _, level := heading(l.text); level > 0 && !fenced {
			n++
		}
	}
	return n > 1
}

func isFence(text []byte) bool {
	text = bytes.TrimLeft(text, " ")
	return bytes.HasPrefix(text, []byte("```")) || bytes.HasPrefix(text, []byte("~~~"))
}

// isMostlyTable reports whether most lines of a text are rows of a table.
func isMostlyTable(sample []byte) bool {
	n, rows := 0, 0
	for l := range lines(sample) {
		if len(bytes.TrimSpace(l.text)) > 0 {
			n++
			if bytes.ContainsAny(l.text, "|│┃") {
				rows++
			}
		}
	}
	return 2*rows > n
}

// textOutline returns the headings of a text with their lines, and the number of words and
// paragraphs.
func textOutline(text []byte) (format, structure string) {
	format = "text"
	found := list{noun: "heading"}
	var before line // the previous line, if it may be a heading
	paragraphs, blocks, rows := 0, 0, 0
	blank, fenced, markdown := true, false, false
	for l := range lines(text) {
		empty := len(bytes.TrimSpace(l.text)) == 0
		if blank && !empty {
			paragraphs++
		}
		if isFence(l.text) {
			if fenced = !fenced; fenced {
				blocks++
			}
		}
		if before.n > 0 && isPlainHeading(before.text, l.text, empty) && !fenced {
			at := before
			found.add(func() string { return "line " + number(at.n) + ": " + quote(bytes.TrimSpace(at.text)) })
		}
		before = line{}
		if title, level := heading(l.text); level > 0 && !fenced && !l.part {
			markdown = true
			found.add(func() string {
				return "line " + number(l.n) + ": " + "######"[:level] + " " + quote(title)
			})
		} else if !l.part && !empty && blank && !fenced && len(l.text) < 160 {
			before = l
		}
		if len(l.text) > 0 && l.text[0] == '|' {
			rows++
		}
		blank = empty
	}
	if markdown {
		format = "Markdown"
	}
	summary := count(paragraphs, "paragraph") + ", " + count(wordsIn(text), "word")
	if blocks > 0 {
		summary += ", " + count(blocks, "code block")
	}
	if rows > 0 {
		summary += ", " + count(rows, "table line")
	}
	return format, found.under(summary)
}

// wordsIn counts the words between white space.
func wordsIn(text []byte) (n int) {
	inside := false
	for _, c := range text {
		space := c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
		if !space && !inside {
			n++
		}
		inside = !space
	}
	return n
}

// isPlainHeading reports whether the first line of a paragraph is a heading without a mark:
// underlined, or on its own and in capitals or numbered as a chapter.
func isPlainHeading(text, next []byte, alone bool) bool {
	text = bytes.TrimSpace(text)
	if under := bytes.TrimSpace(next); len(under) > 2 && (under[0] == '=' || under[0] == '-') && len(bytes.Trim(under, string(under[:1]))) == 0 {
		return bytes.IndexFunc(text, unicode.IsLetter) >= 0
	}
	return alone && (isCapitals(text) || chapter.Match(text))
}

var chapter = regexp.MustCompile(`^(?i:chapter|section|part|appendix|article)\s+[0-9IVXA-Z]+\b|^\d{1,2}(?:\.\d{1,2}){0,3}\.?\s+\p{Lu}[^.!?]*$`)

// isCapitals reports whether a text is in capitals.
func isCapitals(text []byte) bool {
	letters := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if unicode.IsLower(r) || r == utf8.RuneError {
			return false
		}
		if unicode.IsUpper(r) {
			letters++
		}
		text = text[size:]
	}
	return letters > 3
}

// Forms of lines of source code: a declaration at the margin, the start of a line of code.
var (
	declaration = regexp.MustCompile(`^(?:(?:export|default|public|private|protected|static|async|abstract|final|pub(?:\(\w+\))?|unsafe|inline|virtual)\s+)*(?:func|function|def|class|interface|struct|enum|trait|impl|fn|type|module|namespace|record|CREATE (?:TABLE|VIEW|FUNCTION))\b\s*[\w(*<]`)
	statement   = regexp.MustCompile(`^(?:#!/|#include\b|package\s+\w|import\s+[\w{*"(]|from\s+[\w.]+\s+import\b|use\s+\w+::|using\s+\w|const\s+\w|let\s+\w|var\s+\w|return\b|if\s*\(|for\s*\(|//|/\*|@\w+|elif\s|else:|try:)`)
)

const codeWindow = 200 // bytes of a line that are looked at

// isCode reports whether a text is source code: two in five of its first lines have the form
// of code, and one declares or imports.
func isCode(body []byte) bool {
	const enough = 300
	n, code, declared := 0, 0, false
	for l := range lines(body) {
		text := bytes.TrimSpace(l.text)
		if l.part || len(text) == 0 {
			continue
		}
		head := text[:min(len(text), codeWindow)]
		opens := slices.Contains([]byte("{};"), text[len(text)-1]) || bytes.HasSuffix(text, []byte("):"))
		switch {
		case declaration.Match(head) && (opens || text[len(text)-1] == ':' || text[len(text)-1] == '('), bytes.HasPrefix(head, []byte("import ")), bytes.HasPrefix(head, []byte("#include")), bytes.HasPrefix(head, []byte("#!/")):
			declared = true
			code++
		case opens, statement.Match(head):
			code++
		}
		if n++; n == enough {
			break
		}
	}
	return n > 2 && declared && 5*code >= 2*n
}

// codeOutline returns the declarations at the margin with their lines.
func codeOutline(text []byte) string {
	found := list{noun: "declaration"}
	for l := range lines(text) {
		if head := l.text[:min(len(l.text), codeWindow)]; !l.part && declaration.Match(head) {
			found.add(func() string { return "line " + number(l.n) + ": " + quote(bytes.TrimRight(head, " {:;")) })
		}
	}
	return found.under(count(found.n, "declaration"))
}
