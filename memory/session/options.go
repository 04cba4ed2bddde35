package session

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// DefaultWindow is the context window of a session for which none was given and
// whose model is not known: 16,000 tokens.
const DefaultWindow = 16_000

// Options configures a Manager. The zero value is useful.
type Options struct {
	// Context configures the entities of each session. Where blocks have a token
	// budget, give it the Capacity of middleware.CapacityFor. nil means the
	// defaults. All managers of a store should have the same: one with a smaller
	// capacity keeps fewer entities when it writes.
	Context *memory.ContextOptions
	// Counter counts the tokens of messages. nil means an estimate, as
	// prompt.Estimator documents it. A message's count is kept with it.
	Counter memory.TokenCounter
	// Models are context windows by the names of models, in tokens, beside those of
	// Models(), which they replace.
	Models map[string]int
	// Window is the context window where none is known, in tokens. 0 means
	// DefaultWindow.
	Window int
	// TTL is the time to live that every write has which brings none of its own.
	// 0 means none.
	TTL time.Duration
	// Summaries configures when and how what no longer fits the window is summarised.
	Summaries summary.Options
	// LongTerm is the long-term memory that sessions promote to. nil means none.
	LongTerm driver.LongTerm
	// Promotions configures how that is done in the background. Without LongTerm it means
	// nothing.
	Promotions promotion.Options
	// Logger is told of what fails in the background, by key and error, never of
	// contents. nil means none.
	Logger *slog.Logger
	// Now is the clock. nil means time.Now.
	Now func() time.Time
}

// validate returns the options with the defaults filled in.
func (o *Options) validate() (Options, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.TTL < 0 {
		return opts, fmt.Errorf("%w: %v", ErrTTL, opts.TTL)
	}
	if opts.Window < 0 {
		return opts, errors.New("session: negative window")
	}
	for model, window := range opts.Models {
		if window <= 0 {
			return opts, fmt.Errorf("session: window of model %q is %d tokens", model, window)
		}
	}
	models := Models()
	maps.Copy(models, opts.Models)
	opts.Models = models
	if opts.Window == 0 {
		opts.Window = DefaultWindow
	}
	if opts.Counter == nil {
		opts.Counter = plaintext.Estimator{}
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return opts, nil
}
