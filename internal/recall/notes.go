package recall

import (
	"context"
	"errors"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// Notes has the figures of longterm.Memory.Recall under a rule.
type Notes struct {
	Rule string `json:"rule"`
	// Recall is the share of a question's evidence that is among its notes, and PerQuestion the number
	// of notes, both as means over the questions that a conversation answers.
	Recall      float64 `json:"recall"`
	PerQuestion float64 `json:"notes_per_question"`
	// Unanswerable is the number of questions about another conversation, and Misled the share of
	// them that bring at least one note.
	Unanswerable int     `json:"unanswerable"`
	Misled       float64 `json:"misled"`
}

// rules are the measured options of Recall, in this order.
var rules = []struct {
	name string
	opts longterm.RecallOptions
}{
	{"one word, or any distance up to 0.8", longterm.RecallOptions{MinWords: -1, MaxDistance: new(longterm.DefaultRecallDistance)}},
	{"one word", longterm.RecallOptions{MinWords: -1, MaxDistance: new(0.0)}},
	{"more than a third of the words", longterm.RecallOptions{MaxDistance: new(0.0)}},
	{"default", longterm.RecallOptions{}},
}

// MeasureNotes asks each conversation its own questions, and every third of the next one.
func (d *Dataset) MeasureNotes(ctx context.Context) ([]Notes, error) {
	all := make([]Notes, len(rules))
	answerable := 0
	for i := range d.Conversations {
		c := &d.Conversations[i]
		answered, err := c.addNotes(ctx, d.Conversations[(i+1)%len(d.Conversations)].Questions, all)
		if err != nil {
			return nil, err
		}
		answerable += answered
	}
	for i := range all {
		n := &all[i]
		n.Rule = rules[i].name
		n.Recall /= float64(max(answerable, 1))
		n.PerQuestion /= float64(max(answerable, 1))
		n.Misled /= float64(max(n.Unanswerable, 1))
	}
	return all, nil
}

// addNotes adds the sums of a conversation and returns the number of its questions.
func (c *Conversation) addNotes(ctx context.Context, others []Question, sums []Notes) (answerable int, err error) {
	records, covers := c.memories()
	memory, err := remember(ctx, memindex.New(nil), records)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, memory.Close(ctx)) }()
	notes := func(i int, question string) (ids []string, err error) {
		opts := rules[i].opts
		opts.NoTouch, opts.Filter.Type = true, &longterm.TextCondition{} // messages too
		items, err := memory.Recall(ctx, longterm.Everyone(), question, &opts)
		for _, item := range items {
			ids = append(ids, item.ID)
		}
		return ids, err
	}
	for n := range c.Questions {
		q := &c.Questions[n]
		if !q.Asked() {
			continue
		}
		answerable++
		for i := range sums {
			ids, err := notes(i, q.Text)
			if err != nil {
				return 0, err
			}
			var f Figures
			f.add(ids, q.Evidence, func(id string) []string { return covers[id] })
			sums[i].Recall += f.Recall5
			sums[i].PerQuestion += float64(len(ids))
		}
	}
	for n := 0; n < len(others); n += 3 {
		for i := range sums {
			ids, err := notes(i, others[n].Text)
			if err != nil {
				return 0, err
			}
			sums[i].Unanswerable++
			if len(ids) > 0 {
				sums[i].Misled++
			}
		}
	}
	return answerable, nil
}
