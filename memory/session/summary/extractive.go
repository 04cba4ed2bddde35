package summary

import (
	"context"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/tokens"
)

// Extractive is a Summarizer that needs no model: its summary consists of excerpts. Each
// message has a line, "role: …", oldest first, with its opening and as much of the rest as
// fits. If not all openings fit, the newest are kept. Long texts, such as results of tools,
// are truncated. The same messages give the same summary. The zero value is ready for use.
//
// It does not prefer sentences with identifiers: the Manager appends those to the summary.
type Extractive struct {
	// Counter counts tokens. If nil, they are estimated, as prompt.Estimator documents.
	Counter memory.TokenCounter
}

var _ Summarizer = Extractive{}

const (
	// openingRunes is the minimum length of an opening, as "Sure!" alone has no content.
	openingRunes = 40
	// sentenceRunes is the maximum length of a sentence. JSON is one sentence.
	sentenceRunes = 160
)

// SummarizeMessages implements Summarizer. The lines of the previous summary count as the
// oldest texts. The summary has at most MaxTokens. It is empty only if all texts are blank
// or not even a letter fits. The error is nil.
func (s Extractive) SummarizeMessages(_ context.Context, r Request) (string, error) {
	var x extract
	for line := range strings.Lines(r.Previous) {
		x.add(line)
	}
	for _, text := range r.Messages {
		x.add(spoken(text))
	}
	counter := s.Counter
	if counter == nil {
		counter = plaintext.Estimator{}
	}
	if summary := x.within(r.MaxTokens, counter); summary != "" {
		return summary, nil
	}
	// No opening fits: a part of a sentence is better than nothing.
	return tokens.Cut(x.last, r.MaxTokens, counter), nil
}

// spoken returns a message as a line of the summary: the role and the content or, without
// content, the calls. It returns "" for an empty message.
func spoken(text string) string {
	role, said, found := strings.Cut(text, ": ")
	if !found {
		return text
	}
	if said = strings.TrimSpace(said); said == "" {
		return ""
	}
	return role + ": " + said
}

// extract is a summary of openings and further sentences.
type extract struct {
	lines [][2]string // opening and rest, oldest first
	last  string      // the whole last sentence
}

// add adds a text, the newest so far.
func (x *extract) add(text string) {
	var opening, rest strings.Builder
	for sentence := range plaintext.Sentences(text) {
		x.last = sentence
		sentence, cut := plaintext.CutWords(strings.Join(strings.Fields(sentence), " "), sentenceRunes)
		switch {
		case sentence == "": // no end of a sentence
			continue
		case cut:
			sentence += plaintext.CutMark
		}
		part := &opening
		if utf8.RuneCountInString(opening.String()) >= openingRunes {
			part = &rest
		}
		if part.Len() > 0 {
			part.WriteByte(' ')
		}
		part.WriteString(sentence)
	}
	if opening.Len() > 0 {
		x.lines = append(x.lines, [2]string{opening.String(), rest.String()})
	}
}

// within returns the summary of as many openings, and then rests, as fit.
func (x *extract) within(limit int, counter memory.TokenCounter) string {
	fits := func(n int) bool { return counter.CountTokens(x.render(n)) <= limit }
	n := sort.Search(2*len(x.lines), func(n int) bool { return !fits(n + 1) })
	for n > 0 && !fits(n) { // counts of parts need not add up
		n -= 1 + n/8
	}
	return x.render(n)
}

// render returns n parts: the openings of the newest lines, then their rests.
func (x *extract) render(n int) string {
	openings := min(n, len(x.lines))
	first, firstWhole := len(x.lines)-openings, 2*len(x.lines)-max(n, len(x.lines))
	var b strings.Builder
	for i := first; i < len(x.lines); i++ {
		if i > first {
			b.WriteByte('\n')
		}
		b.WriteString(x.lines[i][0])
		if rest := x.lines[i][1]; i >= firstWhole && rest != "" {
			b.WriteByte(' ')
			b.WriteString(rest)
		}
	}
	return b.String()
}
