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

// Kept are the identifiers that go behind a summary.
type Kept struct {
	IDs  []string // that which was mentioned last comes last
	Lost int      // how many had no room
}

// Keep chooses which identifiers go behind a summary: those that stood
// behind the previous one, ids of entities that stand in the texts that leave (the
// previous summary and messages), and whatever else in these looks like an identifier
// (plaintext.Identifiers), but for those that the summary has. They get limit tokens.
// What was not mentioned for longest is left out first, but ids of entities last of all.
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

// mentioned returns the previous identifiers and those of texts, each once, in the
// order in which they were last mentioned.
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

// withinTokens returns those that have room, in their order.
func withinTokens(ids []string, known finder, limit int, counter memory.TokenCounter) []string {
	first := make([]int, 0, len(ids)) // who has room before whom
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
