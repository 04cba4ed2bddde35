package main

import (
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// counted counts episodes as they pass and reports each count.
func counted(episodes iter.Seq2[*evaluation.Episode, error], tell func(int), n *int) iter.Seq2[*evaluation.Episode, error] {
	return func(yield func(*evaluation.Episode, error) bool) {
		for ep, err := range episodes {
			if err == nil {
				*n++
				tell(*n)
			}
			if !yield(ep, err) {
				return
			}
		}
	}
}

// progressStep is the number of episodes between reports.
const progressStep = 100

// progressTo returns a function that reports progress if w is a terminal or
// --progress is set.
func (f *evalFlags) progressTo(w io.Writer, traces string) func(episodes int) {
	if !f.progress && !isTerminal(w) {
		return func(int) {}
	}
	return func(episodes int) {
		if episodes%progressStep == 0 {
			fmt.Fprintf(w, "%s: %d episodes\n", printable(traces), episodes)
		}
	}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
