package recall

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

var (
	//go:embed memories.jsonl
	embeddedMemories []byte
	//go:embed queries.jsonl
	embeddedQueries []byte
)

// Set is a labelled set of memories and questions.
type Set struct {
	Memories []longterm.Record
	Queries  []Query
}

// Query is a question with its answers.
type Query struct {
	Text string
	// Form is one of Forms.
	Form   string
	Scope  longterm.Scope
	Filter longterm.RecordFilter
	// Answers are the ids of the memories that answer the question, 1 to 5, in
	// any order.
	Answers []string
}

// maxAnswers is the largest number of answers of a question: they all may be among the first hits.
const maxAnswers = 5

// Forms are the forms of questions, in the order of reports: in the words of the
// memory; as a question; in other words; in inflected forms; in another word order;
// with typing mistakes; by an identifier; in, or about a memory in, a language other
// than English.
var Forms = []string{"direct", "question", "paraphrase", "inflected", "order", "typo", "identifier", "language"}

// Load returns the embedded set.
func Load() (*Set, error) {
	return Read(bytes.NewReader(embeddedMemories), bytes.NewReader(embeddedQueries))
}

// memoryLine and queryLine are lines of the files. Dates have the form 2025-12-31.
type memoryLine struct {
	ID        string
	Namespace string
	User      string
	Session   string
	Created   string
	Topics    []string
	Entities  []string
	Text      string
}

type queryLine struct {
	Form      string
	Namespace string
	User      *string // nil: the whole namespace
	Topic     *string
	After     string // created on or after this day
	Before    string // created before this day
	Text      string
	Answers   []string
}

// Read reads a set of JSON lines, one for each memory and one for each question. It
// rejects labels that cannot be right: answers that do not exist, are outside the
// scope, fail the filter, are repeated or too many, and repeated questions.
func Read(memories, queries io.Reader) (*Set, error) {
	var set Set
	byID := map[string]*longterm.Record{}
	err := readLines(memories, func(line memoryLine) error {
		r, err := line.record()
		if err == nil && byID[r.ID] != nil {
			err = errors.New("duplicate id")
		}
		if err != nil {
			return err
		}
		set.Memories = append(set.Memories, r)
		byID[r.ID] = &r
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("recall: memory %d: %w", len(set.Memories)+1, err)
	}
	asked := map[string]bool{}
	err = readLines(queries, func(line queryLine) error {
		q, err := line.query()
		if err == nil {
			err = q.check(byID)
		}
		id, _ := json.Marshal([]any{line.Namespace, line.User, line.Topic, line.After, line.Before, line.Text})
		if err == nil && asked[string(id)] {
			err = errors.New("duplicate question")
		}
		asked[string(id)] = true
		set.Queries = append(set.Queries, q)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("recall: question %d: %w", len(set.Queries), err)
	}
	return &set, nil
}

func readLines[T any](r io.Reader, add func(T) error) error {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	for {
		var line T
		err := dec.Decode(&line)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = add(line)
		}
		if err != nil {
			return err
		}
	}
}

func (l *memoryLine) record() (longterm.Record, error) {
	created, err := time.Parse(time.DateOnly, l.Created)
	if err != nil {
		return longterm.Record{}, err
	}
	r := longterm.Record{
		ID: l.ID, Namespace: l.Namespace, UserID: l.User, SessionID: l.Session, CreatedAt: created,
		Topics: l.Topics, Entities: l.Entities, Text: l.Text,
	}
	return r, driver.CheckRecord(&r)
}

func (l *queryLine) query() (Query, error) {
	q := Query{Text: l.Text, Form: l.Form, Scope: longterm.OfNamespace(l.Namespace), Answers: l.Answers}
	if l.User != nil {
		q.Scope = longterm.Of(l.Namespace, *l.User)
	}
	if l.Topic != nil {
		q.Filter.Topics = &longterm.TextCondition{Eq: l.Topic}
	}
	if l.After == "" && l.Before == "" {
		return q, nil
	}
	var created longterm.TimeCondition
	for text, bound := range map[*string]**time.Time{&l.After: &created.Gte, &l.Before: &created.Lt} {
		if *text == "" {
			continue
		}
		day, err := time.Parse(time.DateOnly, *text)
		if err != nil {
			return q, err
		}
		*bound = &day
	}
	q.Filter.CreatedAt = &created
	return q, nil
}

// check returns an error if the labels of a question are invalid.
func (q *Query) check(memories map[string]*longterm.Record) error {
	switch {
	case len(driver.QueryTerms(q.Text)) == 0:
		return errors.New("no words")
	case !slices.Contains(Forms, q.Form):
		return fmt.Errorf("unknown form %q", q.Form)
	case len(q.Answers) == 0 || len(q.Answers) > maxAnswers:
		return fmt.Errorf("%d answers, not 1 to %d", len(q.Answers), maxAnswers)
	}
	for i, id := range q.Answers {
		r := memories[id]
		switch {
		case r == nil:
			return fmt.Errorf("no memory %q", id)
		case !q.Scope.Holds(r.Namespace, r.UserID):
			return fmt.Errorf("memory %q is not in the scope", id)
		case !q.Filter.Matches(r):
			return fmt.Errorf("memory %q does not pass the filter", id)
		case slices.Contains(q.Answers[:i], id):
			return fmt.Errorf("duplicate answer %q", id)
		}
	}
	return nil
}
