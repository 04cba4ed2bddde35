package longterm

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// The strategies that there are. All but StrategyEntities need a Model.
const (
	// StrategyDiscrete takes facts from messages, each of which stands by itself.
	StrategyDiscrete = "discrete"
	// StrategySummary makes one memory of what was said: of all messages that are
	// extracted together, or of each part of them that the model can read at once.
	StrategySummary = "summary"
	// StrategyPreferences takes what the user likes, dislikes and wants.
	StrategyPreferences = "preferences"
	// StrategyCustom takes what Strategy.Config["custom_prompt"] asks for: a text as
	// of prompt.NewExtractionTemplate, behind which stands prompt.ExtractionAnswer.
	StrategyCustom = "custom"
	// StrategyEntities makes memories of the session's entities: what tools returned.
	StrategyEntities = "entities"
)

// configPrompt is the field of Strategy.Config that a StrategyCustom needs.
const configPrompt = "custom_prompt"

// ErrStrategy says that nothing can be extracted by a strategy, and why.
var ErrStrategy = errors.New("longterm: bad strategy")

// Strategy takes memories from a session. It must be safe for concurrent use, and give
// up when the context ends.
type Strategy interface {
	// Extract returns the memories that an Extraction holds, none if it holds none.
	// Its messages are without those of the system, the results of tools, messages
	// that something was extracted from already, and blocks of ours.
	//
	// A memory needs a text. Owner and session are the session's in any case; an empty
	// id becomes one of the strategy, the messages and the text, so that it is the same
	// when they are extracted again. Empty ExtractedFrom are the ids of all messages.
	Extract(ctx context.Context, e session.Extraction) ([]Record, error)
}

// callersStrategy is one of a caller's, who may say anything in its errors.
type callersStrategy struct{ Strategy }

func (s callersStrategy) Extract(ctx context.Context, e session.Extraction) (found []Record, err error) {
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
func (p *Promoter) plan(s *session.Strategy) (plan, error) {
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
	var err error
	if own := p.opts.Strategies[s.Name]; own != nil {
		do.messages = own
	} else if do.messages, err = p.builtIn(s); err != nil {
		return do, err
	} else if p.opts.Model == nil {
		do.messages, do.entities = nil, p.entities
	}
	return do, nil
}

// builtIn returns a strategy that asks the model.
func (p *Promoter) builtIn(s *session.Strategy) (Strategy, error) {
	ask := &modelStrategy{opts: &p.opts, most: maxFound}
	switch s.Name {
	case StrategyDiscrete:
		ask.template = p.discrete
	case StrategySummary:
		ask.template, ask.most, ask.only = p.summary, 1, session.MemorySemantic
	case StrategyPreferences:
		ask.template, ask.only = p.preferences, session.MemorySemantic
	case StrategyCustom:
		text, _ := s.Config[configPrompt].(string)
		if len(text) > p.opts.InputTokens/2 { // a token has a byte at least
			return nil, fmt.Errorf("%w: %s is longer than %d bytes, half of what the model reads", ErrStrategy, configPrompt, p.opts.InputTokens/2)
		}
		template, err := prompt.NewExtractionTemplate(text + "\n\n" + prompt.ExtractionAnswer)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrStrategy, configPrompt, err)
		}
		ask.template = template
	default:
		return nil, fmt.Errorf("%w: no strategy of the name %.40q", ErrStrategy, s.Name)
	}
	return ask, nil
}
