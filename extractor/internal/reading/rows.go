package reading

import "github.com/go-workingmemory/workingmemory/extractor/internal/prose"

// rows reads what a command lists without a header: a line for each thing, which has its
// identifier in one column.
func (r *Reader) rows(text []byte) {
	prose.ReadRows(text, prose.Topic{Noun: r.call.Tool.Noun, Lists: true, Signal: r.signal}, r.addMention)
}
