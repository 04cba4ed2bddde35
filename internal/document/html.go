package document

import (
	"bytes"
	"regexp"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// htmlTag matches the beginning of pages and fragments of HTML.
var htmlTag = regexp.MustCompile(`(?i)^<(?:!doctype html|(?:html|head|body|div|p|span|ul|ol|dl|h[1-6]|a|nav|main|hr|br)[ >])`)

// IsHTML recognizes pages and fragments of HTML, whose markup describes appearance,
// not meaning.
func IsHTML(text []byte) bool { return htmlTag.Match(text) }

// htmlRow matches the beginning of tables and rows of HTML.
var htmlRow = regexp.MustCompile(`(?i)^<t(?:able|r)`)

// isHTMLTable reports whether a text is a table of HTML, or rows of one.
func isHTMLTable(text []byte) bool {
	return htmlRow.Match(text) || IsHTML(text) && bytes.Contains(bytes.ToLower(text[:min(len(text), sniffBytes)]), []byte("<th"))
}

// xmlTag matches the beginning of XML: a declaration or an element. It takes half a millisecond to compile.
var xmlTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^<(?:\?xml|!DOCTYPE|!--|([\pL_][^\s/>]{0,255}[\s/>]))`)
})

// isXML reports whether a text begins with an XML declaration or with an element that
// is closed.
func isXML(text []byte) bool {
	at := xmlTag().FindSubmatchIndex(text[:min(len(text), 512)])
	return at != nil && (at[2] < 0 || bytes.Contains(text, []byte("</")) || bytes.HasSuffix(bytes.TrimSpace(firstLine(text)), []byte("/>")))
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

	inTable bool // only breaks are spaces
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
		case !w.inTable || w.tag == atom.Br || w.tag == atom.P || w.tag == atom.Div:
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

// htmlRows yields the rows of the tables of HTML and ignores what is around them. The first row of a table
// holds the names.
func htmlRows(text []byte) rows {
	return func(yield func(cells [][]byte, kind rowKind) bool) {
		w := htmlWriter{Tokenizer: html.NewTokenizer(bytes.NewReader(text)), inTable: true}
		var cells [][]byte
		inCell, kind := false, header
		for token := w.next(); token != html.ErrorToken; token = w.next() {
			isStart := token == html.StartTagToken
			switch w.tag {
			case atom.Table:
				if isStart {
					kind = header
				}
			case atom.Td, atom.Th, atom.Tr:
				if inCell {
					cells = append(cells, bytes.Clone(bytes.TrimSpace(w.out)))
				}
				w.out = w.out[:0]
				if inCell = isStart && w.tag != atom.Tr; w.tag != atom.Tr || len(cells) == 0 {
					continue
				}
				if !yield(cells, kind) {
					return
				}
				cells, kind = cells[:0], full
			}
		}
	}
}
