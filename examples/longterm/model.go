package main

import (
	"context"
	"encoding/json"
	"regexp"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// model replaces a language model that extracts facts from messages. It understands two
// sentences; providers.NewLanguageModel adapts a real one.
type model struct{}

var _ longterm.LanguageModel = model{}

// fact is a memory in the form that the prompt requests.
type fact struct {
	Type      string   `json:"type"`
	Text      string   `json:"text"`
	Topics    []string `json:"topics,omitempty"`
	Entities  []string `json:"entities,omitempty"`
	EventDate string   `json:"event_date,omitempty"`
}

var (
	aisle  = regexp.MustCompile(`(?m)^"[^"]* user \((\w+)\): [^"]*always want an (\w+) seat`)
	flight = regexp.MustCompile(`(?m)^"(\w+, \S+) user \((\w+)\): [^"]*fly to (\w+) next Friday`)
)

// Generate returns the facts that it finds in the prompt.
func (model) Generate(_ context.Context, asked string, _ int) (string, error) {
	facts := []fact{}
	for _, words := range aisle.FindAllStringSubmatch(asked, -1) {
		facts = append(facts, fact{
			Type: "semantic", Text: words[1] + " always wants an " + words[2] + " seat.", Topics: []string{"travel", "seats"}, Entities: []string{words[1]},
		})
	}
	for _, words := range flight.FindAllStringSubmatch(asked, -1) {
		said, err := time.Parse(prompt.DateLayout, words[1])
		if err != nil {
			return "", err
		}
		friday := said.AddDate(0, 0, int(time.Friday-said.Weekday()+7)%7)
		facts = append(facts, fact{
			Type: "episodic", Text: words[2] + " flies to " + words[3] + " on " + friday.Format("2 January 2006") + ".",
			Topics: []string{"travel"}, Entities: []string{words[2], words[3]}, EventDate: friday.Format(time.RFC3339),
		})
	}
	answer, err := json.Marshal(map[string]any{"memories": facts})
	return "```json\n" + string(answer) + "\n```", err
}
