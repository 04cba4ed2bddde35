package evaluation

import (
	"io"
	"iter"

	"github.com/go-workingmemory/workingmemory/internal/jsonlines"
)

// Episodes reads traces, an episode a line, one at a time. Blank lines are
// skipped. A line that cannot be used, also one longer than jsonlines.MaxBytes,
// gives a *TraceError in its place, and reading goes on behind it; an error of
// the reader ends it.
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
