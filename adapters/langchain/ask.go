package langchain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// ErrNoAnswer says that a model answered with nothing.
var ErrNoAnswer = errors.New("langchain: model gave no answer")

// ModelOptions configures a Model. The zero value is useful.
type ModelOptions struct {
	// CallOptions go to the model with each call, after the limit of tokens, which
	// they may replace: a model that thinks needs more than its answer has. Where the
	// provider has a mode for JSON, llms.WithJSONMode is worth giving: most of what is
	// asked is to be answered in JSON. There is nothing among them by default, because
	// some models refuse what they do not know.
	CallOptions []llms.CallOption
}

// Model is a longterm.LanguageModel: a model that extracts memories. It is as safe for
// concurrent use as the model is.
type Model struct {
	model llms.Model
	opts  ModelOptions
}

var _ longterm.LanguageModel = (*Model)(nil)

// NewModel makes one of langchaingo's models one that extracts memories. nil options
// mean the defaults.
func NewModel(model llms.Model, opts *ModelOptions) *Model {
	m := &Model{model: model}
	if opts != nil {
		m.opts = *opts
	}
	return m
}

// Generate asks the model, in a prompt of one message, and lets it answer with at most
// maxTokens tokens; 0 or less sets no limit. What was cut at the limit is returned as it
// is. The errors are the model's, ErrNoAnswer, and summary.ErrRefused where the stop
// reason tells that the model was kept from answering.
func (m *Model) Generate(ctx context.Context, prompt string, maxTokens int) (string, error) {
	answer, err := generate(ctx, m.model, prompt, maxTokens, m.opts.CallOptions)
	if err != nil {
		return "", fmt.Errorf("langchain: asking the model: %w", err)
	}
	if answer == "" {
		return "", ErrNoAnswer
	}
	return answer, nil
}

// generate asks a model in a prompt of one message, which every provider reads. It returns
// "" where the model answers with nothing.
func generate(ctx context.Context, model llms.Model, text string, maxTokens int, more []llms.CallOption) (string, error) {
	var options []llms.CallOption
	if maxTokens > 0 {
		options = append(options, llms.WithMaxTokens(maxTokens))
	}
	message := llms.TextParts(llms.ChatMessageTypeHuman, text)
	answer, err := model.GenerateContent(ctx, []llms.MessageContent{message}, append(options, more...)...)
	if err != nil {
		return "", err
	}
	if answer == nil || len(answer.Choices) == 0 || answer.Choices[0] == nil {
		return "", nil
	}
	choice := answer.Choices[0]
	if wasKept(choice.StopReason) {
		return "", fmt.Errorf("%w: stop reason %q", summary.ErrRefused, choice.StopReason)
	}
	return strings.TrimSpace(choice.Content), nil
}

// hindrances are parts of the stop reasons by which providers say that the model, or
// they, would not answer: "content_filter" (OpenAI, Mistral), "refusal" (Anthropic),
// "FinishReasonSafety", "…Recitation", "…Blocklist", "…ProhibitedContent" and
// "…Spii" (Google), "content_filtered" and "guardrail_intervened" (Bedrock),
// "ERROR_TOXIC" (Cohere).
var hindrances = [...]string{
	"contentfilter", "refusal", "safety", "recitation", "blocklist", "prohibitedcontent", "spii", "guardrail", "toxic",
}

// wasKept reports whether a stop reason says that the model was kept from answering.
func wasKept(stopReason string) bool {
	letters := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, stopReason)
	return slices.ContainsFunc(hindrances[:], func(part string) bool { return strings.Contains(letters, part) })
}
