package providers

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

// ErrNoAnswer is returned when a model returns no text.
var ErrNoAnswer = errors.New("providers: model gave no answer")

// LanguageModelOptions configures a LanguageModel. The zero value is useful.
type LanguageModelOptions struct {
	// CallOptions are passed with each call, after the token limit, which they may
	// override: a reasoning model needs more tokens than its answer has. Use
	// llms.WithJSONMode where the provider supports it: most prompts ask for JSON. The
	// default is none, because some models reject options they do not know.
	CallOptions []llms.CallOption
}

// LanguageModel is a longterm.LanguageModel that extracts memories with one of langchaingo's
// models. It is safe for concurrent use if the model is.
type LanguageModel struct {
	model llms.Model
	opts  LanguageModelOptions
}

var _ longterm.LanguageModel = (*LanguageModel)(nil)

// NewLanguageModel returns a LanguageModel that calls model. If opts is nil, the defaults are used.
func NewLanguageModel(model llms.Model, opts *LanguageModelOptions) *LanguageModel {
	m := &LanguageModel{model: model}
	if opts != nil {
		m.opts = *opts
	}
	return m
}

// Generate sends text as a prompt of one message and returns the answer, of at most
// maxTokens tokens; 0 or less sets no limit. An answer that was cut at the limit is
// returned as it is. Errors: the model's, ErrNoAnswer, and summary.ErrRefused if the
// stop reason shows that the provider withheld the answer.
func (m *LanguageModel) Generate(ctx context.Context, prompt string, maxTokens int) (string, error) {
	answer, err := generate(ctx, m.model, prompt, maxTokens, m.opts.CallOptions)
	if err != nil {
		return "", fmt.Errorf("providers: asking the model: %w", err)
	}
	if answer == "" {
		return "", ErrNoAnswer
	}
	return answer, nil
}

// generate calls a model with a prompt of one message, which every provider reads. It
// returns "" if the model returns no text.
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
	if isRefusal(choice.StopReason) {
		return "", fmt.Errorf("%w: stop reason %q", summary.ErrRefused, choice.StopReason)
	}
	return strings.TrimSpace(choice.Content), nil
}

// refusals are substrings of the stop reasons with which providers report that an
// answer was withheld: "content_filter" (OpenAI, Mistral), "refusal" (Anthropic),
// "FinishReasonSafety", "…Recitation", "…Blocklist", "…ProhibitedContent" and
// "…Spii" (Google), "content_filtered" and "guardrail_intervened" (Bedrock),
// "ERROR_TOXIC" (Cohere).
var refusals = [...]string{
	"contentfilter", "refusal", "safety", "recitation", "blocklist", "prohibitedcontent", "spii", "guardrail", "toxic",
}

// isRefusal reports whether a stop reason shows that the answer was withheld.
func isRefusal(stopReason string) bool {
	letters := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, stopReason)
	return slices.ContainsFunc(refusals[:], func(part string) bool { return strings.Contains(letters, part) })
}
