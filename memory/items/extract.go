package items

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// extraction is a summary extracted from passages. It gives room first to the
// identifiers of all passages, then to as much of the texts as fits, both by weight.
// Token counts of parts need not add up, so it counts the whole summary to decide
// whether a choice fits.
type extraction struct {
	limit    int
	counter  memory.TokenCounter
	passages []passage // in the order of the summary, oldest first
	pieces   []piece   // of all passages
	// texts and ids are the choices, heaviest first.
	texts, ids []choice

	owned map[string]bool // identifiers of passages that have been weighed
	shown map[string]int  // number of chosen sentences by identifier
}

// passage is a text that becomes a line of the summary.
type passage struct {
	label     string
	sentences []int // in pieces
	ids       []int // in pieces
}

// piece is a sentence or an identifier.
type piece struct {
	text   string
	ids    []string // of a sentence
	chosen bool     // whether the summary has it
}

// choice is a list of pieces that are chosen together.
type choice []int

// add adds a passage, newer than all others.
func (x *extraction) add(label, text string) {
	p := passage{label: label}
	for sentence := range plaintext.Sentences(text) {
		var ids []string
		for id := range plaintext.Identifiers(sentence) {
			ids = append(ids, id)
		}
		p.sentences = append(p.sentences, x.piece(strings.Join(strings.Fields(sentence), " "), ids))
	}
	x.passages = append(x.passages, p)
}

func (x *extraction) piece(text string, ids []string) int {
	x.pieces = append(x.pieces, piece{text: text, ids: ids})
	return len(x.pieces) - 1
}

// weigh must be called for the passages in descending order of weight. An identifier of
// several passages belongs to the heaviest.
func (x *extraction) weigh(passage int) {
	p := &x.passages[passage]
	x.texts = append(x.texts, p.sentences)
	for _, sentence := range p.sentences {
		for _, id := range x.pieces[sentence].ids {
			x.claimIdentifier(passage, id)
		}
	}
}

// claimIdentifier assigns an identifier to a passage unless it belongs to another.
func (x *extraction) claimIdentifier(passage int, id string) {
	if x.owned[id] {
		return
	}
	if x.owned == nil {
		x.owned = map[string]bool{}
	}
	x.owned[id] = true
	at := x.piece(id, nil)
	x.passages[passage].ids = append(x.passages[passage].ids, at)
	x.ids = append(x.ids, choice{at})
}

// summary returns the summary, its tokens, and the indexes of the passages in it.
func (x *extraction) summary() (text string, tokens int, sources []int) {
	x.shown = map[string]int{}
	x.addChoices(x.ids)
	x.addChoices(x.texts)
	text, sources = x.render()
	return text, x.counter.CountTokens(text), sources
}

const (
	// tryAtOnce is the largest number of choices that are first tried all together.
	tryAtOnce = 1000
	// maxMisses is the number of choices that do not fit after which it gives up.
	maxMisses = 16
)

// addChoices adds the choices that fit, as many at once as possible, and single pieces
// of those that do not.
func (x *extraction) addChoices(choices []choice) {
	step := 1
	if len(choices) <= tryAtOnce {
		step = max(1, len(choices))
	}
	for misses := 0; len(choices) > 0 && misses < maxMisses; {
		step = min(step, len(choices))
		if x.try(choices[:step]) {
			choices = choices[step:]
			step *= 2
			continue
		}
		if step > 1 {
			step /= 2
			continue
		}
		misses++
		x.addChoices(singles(choices[0]))
		choices = choices[1:]
	}
}

// singles splits a choice into its pieces. It returns nil if there is only one.
func singles(c choice) []choice {
	if len(c) < 2 {
		return nil
	}
	cs := make([]choice, len(c))
	for i := range c {
		cs[i] = c[i : i+1]
	}
	return cs
}

// try adds choices if they fit, and reports whether they do.
func (x *extraction) try(choices []choice) bool {
	x.choose(choices, true)
	text, _ := x.render()
	if x.counter.CountTokens(text) <= x.limit {
		return true
	}
	x.choose(choices, false)
	return false
}

func (x *extraction) choose(choices []choice, chosen bool) {
	by := 1
	if !chosen {
		by = -1
	}
	for _, c := range choices {
		for _, at := range c {
			x.pieces[at].chosen = chosen
			for _, id := range x.pieces[at].ids {
				x.shown[id] += by
			}
		}
	}
}

// render returns the current summary and the indexes of the passages in it.
func (x *extraction) render() (text string, sources []int) {
	var b strings.Builder
	for i := range x.passages {
		line := x.line(&x.passages[i])
		if line == "" {
			continue
		}
		if len(sources) > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(x.passages[i].label)
		b.WriteString(line)
		sources = append(sources, i)
	}
	return b.String(), sources
}

// line returns the line of a passage: "sentence sentence (id, id)". It lists only
// identifiers that no chosen sentence has.
func (x *extraction) line(p *passage) string {
	var sentences, ids []string
	for _, at := range p.sentences {
		if x.pieces[at].chosen {
			sentences = append(sentences, x.pieces[at].text)
		}
	}
	for _, at := range p.ids {
		if id := &x.pieces[at]; id.chosen && x.shown[id.text] == 0 {
			ids = append(ids, id.text)
		}
	}
	line, rest := strings.Join(sentences, " "), strings.Join(ids, ", ")
	if line == "" || rest == "" {
		return line + rest
	}
	return line + " (" + rest + ")"
}
