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

// Extractive is a Summarizer that needs no model: its summary consists of what the
// messages themselves say. Each has a line, "role: …", oldest first: the opening of
// the message, and more of it where there is room. Where there is not room for all
// openings, the newest have it. What is longer than a few lines, as results of tools
// are, is cut. The same messages always give the same summary. The zero value is
// ready for use.
//
// It prefers no sentence for its identifiers: those have room of their own behind
// the summary.
type Extractive struct {
	// Counter counts tokens. nil means an estimate, as prompt.Estimator documents
	// it.
	Counter memory.TokenCounter
}

var _ Summarizer = Extractive{}

const (
	// openingRunes is the least length of an opening, if there is so much: "Sure!"
	// alone says nothing.
	openingRunes = 40
	// sentenceRunes is where a sentence is cut, or JSON, which is one.
	sentenceRunes = 160
)

// SummarizeMessages implements Summarizer. The lines of the previous summary are
// the oldest of the texts. The summary is never longer than MaxTokens. It is empty
// only if all texts are blank or not even a letter has room. The error is nil.
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
	// Not even an opening has room: a part of a sentence says more than nothing.
	return tokens.Cut(x.last, r.MaxTokens, counter), nil
}

// spoken is the text of a message as a line of the summary begins: the calls of one
// without content stand behind its role, and one that says nothing is "".
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

// extract is a summary that is made of the openings and the further sentences of
// texts.
type extract struct {
	lines [][2]string // opening and rest, oldest first
	last  string      // sentence, whole
}

// add adds a text, the newest so far.
func (x *extract) add(text string) {
	var opening, rest strings.Builder
	for sentence := range plaintext.Sentences(text) {
		x.last = sentence
		sentence, cut := plaintext.CutWords(strings.Join(strings.Fields(sentence), " "), sentenceRunes)
		switch {
		case sentence == "": // a word without end
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

// within is the summary of as many openings, and then rests, as have room.
func (x *extract) within(limit int, counter memory.TokenCounter) string {
	fits := func(n int) bool { return counter.CountTokens(x.render(n)) <= limit }
	n := sort.Search(2*len(x.lines), func(n int) bool { return !fits(n + 1) })
	for n > 0 && !fits(n) { // what a counter says of the parts need not add up
		n -= 1 + n/8
	}
	return x.render(n)
}

// render writes n parts: the openings of the newest lines, then the rests of these.
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
