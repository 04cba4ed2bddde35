package longterm

import (
	"context"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/strategy"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// The built-in strategies. All but StrategyEntities need a Model.
const (
	// StrategyDiscrete, "discrete", extracts self-contained facts.
	StrategyDiscrete = strategy.Discrete
	// StrategySummary, "summary", makes one memory of all messages that are extracted
	// together, or of each part that the model can read at once.
	StrategySummary = strategy.Summary
	// StrategyPreferences, "preferences", extracts what the user likes, dislikes and wants.
	StrategyPreferences = strategy.Preferences
	// StrategyCustom, "custom", extracts what Config["custom_prompt"] of a
	// session.StrategyConfig asks for: a template for prompt.NewExtractionTemplate, to which
	// prompt.ExtractionAnswer is appended.
	StrategyCustom = strategy.Custom
	// StrategyEntities, "entities", makes memories of the session's entities, which tools
	// returned.
	StrategyEntities = strategy.Entities
)

// Errors of extraction. They come wrapped.
var (
	// ErrStrategy is returned if a strategy cannot be used.
	ErrStrategy = strategy.ErrStrategy
	// ErrModel is returned if the model fails.
	ErrModel = strategy.ErrModel
	// ErrAnswer is returned if an answer of the model does not have the requested form.
	ErrAnswer = strategy.ErrAnswer
)

// Strategy extracts memories from a session. It must be safe for concurrent use and return
// when the context ends.
type Strategy interface {
	// Extract returns the memories in a driver.ExtractRequest, if any. The request has no
	// system messages, results of tools, messages that were extracted before, or blocks of
	// this module.
	//
	// A memory needs a text. Its owner and session are always those of the session. An empty
	// id is derived from the strategy, the messages and the text, so that it is the same
	// when the messages are extracted again. An empty ExtractedFrom becomes the ids of all
	// messages.
	Extract(ctx context.Context, e driver.ExtractRequest) ([]Record, error)
}

// callersStrategy wraps a Strategy of the caller, whose errors may quote contents.
type callersStrategy struct{ Strategy }

func (s callersStrategy) Extract(ctx context.Context, e driver.ExtractRequest) (found []Record, err error) {
	err = callee.Call(func() (err error) {
		found, err = s.Strategy.Extract(ctx, e)
		return err
	})
	return found, err
}

// plan holds the strategies that apply to the messages and entities of a session, if any.
type plan struct {
	name               string
	messages, entities Strategy
}

// plan returns what is extracted from sessions with a strategy. Without a model, entities
// replace the strategies that need one.
func (p *Promoter) plan(s *session.StrategyConfig) (plan, error) {
	var do plan
	if p.opts.Entities {
		do.entities = p.entities
	}
	if s == nil {
		s = p.opts.Strategy
	}
	if s == nil {
		return do, nil
	}
	do.name = s.Name
	if s.Name == StrategyEntities {
		do.entities = p.entities
		return do, nil
	}
	if own := p.opts.Strategies[s.Name]; own != nil {
		do.messages = own
		return do, nil
	}
	prompted, err := p.builtIn.Named(s)
	switch {
	case err != nil:
		return do, err
	case p.opts.Model == nil:
		do.entities = p.entities
	default:
		do.messages = prompted
	}
	return do, nil
}
