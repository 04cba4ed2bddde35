package evaluation

import (
	"io"
	"iter"

	"github.com/go-workingmemory/workingmemory/internal/jsonlines"
)

// Episodes reads traces, one episode per line. Blank lines are skipped. An unusable
// line, such as one longer than jsonlines.MaxBytes, yields a *TraceError and reading
// continues; an error of the reader ends the sequence.
func Episodes(r io.Reader) iter.Seq2[*Episode, error] {
	return records(r, parseEpisode)
}

// records parses each line of a file.
func records[T any](r io.Reader, parse func(line string) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for line, err := range jsonlines.Read(r, 0) {
			var record T
			if err == nil {
				record, err = parse(line.Text)
			}
			if err != nil {
				err = &TraceError{Line: line.Number, Err: err}
			}
			if !yield(record, err) {
				return
			}
		}
	}
}
