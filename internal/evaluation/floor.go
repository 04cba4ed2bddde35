package evaluation

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// Floor returns the baseline without understanding: a bare list of every
// identifier-like value so far, newest first, cut at a number of tokens.
func Floor(tokens int, counter prompt.TokenCounter) Method {
	return Method{
		Baseline: true, Family: FamilyFloor, Setting: strconv.Itoa(tokens), Budget: tokens, Text: true,
		Name: fmt.Sprintf("bare list of ids, %d tokens", tokens),
		New: func() Memory {
			return &floor{tokens: tokens, counter: counter, last: map[string]int{}}
		},
	}
}

type floor struct {
	tokens  int
	counter prompt.TokenCounter
	ids     []string       // oldest first, with repetitions
	last    map[string]int // by id: its last index in ids
	block   string
}

// Block implements Memory.
func (m *floor) Block() string { return m.block }

// Record implements Memory.
func (m *floor) Record(_ context.Context, _ int, call *Step) error {
	args, result := call.identifiers()
	slices.Reverse(result)
	for _, id := range append(args, result...) {
		m.last[id] = len(m.ids)
		m.ids = append(m.ids, id)
	}
	var list strings.Builder
	list.WriteString("[WORKING MEMORY]\nids:")
	ends := []int{0} // of the list by its length; a line has at least 3 tokens
	for i := len(m.ids) - 1; i >= 0 && len(ends) <= m.tokens/3; i-- {
		if id := m.ids[i]; m.last[id] == i {
			list.WriteString("\n  - \"\" (" + id + ")")
			ends = append(ends, list.Len())
		}
	}
	fit := sort.Search(len(ends)-1, func(n int) bool { return m.counter.CountTokens(list.String()[:ends[n+1]]) > m.tokens })
	m.block = list.String()[:ends[fit]]
	return nil
}
