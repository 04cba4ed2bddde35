package document

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// IsHTML recognizes pages and fragments of HTML, whose markup describes appearance,
// not meaning.
func IsHTML(text []byte) bool {
	tag := strings.ToLower(string(text[:min(len(text), 16)]))
	if strings.HasPrefix(tag, "<!doctype html") {
		return true
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(tag, "<"), ">")
	name, _, _ = strings.Cut(name, " ")
	switch name {
	case "html", "head", "body", "div", "p", "span", "ul", "ol", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "a", "nav", "main", "hr", "br":
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
	return bytes.Contains(text, []byte("</")) || bytes.HasSuffix(bytes.TrimSpace(firstLine(text)), []byte("/>"))
}

// stripTags returns the text of HTML without tags, scripts and styles.
func stripTags(text []byte) []byte {
	w := htmlWriter{Tokenizer: html.NewTokenizer(bytes.NewReader(text))}
	for kind := w.next(); kind != html.ErrorToken; kind = w.next() {
	}
	return bytes.TrimSpace(w.out)
}

// htmlWriter writes the text of HTML, with links and the items of lists as in Markdown:
// "- [Soup](/recipes/81)".
type htmlWriter struct {
	*html.Tokenizer
	tag    atom.Atom // of the last token
	out    []byte
	url    []byte // of the open link
	hidden bool   // in a script or a style
}

// next reads and writes a token.
func (w *htmlWriter) next() html.TokenType {
	kind := w.Next()
	w.tag = 0
	switch kind {
	case html.TextToken:
		if !w.hidden {
			w.out = append(w.out, w.Text()...)
		}
	case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
		name, _ := w.TagName()
		isStart := kind == html.StartTagToken
		switch w.tag = atom.Lookup(name); {
		case w.tag == atom.Script || w.tag == atom.Style:
			w.hidden = isStart
		case w.tag == atom.A:
			w.link(isStart)
		case w.tag == atom.Li && isStart:
			w.out = append(w.out, "\n- "...)
		default:
			w.out = append(w.out, ' ')
		}
	}
	return kind
}

// link ends the open link, and begins another one.
func (w *htmlWriter) link(isStart bool) {
	if len(w.url) > 0 {
		w.out = append(append(append(w.out, "]("...), w.url...), ')')
	}
	w.url = nil
	for more := isStart; more; {
		var key, value []byte
		key, value, more = w.TagAttr()
		if string(key) == "href" && !bytes.ContainsAny(value, " ()") {
			w.url = bytes.Clone(value)
		}
	}
	if len(w.url) > 0 {
		w.out = append(w.out, '[')
	}
}
