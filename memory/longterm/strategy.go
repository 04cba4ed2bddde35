package longterm

import (
	"context"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/strategy"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// The strategies that are built in. All but StrategyEntities need a Model.
const (
	// StrategyDiscrete, "discrete", takes facts from messages, each of which stands by
	// itself.
	StrategyDiscrete = strategy.Discrete
	// StrategySummary, "summary", makes one memory of what was said: of all messages that
	// are extracted together, or of each part of them that the model can read at once.
	StrategySummary = strategy.Summary
	// StrategyPreferences, "preferences", takes what the user likes, dislikes and wants.
	StrategyPreferences = strategy.Preferences
	// StrategyCustom, "custom", takes what Config["custom_prompt"] of a
	// session.StrategyConfig asks for: a text as of prompt.NewExtractionTemplate, behind
	// which stands prompt.ExtractionAnswer.
	StrategyCustom = strategy.Custom
	// StrategyEntities, "entities", makes memories of the session's entities: what tools
	// returned.
	StrategyEntities = strategy.Entities
)

// Errors of what extracts memories. They come wrapped.
var (
	// ErrStrategy is returned if nothing can be extracted by a strategy.
	ErrStrategy = strategy.ErrStrategy
	// ErrModel is returned if the model failed.
	ErrModel = strategy.ErrModel
	// ErrAnswer is returned if an answer of the model is not of the form that was asked for.
	ErrAnswer = strategy.ErrAnswer
)

// Strategy takes memories from a session. It must be safe for concurrent use, and give
// up when the context ends.
type Strategy interface {
	// Extract returns the memories that a driver.ExtractRequest holds, none if it holds
	// none. Its messages are without those of the system, the results of tools, messages
	// that something was extracted from already, and blocks of ours.
	//
	// A memory needs a text. Owner and session are the session's in any case; an empty
	// id becomes one of the strategy, the messages and the text, so that it is the same
	// when they are extracted again. Empty ExtractedFrom are the ids of all messages.
	Extract(ctx context.Context, e driver.ExtractRequest) ([]Record, error)
}

// callersStrategy is one of a caller's, who may say anything in its errors.
type callersStrategy struct{ Strategy }

func (s callersStrategy) Extract(ctx context.Context, e driver.ExtractRequest) (found []Record, err error) {
	err = callee.Call(func() (err error) {
		found, err = s.Strategy.Extract(ctx, e)
		return err
	})
	return found, err
}

// plan is what is extracted from a session; nil ones are not.
type plan struct {
	name               string
	messages, entities Strategy
}

// plan returns what is extracted from sessions with a strategy.
//
// Where a strategy needs a model and there is none, it is what needs none: entities.
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
