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
	// DefaultInputTokens is the default of PromoterOptions.InputTokens.
	DefaultInputTokens = 16_000
	// DefaultAnswerTokens is the default of PromoterOptions.AnswerTokens.
	DefaultAnswerTokens = 2_000
	// minInputTokens leaves room for the prompt and some messages.
	minInputTokens = 4_000
)

// PromoterOptions configures a Promoter. With the zero value, the memories that sessions
// already hold (session.Session.Memories) are promoted; nothing is extracted, and messages
// are not kept.
type PromoterOptions struct {
	// Model extracts memories from messages. If nil, entities are extracted instead from
	// sessions whose strategy needs a model.
	Model LanguageModel
	// Strategies adds strategies by name, or replaces built-in ones.
	Strategies map[string]Strategy
	// Strategy applies to sessions that name none. If nil, it is StrategyDiscrete with a
	// Model, and no strategy without one. If the Model is meant only for sessions that name
	// their strategy, set it to StrategyEntities.
	Strategy *session.StrategyConfig
	// Entities makes memories of the entities of every session, whatever its strategy.
	Entities bool
	// Messages keeps the messages of sessions, so that expired sessions can be rebuilt and
	// messages can be searched. Messages are kept verbatim, including any secrets in them.
	Messages bool
	// InputTokens is the number of tokens that the Model reads at once, including its
	// answer; at least 4,000. Longer input is extracted in parts. 0 means
	// DefaultInputTokens.
	InputTokens int
	// AnswerTokens is the largest length of an answer, at most a quarter of InputTokens. 0
	// means DefaultAnswerTokens.
	AnswerTokens int
	// Counter counts tokens. If nil, prompt.Estimator is used.
	Counter memory.TokenCounter
	// Logger receives each strategy that cannot be used, once, and what is left out of a
	// model's answers, never contents. If nil, nothing is logged.
	Logger *slog.Logger
}

// Promoter is the driver.LongTerm of a Memory: it extracts memories from sessions, puts
// them into the Memory and keeps messages. It is safe for concurrent use, also by several
// processes that share the index. Its methods do all their work before they return, and work
// until the Memory is closed, so a Promoter itself needs no Close.
type Promoter struct {
	memory   *Memory
	opts     PromoterOptions
	builtIn  *strategy.Set
	entities Strategy

	mu       sync.Mutex
	reported map[string]bool // names of strategies that cannot be used
}

var _ driver.LongTerm = (*Promoter)(nil)

// NewPromoter returns a Promoter on a memory, which it does not close. If opts is nil, the
// defaults apply. Errors: ErrStrategy if the Strategy of the options cannot be used.
func NewPromoter(m *Memory, opts *PromoterOptions) (*Promoter, error) {
	p := &Promoter{memory: m, reported: make(map[string]bool)}
	if opts != nil {
		p.opts = *opts
	}
	if m == nil {
		return nil, errors.New("longterm: a promoter needs a memory")
	}
	if err := p.opts.setDefaults(); err != nil {
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

// setDefaults sets the defaults and validates the options.
func (o *PromoterOptions) setDefaults() error {
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
		return fmt.Errorf("longterm: %d input tokens are less than the minimum of %d", o.InputTokens, minInputTokens)
	}
	if o.AnswerTokens < 0 || o.AnswerTokens > o.InputTokens/4 {
		return fmt.Errorf("longterm: %d answer tokens are not from 1 to a quarter of %d input tokens", o.AnswerTokens, o.InputTokens)
	}
	if o.Counter == nil {
		o.Counter = prompt.Estimator{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

// Check returns nil if memories can be extracted with a strategy. Otherwise it returns
// ErrStrategy, which wraps prompt.ErrExtractionTemplate if the prompt of a StrategyCustom
// lacks its placeholder. A program that accepts strategies from users calls Check before it
// assigns one to a session.
func (p *Promoter) Check(strategy *session.StrategyConfig) error {
	_, err := p.plan(strategy)
	return err
}

// Wants implements driver.LongTerm. If the strategy of a session cannot be used, nothing is
// extracted, and the Logger is notified once. The messages wait, at no cost, until the session
// has a usable strategy or a Promoter knows the strategy; messages that a summary replaces
// before then are never extracted, but are kept if PromoterOptions.Messages is set.
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

// maxReported limits the names of strategies in Promoter.reported: users of the sessions
// choose them.
const maxReported = 100

// report logs a strategy that cannot be used, once for each name.
func (p *Promoter) report(name string, err error) {
	p.mu.Lock()
	known := p.reported[name] || len(p.reported) >= maxReported
	if !known {
		p.reported[name] = true
	}
	p.mu.Unlock()
	if !known {
		p.opts.Logger.Warn("longterm: strategy cannot be used, nothing is extracted", "error", callee.Loggable(err))
	}
}
