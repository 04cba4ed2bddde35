package strategy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Prompted asks a model for the memories in messages.
type Prompted struct {
	opts     *Options
	template *prompt.ExtractionTemplate
	// most limits the memories of an answer.
	most int
	// only is the type of all memories; if empty, the model chooses it.
	only driver.RecordType
}

// Extract asks for the memories of each part of the messages that the model can read at once.
// The memories of one part are known in the next.
func (s *Prompted) Extract(ctx context.Context, e driver.ExtractRequest) ([]driver.Record, error) {
	var records []driver.Record
	known := knownTexts(e.Known)
	for _, part := range s.parts(e.Messages) {
		found, err := s.askModel(ctx, part, known, e.Now, maxHalvings)
		if err != nil {
			return nil, err
		}
		for i := range found {
			known = append(known, found[i].Text)
		}
		records = append(records, found...)
	}
	return records, nil
}

// knownTexts returns the texts of memories, oldest first.
func knownTexts(memories []driver.Record) []string {
	var texts []string
	for i := range memories {
		if memories[i].Type != driver.RecordMessage && memories[i].ExtractionStrategy != Entities {
			texts = append(texts, memories[i].Text)
		}
	}
	return texts
}

// maxHalvings limits the halvings of a part: a sixteenth of the input is shorter than the
// longest answer.
const maxHalvings = 4

// askModel returns the memories of a part. If the answer is cut off because it exceeds the
// limit, askModel asks for each half separately.
func (s *Prompted) askModel(ctx context.Context, part []line, known []string, now time.Time, halvings int) ([]driver.Record, error) {
	asked := s.template.Format(prompt.ExtractionData{
		Messages: textsOf(part), Known: s.lastKnown(known), Now: now, MaxTokens: s.opts.AnswerTokens,
	})
	var answer string
	err := callee.Call(func() (err error) {
		answer, err = s.opts.Generate(ctx, asked, s.opts.AnswerTokens)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	found, err := readAnswer(answer)
	if errors.Is(err, errCut) && halvings > 0 {
		if first, second, ok := s.halves(part); ok {
			records, err := s.askModel(ctx, first, known, now, halvings-1)
			if err != nil {
				return nil, err
			}
			more, err := s.askModel(ctx, second, known, now, halvings-1)
			return append(records, more...), err
		}
	}
	if err != nil {
		return nil, err
	}
	if len(found) > s.most {
		s.opts.Logger.Warn("longterm: too many memories in an answer of the model", "memories", len(found), "taken", s.most)
		found = found[:s.most]
	}
	sources := sourcesOf(part)
	for i := range found {
		found[i].ExtractedFrom = slices.Clone(sources)
		if s.only != "" {
			found[i].Type = s.only
		}
	}
	return found, nil
}

// lastKnown returns the last texts that fit into an eighth of the input.
func (s *Prompted) lastKnown(known []string) []string {
	room := s.opts.InputTokens / 8
	for i, text := range slices.Backward(known) {
		if room -= s.opts.Counter.CountTokens(text) + 2; room < 0 {
			return known[i+1:]
		}
	}
	return known
}

// halves divides a part in two. It reports false if the part is too short.
func (s *Prompted) halves(part []line) (first, second []line, ok bool) {
	if len(part) > 1 {
		return part[:len(part)/2], part[len(part)/2:], true
	}
	const short = 100 // tokens
	whole, count := part[0], s.opts.Counter.CountTokens
	if whole.tokens < short {
		return nil, nil, false
	}
	texts := plaintext.SplitTokens(whole.text, (whole.tokens+1)/2, count)
	lines := make([]line, len(texts))
	for i, text := range texts {
		if i > 0 {
			text = "… " + text
		}
		lines[i] = line{text: text, source: whole.source, tokens: count(text)}
	}
	return lines[:1], lines[1:], len(lines) > 1
}
