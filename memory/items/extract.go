package items

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

// extraction is a summary made of what passages say. First comes room for the
// identifiers of all of them, then for as much of their texts as fits, both in the
// order of weight. Whether a choice fits is only known by counting the whole:
// what a counter says of the parts need not add up.
type extraction struct {
	limit    int
	counter  memory.TokenCounter
	passages []passage // oldest first, as they stand in the summary
	pieces   []piece   // of all passages
	// texts and ids are what to take, the weightiest first.
	texts, ids []choice

	owned map[string]bool // identifiers of passages that were weighed
	shown map[string]int  // how many chosen sentences have an identifier
}

// passage is a text that a line of the summary is made of.
type passage struct {
	label     string
	sentences []int // in pieces
	ids       []int // in pieces
}

// piece is a sentence or an identifier, and whether the summary has it.
type piece struct {
	text   string
	ids    []string // of a sentence
	chosen bool
}

// choice is pieces to be taken together.
type choice []int

// add adds a passage, the newest so far.
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

// weigh says that a passage is the weightiest of those not weighed yet.
// Identifiers that several have belong to the weightiest.
func (x *extraction) weigh(passage int) {
	p := &x.passages[passage]
	x.texts = append(x.texts, p.sentences)
	for _, sentence := range p.sentences {
		for _, id := range x.pieces[sentence].ids {
			x.claimIdentifier(passage, id)
		}
	}
}

// claimIdentifier has a passage keep an identifier, unless another one does.
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

// summary makes the summary, and says how many tokens it has and which passages it
// is of.
func (x *extraction) summary() (text string, tokens int, of []int) {
	x.shown = map[string]int{}
	x.addChoices(x.ids)
	x.addChoices(x.texts)
	text, of = x.render()
	return text, x.counter.CountTokens(text), of
}

const (
	// tryAtOnce is up to how many choices are first tried all together.
	tryAtOnce = 1000
	// maxMisses is after how many choices that do not fit no more are tried.
	maxMisses = 16
)

// addChoices takes what fits, as many choices at once as it can. Of a choice that does
// not fit it takes some pieces.
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

// singles are the pieces of a choice one by one, none if it has only one.
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

// try takes some choices if they fit.
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

// render writes the summary as it is now, and says which passages it is of.
func (x *extraction) render() (text string, of []int) {
	var b strings.Builder
	for i := range x.passages {
		line := x.line(&x.passages[i])
		if line == "" {
			continue
		}
		if len(of) > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(x.passages[i].label)
		b.WriteString(line)
		of = append(of, i)
	}
	return b.String(), of
}

// line is what the summary has of a passage: "sentence sentence (id, id)". It
// names only identifiers that no sentence has.
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
