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
			return &floor{ids: newest{tokens: tokens, counter: counter}, shell: newest{tokens: tokens, counter: counter}}
		},
	}
}

// floor is a bare list of identifiers, and one of shell references.
type floor struct{ ids, shell newest }

// Block implements Memory.
func (m *floor) Block() string { return m.ids.block }

// Record implements Memory.
func (m *floor) Record(_ context.Context, _ int, call *Step) error {
	args, result := call.identifiers()
	slices.Reverse(result)
	m.ids.add(append(args, result...))
	var tokens []string
	shellTokens(call.ResultText(), func(t string, _ shellKind) { tokens = append(tokens, t) })
	m.shell.add(tokens)
	return nil
}

// newest is a list of values, each once, the newest first, cut at a number of tokens.
type newest struct {
	tokens  int
	counter prompt.TokenCounter
	ids     []string       // oldest first, with repetitions
	last    map[string]int // by id: its last index in ids
	block   string
}

// add adds values, the newest last.
func (m *newest) add(ids []string) {
	if m.last == nil {
		m.last = map[string]int{}
	}
	for _, id := range ids {
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
}
