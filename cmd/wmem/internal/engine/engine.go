// Package engine assembles the parts of a server from its settings:
//
//	Settings ──► backend ──► session.Manager ──► Promoter ──► longterm.Memory
//	        └──► models ───────────┘──────────────┘─────────────────┤
//	                                                                └──► summaryview.Views
//
// The HTTP server and the MCP server share it.
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/langchain/endpoint"
	"github.com/go-workingmemory/workingmemory/adapters/langchain/providers"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
	"github.com/go-workingmemory/workingmemory/memory/longterm/wordvectors"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
	"github.com/go-workingmemory/workingmemory/prompt/tiktoken"
)

// Hooks observe the work of an engine. Each may be nil.
type Hooks struct {
	OnSummary  func(session.Key, summary.Outcome)
	OnPromoted func(session.Key, promotion.Outcome)
	OnCall     func(ctx context.Context, key session.Key, call middleware.ToolCall, found extractor.Extraction, err error)
	// OnModel observes calls of models. The kinds are those of package endpoint.
	OnModel func(kind string, took time.Duration, err error)
}

// Engine has the parts of a server. They are safe for concurrent use.
type Engine struct {
	Backend  *backend.Backend
	Sessions *session.Manager
	// Memory and Promoter are nil if long-term memory is off.
	Memory   *longterm.Memory
	Promoter *longterm.Promoter
	// Views are the summary views of Memory, nil if that is off. See StartWork.
	Views *summaryview.Views
	// Extractor finds as many entities as a block with a budget can show.
	Extractor *extractor.EntityExtractor
	// Recording configures how tool calls are recorded.
	Recording *middleware.SessionsOptions

	stopWork context.CancelFunc // nil if StartWork was not called
	worked   chan struct{}      // closed when Views.Work has returned
}

// builder builds the parts of an engine.
type builder struct {
	settings *config.Settings
	hooks    Hooks
	logger   *slog.Logger
	counter  memory.TokenCounter
	models   endpoint.Config
}

// Open assembles an engine. It returns the errors of the backend, without secrets, and those of
// the settings.
func Open(ctx context.Context, s *config.Settings, hooks Hooks, logger *slog.Logger) (*Engine, error) {
	b := &builder{settings: s, hooks: hooks, logger: logger, models: endpoint.Config{
		Model: s.Model, EmbeddingModel: s.RemoteEmbedder(), BaseURL: s.BaseURL, Key: s.APIKey, OnCall: hooks.OnModel, Logger: logger,
	}}
	if err := b.loadCounter(); err != nil {
		return nil, err
	}
	opened, err := backend.Open(ctx, backend.Config{Store: s.Store, Index: s.Index, Logger: logger})
	if err != nil {
		return nil, err
	}
	e := &Engine{Backend: opened}
	if err := b.fill(e); err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	return e, nil
}

// loadCounter loads the encoding of the settings now, so that no request waits for it.
func (b *builder) loadCounter() error {
	if b.settings.Encoding == config.Estimate {
		return nil
	}
	counter, err := tiktoken.New(b.settings.Encoding)
	if err != nil {
		return err
	}
	if err := counter.Load(); err != nil {
		b.logger.Warn("tokens are estimated: the encoding could not be loaded", "encoding", b.settings.Encoding, "error", err)
	}
	b.counter = counter
	return nil
}

// StartWork runs Views.Work in the background until Close. It must be called once at most.
func (e *Engine) StartWork(ctx context.Context) {
	if e.Views == nil {
		return
	}
	ctx, e.stopWork = context.WithCancel(context.WithoutCancel(ctx))
	e.worked = make(chan struct{})
	go func() {
		defer close(e.worked)
		e.Views.Work(ctx)
	}()
}

// endWork ends StartWork. Its tasks return to the queue.
func (e *Engine) endWork(ctx context.Context) error {
	if e.stopWork == nil {
		return nil
	}
	e.stopWork()
	select {
	case <-e.worked:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close closes all parts, in reverse order of their dependencies. When ctx ends, unfinished work
// that the next run can resume is left.
func (e *Engine) Close(ctx context.Context) error {
	errs := []error{e.endWork(ctx)}
	if e.Sessions != nil {
		errs = append(errs, e.Sessions.Close(ctx))
	}
	if e.Memory != nil {
		errs = append(errs, e.Memory.Close(ctx))
	}
	return errors.Join(append(errs, e.Backend.Close())...)
}

func (b *builder) fill(e *Engine) (err error) {
	if e.Extractor, err = extractor.New(&extractor.Options{Limits: extractor.WideLimits(), Rules: b.settings.Rules}); err != nil {
		return err
	}
	e.Recording = b.recording(e.Extractor)
	if b.settings.LongTerm {
		if err := b.longTerm(e); err != nil {
			return err
		}
	}
	e.Sessions, err = b.sessions(e)
	return err
}

func (b *builder) longTerm(e *Engine) error {
	embedder, err := b.models.Embedder()
	if err != nil {
		return err
	}
	if b.settings.EmbeddingModel == config.WordVectors {
		embedder = wordvectors.New()
	}
	if e.Memory, err = longterm.New(e.Backend.Index, &longterm.Options{Embedder: embedder, Logger: b.logger}); err != nil {
		return err
	}
	opts := &longterm.PromoterOptions{
		// The default of sessions that name none. Without a model it promotes their entities.
		Strategy: &session.StrategyConfig{Name: longterm.StrategyDiscrete},
		Messages: b.settings.IndexMessages, Counter: b.counter, Logger: b.logger,
	}
	chat, err := b.models.Chat()
	if err != nil {
		return err
	}
	if chat != nil {
		opts.Model = providers.NewLanguageModel(chat, nil)
	}
	if e.Promoter, err = longterm.NewPromoter(e.Memory, opts); err != nil {
		return err
	}
	e.Views, err = summaryview.New(e.Memory, e.Backend.Documents, &summaryview.Options{Model: opts.Model, Counter: b.counter, Logger: b.logger})
	return err
}

func (b *builder) sessions(e *Engine) (*session.Manager, error) {
	s := b.settings
	summaries, err := b.summaries()
	if err != nil {
		return nil, err
	}
	opts := &session.Options{
		Context: &memory.ContextOptions{Capacity: middleware.BudgetCapacity},
		Counter: b.counter, Window: s.Window, TTL: s.TTL, Summaries: summaries, Logger: b.logger,
		Promotions: promotion.Options{Delay: s.PromoteAfter, OnPromoted: b.hooks.OnPromoted},
	}
	if s.PromoteAfter == 0 {
		opts.Promotions.Delay = -1 // disabled
	}
	if e.Promoter != nil {
		opts.LongTerm = e.Promoter
	}
	return session.NewManager(e.Backend.Sessions, opts)
}

func (b *builder) summaries() (summary.Options, error) {
	modes := map[string]summary.Mode{
		"sync": summary.Sync, "background": summary.InBackground, "off": summary.Off,
	}
	mode, ok := modes[b.settings.Summarize]
	if !ok {
		return summary.Options{}, fmt.Errorf("unknown way %q to summarise", b.settings.Summarize)
	}
	summaries := summary.Options{Mode: mode, Threshold: b.settings.Threshold, OnSummary: b.hooks.OnSummary}
	chat, err := b.models.Chat()
	if err != nil {
		return summaries, err
	}
	if chat != nil {
		summaries.Summarizer = providers.NewSummarizer(chat, &providers.SummarizerOptions{Template: b.settings.SummaryPrompt})
	}
	return summaries, nil
}

// recording returns options that all servers of the engine share: its turns to extract, and its journal or
// its logs of decisions.
func (b *builder) recording(x *extractor.EntityExtractor) *middleware.SessionsOptions {
	opts := &middleware.SessionsOptions{
		Extractor: extractor.Throttle(x, &extractor.ThrottleOptions{Owner: rest.RequesterFrom}),
		Block:     prompt.Options{Budget: b.settings.Budget, Counter: b.counter},
		OnCall:    b.hooks.OnCall, Logger: b.logger,
	}
	if size := b.settings.Journal; size >= 0 {
		opts.Journal = middleware.NewJournal(&middleware.JournalOptions{Stored: size > 0, MaxBytes: size})
	} else {
		opts.Decisions = middleware.NewSessionLogs(nil).Log
	}
	if b.settings.Handles {
		opts.Handles = &handle.Options{Counter: b.counter}
	}
	if b.settings.StoreResults > 0 {
		opts.Results = &middleware.ResultsOptions{Threshold: b.settings.StoreResults}
	}
	return opts
}
