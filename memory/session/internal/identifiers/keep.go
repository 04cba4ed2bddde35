package identifiers

import (
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Kept holds the identifiers to append to a summary.
type Kept struct {
	IDs  []string // the one mentioned last comes last
	Lost int      // the number of those that did not fit
}

// Keep selects the identifiers to append to a summary: those appended to the previous one,
// ids of entities in the texts that leave (the previous summary and messages), and other
// parts of these that look like identifiers (plaintext.Identifiers), except for those that
// the summary mentions. If they exceed limit tokens, those mentioned longest ago are
// dropped, ids of entities last.
func Keep(previous, leaving []string, entities iter.Seq[string], summary string, limit int, counter memory.TokenCounter) Kept {
	known := newFinder(entities)
	ids := mentioned(previous, leaving, known)
	stated := map[string]bool{}
	for id := range newFinder(slices.Values(ids)).in(summary) {
		stated[id] = true
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return stated[id] })
	kept := withinTokens(ids, known, limit, counter)
	return Kept{IDs: kept, Lost: len(ids) - len(kept)}
}

// mentioned returns the previous identifiers and those of texts, each once, in the order of
// their last mention.
func mentioned(previous, texts []string, known finder) []string {
	var (
		all  []string
		last = map[string]int{}
	)
	mention := func(id string) {
		if id != "" && len(id) <= memory.MaxIDBytes && utf8.ValidString(id) {
			last[id] = len(all)
			all = append(all, id)
		}
	}
	for _, id := range previous {
		mention(id)
	}
	for _, text := range texts {
		for id := range plaintext.Identifiers(text) {
			mention(strings.TrimLeft(id, ":"))
		}
		for id := range known.in(text) {
			mention(id)
		}
	}
	ids := make([]string, 0, len(last))
	for i, id := range all {
		if last[id] == i {
			ids = append(ids, id)
		}
	}
	return ids
}

// withinTokens returns the identifiers that fit, in order.
func withinTokens(ids []string, known finder, limit int, counter memory.TokenCounter) []string {
	first := make([]int, 0, len(ids)) // in the order of preference
	for _, entity := range []bool{true, false} {
		for i, id := range slices.Backward(ids) {
			if known.ids[id] == entity {
				first = append(first, i)
			}
		}
	}
	having := func(n int) []string {
		kept := make([]string, 0, n)
		for _, i := range slices.Sorted(slices.Values(first[:n])) {
			kept = append(kept, ids[i])
		}
		return kept
	}
	n := sort.Search(len(ids), func(n int) bool {
		return counter.CountTokens(formatParagraph(having(n+1))) > limit
	})
	return having(n)
}
