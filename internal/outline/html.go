package outline

import (
	"bytes"
	"errors"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isHTML reports whether a text begins as a page or a fragment of HTML does.
func isHTML(body []byte) bool {
	if len(body) == 0 || body[0] != '<' {
		return false
	}
	head := bytes.ToLower(body[:min(len(body), sampleBytes)])
	if bytes.HasPrefix(head, []byte("<!--")) {
		_, rest, _ := bytes.Cut(head, []byte("-->"))
		head = bytes.TrimSpace(rest)
	}
	if bytes.HasPrefix(head, []byte("<!doctype html")) {
		return true
	}
	tag := head[:min(len(head), 16)]
	if end := bytes.IndexAny(tag, " >\r\n"); end > 0 {
		switch atom.Lookup(tag[1:end]) {
		case atom.Html, atom.Head, atom.Body, atom.Div, atom.P, atom.Span, atom.Table, atom.Tr, atom.Main, atom.Section, atom.Article, atom.Ul, atom.Ol, atom.H1, atom.H2:
			return true
		}
	}
	return false
}

// page is the outline of a page of HTML.
type page struct {
	elements tally
	title    []byte
	headings list
	heading  []byte    // text of the open one
	open     atom.Atom // the open heading, or the title
}

// htmlOutline returns the title, the number of elements by name, and the headings.
func htmlOutline(text []byte) string {
	const window = 1 << 20 // a longer token is read in parts
	p := page{headings: list{noun: "heading"}}
	for len(text) > 0 {
		tokens := html.NewTokenizer(bytes.NewReader(text))
		tokens.SetMaxBuf(window)
		read := 0
		for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
			read += len(tokens.Raw())
			p.token(tokens, kind)
		}
		if !errors.Is(tokens.Err(), html.ErrBufferExceeded) {
			break
		}
		text = text[min(len(text), read+window):]
	}
	var lines []string
	if title := bytes.TrimSpace(p.title); len(title) > 0 {
		lines = append(lines, "title: "+quote(title))
	}
	if len(p.elements.names) > 0 {
		lines = append(lines, "elements: "+p.elements.top(12, func(name string) string { return name }))
	}
	return p.headings.under(lines...)
}

func (p *page) token(tokens *html.Tokenizer, kind html.TokenType) {
	switch kind {
	case html.TextToken:
		const enough = 1 << 10
		if text := tokens.Text(); p.open == atom.Title && len(p.title) < enough {
			p.title = append(p.title, text[:min(len(text), enough)]...)
		} else if p.open != 0 && len(p.heading) < enough {
			p.heading = append(p.heading, text[:min(len(text), enough)]...)
		}
	case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
		name, _ := tokens.TagName()
		tag := atom.Lookup(name)
		if kind != html.EndTagToken {
			p.count(name, tag)
		}
		level := 0
		if len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6' {
			level = int(name[1] - '0')
		}
		switch {
		case kind == html.StartTagToken && (level > 0 || tag == atom.Title && len(p.title) == 0):
			p.open, p.heading = tag, p.heading[:0]
		case kind == html.EndTagToken && tag == p.open:
			p.open = 0
			if heading := bytes.Join(bytes.Fields(p.heading), []byte(" ")); level > 0 && len(heading) > 0 {
				p.headings.add(func() string { return string(name) + " " + quote(heading) })
			}
		}
	}
}

// count counts an element of HTML; others, which may have any name, are counted together.
func (p *page) count(name []byte, tag atom.Atom) {
	if tag == 0 {
		p.elements.others++
		return
	}
	p.elements.add(name)
}
