package strategy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// The names of strategies, as package longterm documents them.
const (
	Discrete    = "discrete"
	Summary     = "summary"
	Preferences = "preferences"
	Custom      = "custom"
	Entities    = "entities"
)

// configPrompt is the field of driver.StrategyConfig.Config that Custom requires.
const configPrompt = "custom_prompt"

// Errors, as package longterm documents them.
var (
	ErrStrategy = errors.New("longterm: bad strategy")
	ErrModel    = errors.New("longterm: model failed")
	ErrAnswer   = errors.New("longterm: invalid answer of the model")
)

// Options configures the strategies that ask a model.
type Options struct {
	// Generate asks the model.
	Generate func(ctx context.Context, prompt string, maxTokens int) (string, error)
	// InputTokens is how many tokens the model reads at once, including its answer, and
	// AnswerTokens the largest length of an answer.
	InputTokens, AnswerTokens int
	Counter                   memory.TokenCounter
	Logger                    *slog.Logger
}

// Set holds the strategies that ask a model.
type Set struct {
	opts                           Options
	discrete, summary, preferences *prompt.ExtractionTemplate
}

// NewSet returns the strategies that ask a model.
func NewSet(opts Options) (*Set, error) {
	s := &Set{opts: opts}
	for _, t := range []struct {
		to   **prompt.ExtractionTemplate
		text string
	}{
		{&s.discrete, prompt.DefaultDiscreteTemplate},
		{&s.summary, prompt.DefaultSummaryExtractionTemplate},
		{&s.preferences, prompt.DefaultPreferencesTemplate},
	} {
		var err error
		if *t.to, err = prompt.NewExtractionTemplate(t.text); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Named returns the strategy with a name. Errors: ErrStrategy.
func (set *Set) Named(s *driver.StrategyConfig) (*Prompted, error) {
	ask := &Prompted{opts: &set.opts, most: maxFound}
	switch s.Name {
	case Discrete:
		ask.template = set.discrete
	case Summary:
		ask.template, ask.most, ask.only = set.summary, 1, driver.RecordSemantic
	case Preferences:
		ask.template, ask.only = set.preferences, driver.RecordSemantic
	case Custom:
		text, _ := s.Config[configPrompt].(string)
		if len(text) > set.opts.InputTokens/2 { // a token has at least one byte
			return nil, fmt.Errorf("%w: %s is longer than %d bytes, half of what the model reads", ErrStrategy, configPrompt, set.opts.InputTokens/2)
		}
		template, err := prompt.NewExtractionTemplate(text + "\n\n" + prompt.ExtractionAnswer)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrStrategy, configPrompt, err)
		}
		ask.template = template
	default:
		return nil, fmt.Errorf("%w: unknown name %.40q", ErrStrategy, s.Name)
	}
	return ask, nil
}
