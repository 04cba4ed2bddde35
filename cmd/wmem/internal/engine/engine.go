// Package engine puts together, from settings, what a server works with:
//
//	Settings ──► backend ──► session.Manager ──► Promoter ──► longterm.Memory
//	        └──► models ───────────┘──────────────┘─────────────────┘
//
// Whatever serves it, over HTTP or MCP, has the same behind it.
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
	"github.com/go-workingmemory/workingmemory/adapters/langchain/endpoint"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
	"github.com/go-workingmemory/workingmemory/prompt/tiktoken"
)

// Hooks hear of what is done. Each may be nil.
type Hooks struct {
	OnSummary  func(session.Key, summary.Outcome)
	OnPromoted func(session.Key, promotion.Outcome)
	OnCall     func(ctx context.Context, key session.Key, call middleware.ToolCall, found extractor.Extraction, err error)
	// OnModel hears of calls of models, of the kinds of package endpoint.
	OnModel func(kind string, took time.Duration, err error)
}

// Engine is what was put together. Its parts are safe for concurrent use.
type Engine struct {
	Backend  *backend.Backend
	Sessions *session.Manager
	// Memory and Promoter are nil where long-term memory is off.
	Memory   *longterm.Memory
	Promoter *longterm.Promoter
	// Recording says how tool calls are recorded.
	Recording *middleware.SessionsOptions
}

// parts are what the engine's parts are made of.
type parts struct {
	settings *config.Settings
	hooks    Hooks
	logger   *slog.Logger
	counter  memory.TokenCounter
	models   endpoint.Config
}

// Open puts an engine together. Errors: those of the backend, without secrets, and what is
// wrong with the settings.
func Open(ctx context.Context, s *config.Settings, hooks Hooks, logger *slog.Logger) (*Engine, error) {
	p := &parts{settings: s, hooks: hooks, logger: logger, models: endpoint.Config{
		Model: s.Model, EmbeddingModel: s.EmbeddingModel, BaseURL: s.BaseURL, Key: s.APIKey, OnCall: hooks.OnModel, Logger: logger,
	}}
	if err := p.count(); err != nil {
		return nil, err
	}
	opened, err := backend.Open(ctx, backend.Config{Store: s.Store, Index: s.Index, Logger: logger})
	if err != nil {
		return nil, err
	}
	e := &Engine{Backend: opened, Recording: p.recording()}
	if err := p.fill(e); err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	return e, nil
}

// count takes the encoding of the settings. It is loaded now, so that no request waits for it.
func (p *parts) count() error {
	if p.settings.Encoding == config.Estimate {
		return nil
	}
	counter, err := tiktoken.New(p.settings.Encoding)
	if err != nil {
		return err
	}
	if err := counter.Load(); err != nil {
		p.logger.Warn("tokens are estimated", "encoding", p.settings.Encoding, "error", err)
	}
	p.counter = counter
	return nil
}

// Close closes all parts, what works on others first. When the context ends, work that can be
// taken up later is left.
func (e *Engine) Close(ctx context.Context) error {
	var errs []error
	if e.Sessions != nil {
		errs = append(errs, e.Sessions.Close(ctx))
	}
	if e.Memory != nil {
		errs = append(errs, e.Memory.Close(ctx))
	}
	return errors.Join(append(errs, e.Backend.Close())...)
}

func (p *parts) fill(e *Engine) (err error) {
	if p.settings.LongTerm {
		if err := p.longTerm(e); err != nil {
			return err
		}
	}
	e.Sessions, err = p.sessions(e)
	return err
}

func (p *parts) longTerm(e *Engine) error {
	embedder, err := p.models.Embedder()
	if err != nil {
		return err
	}
	if e.Memory, err = longterm.New(e.Backend.Index, &longterm.Options{Embedder: embedder, Logger: p.logger}); err != nil {
		return err
	}
	opts := &longterm.PromoterOptions{
		// Answers say this of sessions that name none. Without a model it takes the entities.
		Strategy: &session.StrategyConfig{Name: longterm.StrategyDiscrete},
		Messages: p.settings.IndexMessages, Counter: p.counter, Logger: p.logger,
	}
	chat, err := p.models.Chat()
	if err != nil {
		return err
	}
	if chat != nil {
		opts.Model = langchain.NewModel(chat, nil)
	}
	e.Promoter, err = longterm.NewPromoter(e.Memory, opts)
	return err
}

func (p *parts) sessions(e *Engine) (*session.Manager, error) {
	s := p.settings
	summaries, err := p.summaries()
	if err != nil {
		return nil, err
	}
	opts := &session.Options{
		Context: &memory.ContextOptions{Capacity: middleware.BudgetCapacity},
		Counter: p.counter, Window: s.Window, TTL: s.TTL, Summaries: summaries, Logger: p.logger,
		Promotions: promotion.Options{Delay: s.PromoteAfter, OnPromoted: p.hooks.OnPromoted},
	}
	if s.PromoteAfter == 0 {
		opts.Promotions.Delay = -1 // not at all
	}
	if e.Promoter != nil {
		opts.LongTerm = e.Promoter
	}
	return session.NewManager(e.Backend.Sessions, opts)
}

func (p *parts) summaries() (summary.Options, error) {
	modes := map[string]summary.Mode{
		"sync": summary.Sync, "background": summary.InBackground, "off": summary.Off,
	}
	mode, ok := modes[p.settings.Summarize]
	if !ok {
		return summary.Options{}, fmt.Errorf("there is no way %q to summarise", p.settings.Summarize)
	}
	summaries := summary.Options{Mode: mode, Threshold: p.settings.Threshold, OnSummary: p.hooks.OnSummary}
	chat, err := p.models.Chat()
	if err != nil {
		return summaries, err
	}
	if chat != nil {
		summaries.Summarizer = langchain.NewSummarizer(chat, &langchain.SummarizerOptions{Template: p.settings.SummaryPrompt})
	}
	return summaries, nil
}

// recording finds as many entities as a block with a budget has use for. All that serve the
// engine share its logs of decisions.
func (p *parts) recording() *middleware.SessionsOptions {
	wide := middleware.LimitsFor(prompt.Options{Budget: 1})
	return &middleware.SessionsOptions{
		Extractor: extractor.Default(wide), Block: prompt.Options{Counter: p.counter},
		OnCall: p.hooks.OnCall, Logger: p.logger, Decisions: middleware.NewSessionLogs(nil).Log,
	}
}
