package adk

import (
	"strings"

	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// lastSaid returns the last texts of a model and of the user in a session, which may be nil, or
// else that of the user in content.
func lastSaid(s session.Session, content *genai.Content) []prompt.Message {
	said := [2]prompt.Message{{Role: "assistant"}, {Role: "user"}}
	if s != nil {
		events := s.Events()
		for i := events.Len() - 1; i >= 0 && (said[0].Content == "" || said[1].Content == ""); i-- {
			event, m := events.At(i), &said[0]
			if event.Author == author {
				m = &said[1]
			}
			if m.Content == "" {
				m.Content = textOf(event.Content)
			}
		}
	}
	if said[1].Content == "" {
		said[1].Content = textOf(content)
	}
	return said[:]
}

// textOf returns the words of a content, without thoughts.
func textOf(content *genai.Content) string {
	if content == nil {
		return ""
	}
	var texts []string
	for _, p := range content.Parts {
		if p != nil && p.Text != "" && !p.Thought {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
