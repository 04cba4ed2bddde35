package document

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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

// stripTags returns the text of HTML without tags, scripts and styles.
func stripTags(text []byte) []byte {
	out := make([]byte, 0, len(text)/2)
	tokens := html.NewTokenizer(bytes.NewReader(text))
	skipped := false
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return bytes.TrimSpace(out)
		case html.TextToken:
			if !skipped {
				out = append(out, tokens.Text()...)
			}
		case html.StartTagToken:
			name, _ := tokens.TagName()
			tag := atom.Lookup(name)
			skipped = tag == atom.Script || tag == atom.Style
			out = append(out, ' ')
		default:
			skipped = false
			out = append(out, ' ')
		}
	}
}
