package document

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// HTMLTable reads the tables of HTML as one array of objects and ignores what is around
// them. The first row of a table holds the names.
func HTMLTable(text []byte, vis Visitor, lim Limits) Result {
	return tableReader(FormatTable, htmlRows)(text, vis, lim)
}

// htmlRows yields the rows of the tables of HTML.
func htmlRows(text []byte) rows {
	return func(yield func(cells [][]byte, kind rowKind) bool) {
		w := htmlWriter{Tokenizer: html.NewTokenizer(bytes.NewReader(text))}
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
