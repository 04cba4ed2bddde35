package recall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Dataset is a set of conversations with questions about them, as read from a file.
type Dataset struct {
	// Name appears in reports.
	Name          string         `json:"name"`
	Conversations []Conversation `json:"conversations"`
}

// Conversation is a history that is searched for itself. Its questions are asked of its
// own records only.
type Conversation struct {
	ID        string     `json:"id"`
	Records   []Said     `json:"records"`
	Questions []Question `json:"questions"`
}

// Said is something that was said, or a note about it.
type Said struct {
	// ID is unique in the conversation.
	ID   string `json:"id"`
	Text string `json:"text"`
	// Session names the part of the conversation that it belongs to.
	Session string    `json:"session"`
	Date    time.Time `json:"date"`
	// Covers lists the evidence that the record holds. A record that covers nothing but
	// itself, or lists nothing, is a turn of the conversation, and stored as a message; any
	// other is a note about turns.
	Covers []string `json:"covers"`
	// Plain and Speaker are the text without the name of who speaks, and the name. They
	// are for programs other than this.
	Plain   string `json:"plain"`
	Speaker string `json:"speaker"`
}

// Question is a question about a conversation.
type Question struct {
	Text     string `json:"text"`
	Category string `json:"category"`
	// Evidence lists what a record must cover to answer the question. Questions without
	// evidence, and those of category Adversarial, are not asked: nothing answers them.
	Evidence []string `json:"evidence"`
	// Answer is for programs that judge answers.
	Answer any `json:"answer"`
}

// Adversarial is the category of questions about things that were never said.
const Adversarial = "adversarial"

// ReadDataset reads a Dataset from JSON and rejects what cannot be measured: no conversations,
// ids that are empty or repeat, missing dates, questions without a text or a category.
func ReadDataset(r io.Reader) (*Dataset, error) {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	var d Dataset
	if err := dec.Decode(&d); err != nil {
		return nil, fmt.Errorf("recall: dataset: %w", err)
	}
	if len(d.Conversations) == 0 {
		return nil, errors.New("recall: dataset: no conversations")
	}
	for i := range d.Conversations {
		if err := d.Conversations[i].check(); err != nil {
			return nil, fmt.Errorf("recall: conversation %q: %w", d.Conversations[i].ID, err)
		}
	}
	return &d, nil
}

func (c *Conversation) check() error {
	ids := map[string]bool{}
	for i := range c.Records {
		r := &c.Records[i]
		switch {
		case r.ID == "" || ids[r.ID]:
			return fmt.Errorf("record %d: id %q is empty or repeated", i+1, r.ID)
		case r.Date.IsZero():
			return fmt.Errorf("record %q: no date", r.ID)
		}
		ids[r.ID] = true
		if len(r.Covers) == 0 {
			r.Covers = []string{r.ID}
		}
	}
	for i := range c.Questions {
		q := &c.Questions[i]
		if q.Text == "" || q.Category == "" {
			return fmt.Errorf("question %d: no text or no category", i+1)
		}
	}
	return nil
}

// isTurn reports whether the record is a turn of the conversation itself.
func (s *Said) isTurn() bool { return len(s.Covers) == 1 && s.Covers[0] == s.ID }

// record returns the memory of what was said.
func (s *Said) record() longterm.Record {
	r := longterm.Record{ID: s.ID, SessionID: s.Session, Text: s.Text, CreatedAt: s.Date, Type: session.RecordSemantic}
	if s.isTurn() {
		r.Type = session.RecordMessage
	}
	return r
}

// Asked reports whether the question is measured.
func (q *Question) Asked() bool { return len(q.Evidence) > 0 && q.Category != Adversarial }

// Measure asks all questions of each conversation in each mode, in the process and with the
// defaults of longterm.Query, and then in each of the baselines.
func (d *Dataset) Measure(ctx context.Context) ([]Report, error) {
	var all []*reporter
	for _, mode := range modes {
		all = append(all, newReporter(mode.name))
	}
	for _, b := range baselines {
		all = append(all, newReporter(b.name))
	}
	for i := range d.Conversations {
		if err := d.Conversations[i].measure(ctx, all); err != nil {
			return nil, fmt.Errorf("recall: conversation %q: %w", d.Conversations[i].ID, err)
		}
	}
	reports := make([]Report, len(all))
	for i, r := range all {
		reports[i] = r.done()
	}
	return reports, nil
}

// searchFunc returns the ids that a question finds, best first.
type searchFunc func(ctx context.Context, question string) ([]string, error)

func (c *Conversation) measure(ctx context.Context, reporters []*reporter) (err error) {
	records, covers := c.memories()
	memory, err := remember(ctx, memindex.New(nil), records)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, memory.Close(ctx)) }()
	var searches []searchFunc
	for _, mode := range modes {
		searches = append(searches, func(ctx context.Context, question string) ([]string, error) {
			return ask(ctx, memory, longterm.Everyone(), longterm.Query{Text: question, Mode: mode.mode})
		})
	}
	for _, b := range baselines {
		search, close, err := b.open(ctx, records)
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		defer func() { err = errors.Join(err, close()) }()
		searches = append(searches, search)
	}
	for i := range c.Questions {
		q := &c.Questions[i]
		if !q.Asked() {
			continue
		}
		for i, search := range searches {
			hits, err := search(ctx, q.Text)
			if err != nil {
				return fmt.Errorf("%s: %q: %w", reporters[i].report.Search, q.Text, err)
			}
			reporters[i].add(q.Text, q.Category, hits, q.Evidence, func(id string) []string { return covers[id] })
		}
	}
	return nil
}

// memories returns the records of a conversation, and what each covers.
func (c *Conversation) memories() (records []longterm.Record, covers map[string][]string) {
	covers = map[string][]string{}
	for i := range c.Records {
		records = append(records, c.Records[i].record())
		covers[c.Records[i].ID] = c.Records[i].Covers
	}
	return records, covers
}
