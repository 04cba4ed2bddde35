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

// The limits of an answer. What exceeds them is left out: a message that provokes long answers
// must not prevent the extraction of its session.
const (
	// maxAnswerBytes limits an answer: 1 MiB.
	maxAnswerBytes = 1 << 20
	// maxBraces limits the opening braces in the prose around the JSON.
	maxBraces = 64
	// maxFound limits the memories of an answer.
	maxFound = 50
	// maxFoundBytes limits the text of a memory: 32 KiB.
	maxFoundBytes = 32 << 10
	// maxFoundTags limits the topics of a memory, and its entities.
	maxFoundTags = 20
	// maxTagBytes limits a topic or entity.
	maxTagBytes = 256
)

// errCut is returned if an answer ends before its JSON does.
var errCut = fmt.Errorf("%w: cut off", ErrAnswer)

// found is a memory in an answer. Other fields, such as ids and owners, are not read.
type found struct {
	Type      driver.RecordType `json:"type"`
	Text      string            `json:"text"`
	Topics    []string          `json:"topics"`
	Entities  []string          `json:"entities"`
	EventDate string            `json:"event_date"`
}

// readAnswer reads the memories of the last object in an answer that has memories. Anything may
// surround it, such as reasoning or a code fence. Errors: ErrAnswer, if no object has memories or
// it does not have the requested form; errCut.
func readAnswer(answer string) ([]driver.Record, error) {
	if len(answer) > maxAnswerBytes {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrAnswer, maxAnswerBytes)
	}
	object, err := objectOf(answer)
	if err != nil {
		return nil, err
	}
	var read struct {
		Memories []found `json:"memories"`
	}
	if err := json.Unmarshal(object, &read); err != nil {
		return nil, fmt.Errorf("%w: not in the requested form", ErrAnswer)
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

// objectOf returns the last object of an answer that has a list of memories.
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
		return nil, fmt.Errorf("%w: no memories", ErrAnswer)
	}
	return object, nil
}

func hasMemories(object jsontext.Value) bool {
	var has struct {
		Memories jsontext.Value `json:"memories"`
	}
	return json.Unmarshal(object, &has) == nil && has.Memories.Kind() == '['
}

// record converts a memory to a record.
func (f *found) record() (driver.Record, error) {
	r := driver.Record{Type: f.Type, Text: strings.TrimSpace(f.Text), EventDate: eventDate(f.EventDate)}
	switch r.Type {
	case "", driver.RecordSemantic, driver.RecordEpisodic:
	default:
		return r, fmt.Errorf("%w: unknown memory type", ErrAnswer)
	}
	r.Topics, r.Entities = tags(f.Topics), tags(f.Entities)
	return r, nil
}

// tags returns names as topics or entities: on one line, short, each once, and without commas,
// which clients use as separators.
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

// eventDate parses a time as models write it. It returns the zero time for anything else: the
// text describes the event anyway.
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
