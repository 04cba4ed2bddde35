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

// stripTags returns the text of HTML without tags, scripts and styles, with links and the items
// of lists as in Markdown: "- [Soup](/recipes/81)".
func stripTags(text []byte) []byte {
	tokens := html.NewTokenizer(bytes.NewReader(text))
	out := make([]byte, 0, len(text)/2)
	var link link
	hidden := false
	for {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			return bytes.TrimSpace(out)
		case html.TextToken:
			if !hidden {
				out = append(out, tokens.Text()...)
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			switch tag := atom.Lookup(name); {
			case tag == atom.Script || tag == atom.Style:
				hidden = kind == html.StartTagToken
			case tag == atom.A:
				out = link.mark(out, tokens, kind)
			case tag == atom.Li && kind == html.StartTagToken:
				out = append(out, "\n- "...)
			default:
				out = append(out, ' ')
			}
		}
	}
}

// link is a link of HTML that is open.
type link struct{ url []byte }

// mark appends what Markdown has in place of the start or the end of a link.
func (l *link) mark(out []byte, tokens *html.Tokenizer, kind html.TokenType) []byte {
	if len(l.url) > 0 {
		out = append(append(append(out, "]("...), l.url...), ')')
	}
	l.url = nil
	for more := kind == html.StartTagToken; more; {
		var key, value []byte
		key, value, more = tokens.TagAttr()
		if string(key) == "href" && !bytes.ContainsAny(value, " ()") {
			l.url = bytes.Clone(value)
		}
	}
	if len(l.url) > 0 {
		out = append(out, '[')
	}
	return out
}
