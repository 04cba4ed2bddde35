package evaluation

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// LastCalls returns the baseline that keeps the last n tool calls as text, with
// arguments and result; n = 0 keeps all.
func LastCalls(n int) Method {
	name, setting := fmt.Sprintf("last %d raw tool calls", n), strconv.Itoa(n)
	switch n {
	case 0:
		name, setting = "whole history", "all"
	case 1:
		name = "last raw tool call"
	}
	return Method{Baseline: true, Family: FamilyRaw, Setting: setting, Name: name, Text: true, New: func() Memory { return &lastCalls{n: n} }}
}

type lastCalls struct {
	n     int
	calls []rawCall
}

// rawCall is a call as text, with its size once computed.
type rawCall struct {
	text          string
	ids           []string
	chars, tokens int
}

// Block implements Memory.
func (m *lastCalls) Block() string {
	var b strings.Builder
	for i := range m.calls {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(m.calls[i].text)
	}
	return b.String()
}

// Record implements Memory.
func (m *lastCalls) Record(_ context.Context, _ int, call *Step) error {
	args, result := call.identifiers()
	m.calls = append(m.calls, rawCall{text: string(call.Args) + "\n" + call.ResultText(), ids: append(args, result...)})
	if m.n > 0 && len(m.calls) > m.n {
		m.calls = m.calls[1:]
	}
	return nil
}

// ids implements lister.
func (m *lastCalls) ids() iter.Seq[string] {
	all := make(map[string]struct{})
	for i := range m.calls {
		for _, id := range m.calls[i].ids {
			all[id] = struct{}{}
		}
	}
	return maps.Keys(all)
}

// identifiers returns the identifier-like values of a call's arguments and of its
// result, in order.
func (s *Step) identifiers() (args, result []string) {
	within := func(v *value) (ids []string) {
		for s := range v.scalars() {
			if s.isReference() {
				ids = append(ids, s.text)
			}
		}
		return ids
	}
	args = within(s.arguments())
	data := s.data()
	if !data.isData() {
		textIDs(data.text, func(_, id string) { result = append(result, id) })
		return args, result
	}
	result = within(data)
	walkKeys(data, nil, func(_ place, key string, _ *value) {
		if isIdentifier(key) {
			result = append(result, key)
		}
	})
	return args, result
}

// size adds the sizes of the calls, each counted once.
func (m *lastCalls) size(counter prompt.TokenCounter) (chars, tokens int) {
	for i := range m.calls {
		c := &m.calls[i]
		if c.chars == 0 {
			c.chars, c.tokens = utf8.RuneCountInString(c.text), counter.CountTokens(c.text)
		}
		chars += c.chars
		tokens += c.tokens
	}
	return chars + max(len(m.calls)-1, 0), tokens
}

// mentions reports whether an identifier occurs in a text as a separate word.
func mentions(text, id string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], id)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(id)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !inWord(before) && !inWord(after) {
			return true
		}
		from = start + 1
	}
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) && r != utf8.RuneError || unicode.IsDigit(r)
}
