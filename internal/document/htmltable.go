package document

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// HTMLTable reads the tables of HTML as one array of objects and ignores what is around
// them. The first row of a table holds the names.
func HTMLTable(text []byte, vis Visitor, lim Limits) Result {
	t, text := newTable(text, vis, lim)
	tokens := html.NewTokenizer(bytes.NewReader(text))
	var cells [][]byte
	var cell *[]byte // the open one
	names := true
	var link link
	for more := true; more; {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			more = false
		case html.TextToken:
			if cell != nil {
				*cell = append(*cell, tokens.Text()...)
			}
		case html.StartTagToken, html.EndTagToken:
			name, _ := tokens.TagName()
			start := kind == html.StartTagToken
			switch atom.Lookup(name) {
			case atom.Table:
				names = names || start
			case atom.Td, atom.Th:
				if cell = nil; start {
					cells = append(cells, nil)
					cell = &cells[len(cells)-1]
				}
			case atom.Tr:
				cell = nil
				switch {
				case start || len(cells) == 0:
				case names:
					t.begin(trimmed(cells))
					names = false
				default:
					more = t.row(trimmed(cells))
				}
				cells = cells[:0]
			case atom.A:
				if cell != nil {
					*cell = link.mark(*cell, tokens, kind)
				}
			case atom.Br, atom.P, atom.Div:
				if cell != nil {
					*cell = append(*cell, ' ')
				}
			}
		}
	}
	return t.result(FormatTable)
}

func trimmed(cells [][]byte) [][]byte {
	for i := range cells {
		cells[i] = bytes.TrimSpace(cells[i])
	}
	return cells
}

// isHTMLTable reports whether a text is a table of HTML, or rows of one.
func isHTMLTable(text []byte) bool {
	head := bytes.ToLower(text[:min(len(text), sniffBytes)])
	return bytes.HasPrefix(head, []byte("<table")) || bytes.HasPrefix(head, []byte("<tr")) ||
		IsHTML(text) && bytes.Contains(head, []byte("<th"))
}
