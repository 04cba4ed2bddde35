package longterm

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/strategy"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Defaults of PromoterOptions.
const (
	// DefaultInputTokens is how much a model reads at once.
	DefaultInputTokens = 16_000
	// DefaultAnswerTokens is how long its answer may be.
	DefaultAnswerTokens = 2_000
	// minInputTokens leaves room for the prompt and some messages.
	minInputTokens = 4_000
)

// PromoterOptions configures a Promoter. The zero value is useful: what sessions have
// as session.Session.Memories is promoted, and nothing is extracted or kept beside it.
type PromoterOptions struct {
	// Model extracts memories from messages. nil: from sessions whose strategy needs
	// one, entities are extracted instead.
	Model LanguageModel
	// Strategies are others than the built-in ones, by name, or replace them.
	Strategies map[string]Strategy
	// Strategy is that of sessions that have none. nil means StrategyDiscrete with
	// a Model, and nothing without one. With a Model that is only for sessions that name
	// their strategy, give StrategyEntities.
	Strategy *session.StrategyConfig
	// Entities: those of every session become memories, whatever its strategy.
	Entities bool
	// Messages: the messages of sessions are kept, so that these can be rebuilt when
	// they have expired, and what was said is found. They are kept as they are, with
	// the secrets that somebody wrote in them.
	Messages bool
	// InputTokens is how many tokens the Model reads at once, with its answer, at
	// least 4,000. What is longer is extracted in parts. 0 means DefaultInputTokens.
	InputTokens int
	// AnswerTokens is how long an answer may be, at most a quarter of InputTokens. 0
	// means DefaultAnswerTokens.
	AnswerTokens int
	// Counter counts tokens. nil means an estimate, as prompt.Estimator documents it.
	Counter memory.TokenCounter
	// Logger is told, once, of each strategy that cannot be used, and of what is left
	// out of a model's answers, without contents. nil means none.
	Logger *slog.Logger
}

// Promoter is the driver.LongTerm of a Memory: it extracts memories from sessions, puts
// what they hold into the Memory, and keeps their messages. It is safe for concurrent
// use, also by several processes that share the index, and holds nothing to be closed.
type Promoter struct {
	memory   *Memory
	opts     PromoterOptions
	builtIn  *strategy.Set
	entities Strategy

	mu       sync.Mutex
	reported map[string]bool // strategies that cannot be used
}

var _ driver.LongTerm = (*Promoter)(nil)

// NewPromoter makes a promoter on a memory, which it does not close. nil options mean
// the defaults. Errors: ErrStrategy if the Strategy of the options cannot be used.
func NewPromoter(m *Memory, opts *PromoterOptions) (*Promoter, error) {
	p := &Promoter{memory: m, reported: make(map[string]bool)}
	if opts != nil {
		p.opts = *opts
	}
	if m == nil {
		return nil, errors.New("longterm: a promoter needs a memory")
	}
	if err := p.opts.fill(); err != nil {
		return nil, err
	}
	built := strategy.Options{
		InputTokens: p.opts.InputTokens, AnswerTokens: p.opts.AnswerTokens, Counter: p.opts.Counter, Logger: p.opts.Logger,
	}
	if p.opts.Model != nil {
		built.Generate = p.opts.Model.Generate
	}
	var err error
	if p.builtIn, err = strategy.NewSet(built); err != nil {
		return nil, err
	}
	if p.entities = p.opts.Strategies[StrategyEntities]; p.entities == nil {
		p.entities = strategy.FromEntities{}
	}
	return p, p.Check(p.opts.Strategy)
}

// fill sets the defaults.
func (o *PromoterOptions) fill() error {
	o.Strategies = maps.Clone(o.Strategies)
	if o.Strategy == nil && o.Model != nil {
		o.Strategy = &session.StrategyConfig{Name: StrategyDiscrete}
	}
	for name, s := range o.Strategies {
		if s != nil {
			o.Strategies[name] = callersStrategy{s}
		}
	}
	if o.InputTokens == 0 {
		o.InputTokens = DefaultInputTokens
	}
	if o.AnswerTokens == 0 {
		o.AnswerTokens = min(DefaultAnswerTokens, o.InputTokens/4)
	}
	if o.InputTokens < minInputTokens {
		return fmt.Errorf("longterm: a model that reads %d tokens is too small: it takes %d", o.InputTokens, minInputTokens)
	}
	if o.AnswerTokens < 0 || o.AnswerTokens > o.InputTokens/4 {
		return fmt.Errorf("longterm: answers of %d tokens are not from 1 to a quarter of the %d that the model reads", o.AnswerTokens, o.InputTokens)
	}
	if o.Counter == nil {
		o.Counter = prompt.Estimator{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

// Check returns why nothing can be extracted by a strategy, nil if it can: ErrStrategy,
// and with it prompt.ErrExtractionTemplate where the prompt of a StrategyCustom lacks
// its placeholder. Who lets others choose strategies asks before a session gets one.
func (p *Promoter) Check(strategy *session.StrategyConfig) error {
	_, err := p.plan(strategy)
	return err
}

// Wants implements driver.LongTerm. Of sessions whose strategy cannot be used nothing
// is extracted: their messages wait, without keeping anybody busy, until they have
// one that can, or the Promoter knows theirs. What a summary takes meanwhile is not
// extracted, but kept, if PromoterOptions.Messages is set. The Logger is told once.
func (p *Promoter) Wants(strategy *session.StrategyConfig, any bool) driver.Wants {
	if any {
		return driver.Wants{Messages: p.opts.Messages, Extract: p.opts.Model != nil || len(p.opts.Strategies) > 0, Entities: true}
	}
	do, err := p.plan(strategy)
	if err != nil {
		p.report(strategy.Name, err)
	}
	return driver.Wants{Messages: p.opts.Messages, Extract: do.messages != nil, Entities: do.entities != nil}
}

// maxReported is how many names of strategies are remembered that were reported: they
// are what users of the sessions write.
const maxReported = 100

func (p *Promoter) report(name string, err error) {
	p.mu.Lock()
	known := p.reported[name] || len(p.reported) >= maxReported
	if !known {
		p.reported[name] = true
	}
	p.mu.Unlock()
	if !known {
		p.opts.Logger.Warn("longterm: nothing is extracted by a strategy", "error", callee.Loggable(err))
	}
}
