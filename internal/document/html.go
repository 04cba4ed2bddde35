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
	for len(text) > 0 {
		open := bytes.IndexByte(text, '<')
		if open < 0 {
			out = append(out, text...)
			break
		}
		out = append(append(out, text[:open]...), ' ')
		text = text[open:]
		end := bytes.IndexByte(text, '>')
		for _, name := range []string{"script", "style"} {
			if len(text) > len(name) && bytes.EqualFold(text[1:1+len(name)], []byte(name)) {
				end = endOf(text, "</"+name)
			}
		}
		if end < 0 {
			break
		}
		text = text[end+1:]
	}
	return []byte(html.UnescapeString(string(bytes.TrimSpace(out))))
}

// endOf returns the end of the next closing tag that begins with mark, or -1.
func endOf(text []byte, mark string) int {
	at := bytes.Index(text, []byte(mark))
	if at < 0 {
		at = bytes.Index(text, []byte(strings.ToUpper(mark)))
	}
	if at < 0 {
		return -1
	}
	end := bytes.IndexByte(text[at:], '>')
	if end < 0 {
		return -1
	}
	return at + end
}
