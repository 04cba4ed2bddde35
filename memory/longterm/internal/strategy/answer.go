package strategy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// What is taken of an answer. What is beyond is left out: who can make a model answer
// so must not be able to keep a session from being extracted.
const (
	// maxAnswerBytes is how long an answer may be: 1 MiB.
	maxAnswerBytes = 1 << 20
	// maxBraces is how many braces of the prose around the JSON are looked behind.
	maxBraces = 64
	// maxFound is how many memories are taken of an answer.
	maxFound = 50
	// maxFoundBytes is how long the text of one may be: 32 KiB.
	maxFoundBytes = 32 << 10
	// maxFoundTags is how many topics one may have, and how many entities.
	maxFoundTags = 20
	// maxTagBytes is how long one of them may be.
	maxTagBytes = 256
)

// errCut says that an answer ends before its JSON does.
var errCut = fmt.Errorf("%w: it is cut off", ErrAnswer)

// found is a memory in an answer. Whatever else there is, such as ids and owners, is
// not read.
type found struct {
	Type      driver.RecordType `json:"type"`
	Text      string            `json:"text"`
	Topics    []string          `json:"topics"`
	Entities  []string          `json:"entities"`
	EventDate string            `json:"event_date"`
}

// readAnswer reads the memories of an answer: of the last object in it that has
// memories. There may be anything around it, such as what the model thought, or the
// fence of a block of code. Errors: ErrAnswer, if there is no such object, or if it is
// not of the form that was asked for; errCut.
func readAnswer(answer string) ([]driver.Record, error) {
	if len(answer) > maxAnswerBytes {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrAnswer, maxAnswerBytes)
	}
	object, err := objectOf(answer)
	if err != nil {
		return nil, err
	}
	var read struct {
		Memories []found `json:"memories"`
	}
	if err := json.Unmarshal(object, &read); err != nil {
		return nil, fmt.Errorf("%w: it is not of the form that was asked for", ErrAnswer)
	}
	var records []driver.Record
	for i := range read.Memories {
		r, err := read.Memories[i].record()
		if err != nil {
			return nil, err
		}
		if len(r.Text) <= maxFoundBytes && r.Text != "" {
			records = append(records, r)
		}
	}
	return records, nil
}

// objectOf is the last object of an answer that has a list of memories.
func objectOf(answer string) (object jsontext.Value, err error) {
	for range maxBraces {
		begin := strings.IndexByte(answer, '{')
		if begin < 0 {
			break
		}
		answer = answer[begin:]
		dec := jsontext.NewDecoder(bytes.NewBufferString(answer))
		value, err := dec.ReadValue()
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF) && object == nil:
			return nil, errCut
		case err != nil:
			answer = answer[1:]
			continue
		case hasMemories(value):
			object = value.Clone()
		}
		answer = answer[dec.InputOffset():]
	}
	if object == nil {
		return nil, fmt.Errorf("%w: it has no memories", ErrAnswer)
	}
	return object, nil
}

func hasMemories(object jsontext.Value) bool {
	var has struct {
		Memories jsontext.Value `json:"memories"`
	}
	return json.Unmarshal(object, &has) == nil && has.Memories.Kind() == '['
}

// record is a memory as a record.
func (f *found) record() (driver.Record, error) {
	r := driver.Record{Type: f.Type, Text: strings.TrimSpace(f.Text), EventDate: eventDate(f.EventDate)}
	switch r.Type {
	case "", driver.RecordSemantic, driver.RecordEpisodic:
	default:
		return r, fmt.Errorf("%w: a memory is of no type that was asked for", ErrAnswer)
	}
	r.Topics, r.Entities = tags(f.Topics), tags(f.Entities)
	return r, nil
}

// tags returns names as they can be topics and entities: in one line, short, without
// commas, which separate them where clients write them in one text, and each once.
func tags(names []string) []string {
	var clean []string
	seen := make(map[string]bool)
	for _, name := range names {
		name = strings.Join(strings.Fields(strings.ReplaceAll(name, ",", " ")), " ")
		if name == "" || len(name) > maxTagBytes || seen[name] || len(clean) == maxFoundTags {
			continue
		}
		seen[name] = true
		clean = append(clean, name)
	}
	return clean
}

// eventDate reads a time as models write it. What says no time is none: the text says
// what happened all the same.
func eventDate(text string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, time.DateOnly} {
		if at, err := time.Parse(layout, strings.TrimSpace(text)); err == nil {
			if at = at.UTC(); at.Year() >= 0 && at.Year() <= 9999 {
				return at
			}
		}
	}
	return time.Time{}
}
