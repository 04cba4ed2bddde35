package document

import (
	"bytes"
	"html"
	"strings"
)

// isHTML recognizes pages and fragments of HTML, whose markup describes appearance,
// not meaning.
func isHTML(text []byte) bool {
	tag := strings.ToLower(string(text[:min(len(text), 16)]))
	if strings.HasPrefix(tag, "<!doctype html") {
		return true
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(tag, "<"), ">")
	name, _, _ = strings.Cut(name, " ")
	switch name {
	case "html", "head", "body", "div", "p", "span":
		return tag[0] == '<'
	}
	return false
}

// isXML reports whether a text begins with an XML declaration or with an element that
// is closed.
func isXML(text []byte) bool {
	if bytes.HasPrefix(text, []byte("<?xml")) || bytes.HasPrefix(text, []byte("<!DOCTYPE")) || bytes.HasPrefix(text, []byte("<!--")) {
		return true
	}
	name := text[1:]
	n := bytes.IndexAny(name[:min(len(name), 256)], " \t\r\n/>")
	if n <= 0 || !isLetter(name[0]) && name[0] != '_' {
		return false
	}
	head := firstLine(text)
	end := append([]byte("</"), name[:n]...)
	return bytes.Contains(text, end) || bytes.HasSuffix(bytes.TrimSpace(head), []byte("/>")) ||
		bytes.Contains(text, []byte("</")) && bytes.IndexByte(head, '>') > 0 // cut off
}

// stripTags returns the text of HTML without tags, scripts and styles. It is crude,
// because the text is only searched for ids.
func stripTags(text []byte) []byte {
	out := make([]byte, 0, len(text)/2)
	lower := asciiLower(text)
	for len(text) > 0 {
		open := bytes.IndexByte(text, '<')
		if open < 0 {
			out = append(out, text...)
			break
		}
		out = append(append(out, text[:open]...), ' ')
		text, lower = text[open:], lower[open:]
		end := bytes.IndexByte(text, '>')
		for _, name := range []string{"script", "style"} {
			if bytes.HasPrefix(lower[1:], []byte(name)) {
				end = endOf(lower, "</"+name)
			}
		}
		if end < 0 {
			break
		}
		text, lower = text[end+1:], lower[end+1:]
	}
	return []byte(html.UnescapeString(string(bytes.TrimSpace(out))))
}

// asciiLower returns a copy of text with its ASCII letters in lower case.
func asciiLower(text []byte) []byte {
	lower := bytes.Clone(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return lower
}

// endOf returns the end of the next closing tag that begins with mark, or -1.
func endOf(text []byte, mark string) int {
	at := bytes.Index(text, []byte(mark))
	if at < 0 {
		return -1
	}
	end := bytes.IndexByte(text[at:], '>')
	if end < 0 {
		return -1
	}
	return at + end
}
