package providers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// chat is a model that gives its answers, one after the other, and keeps what it was asked.
type chat struct {
	answers []*llms.ContentChoice
	prompts []string
	options []llms.CallOptions
}

func answers(texts ...string) *chat {
	m := new(chat)
	for _, text := range texts {
		m.answers = append(m.answers, &llms.ContentChoice{Content: text})
	}
	return m
}

func stopped(text, reason string) *chat {
	return &chat{answers: []*llms.ContentChoice{{Content: text, StopReason: reason}}}
}

func (m *chat) GenerateContent(_ context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var asked strings.Builder
	for _, message := range messages {
		fmt.Fprintf(&asked, "%s: %v\n", message.Role, message.Parts)
	}
	m.prompts = append(m.prompts, asked.String())
	var opts llms.CallOptions
	for _, o := range options {
		o(&opts)
	}
	m.options = append(m.options, opts)
	if len(m.answers) == 0 {
		return nil, errors.New("no answer is left")
	}
	answer := m.answers[0]
	m.answers = m.answers[1:]
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{answer}}, nil
}

func (m *chat) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

func (m *chat) last() string { return m.prompts[len(m.prompts)-1] }

// silent is a model that gives no choices.
type silent struct{ llms.Model }

func (silent) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{}, nil
}
