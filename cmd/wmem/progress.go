package main

import (
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// counted counts episodes as they go by, and tells of each.
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

// progressStep is how many episodes there are from one report to the next.
const progressStep = 100

// progressTo reports progress where somebody is there to see it, or asked for it.
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
