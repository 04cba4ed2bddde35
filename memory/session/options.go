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

// DefaultWindow is the context window of a session if none is given and its model is not
// known: 16,000 tokens.
const DefaultWindow = 16_000

// Options configures a Manager. The zero value is useful.
type Options struct {
	// Context configures the entities of each session. If nil, the defaults apply. If
	// blocks have a token budget, set the Capacity of middleware.CapacityFor. All managers
	// of a store should have the same: one with a smaller capacity drops entities when it
	// writes.
	Context *memory.ContextOptions
	// Counter counts the tokens of messages when they are written. If nil, they are
	// estimated, as prompt.Estimator documents.
	Counter memory.TokenCounter
	// Models maps names of models to context windows in tokens. It adds to those of the
	// function Models, and replaces them.
	Models map[string]int
	// Window is the context window in tokens if none is known. 0 means DefaultWindow.
	Window int
	// TTL is the time to live of writes without one. 0 means none.
	TTL time.Duration
	// Summaries configures when and how messages that exceed the window are summarised.
	Summaries summary.Options
	// LongTerm is the long-term memory that sessions are promoted to. If nil, none are.
	LongTerm driver.LongTerm
	// Promotions configures promotion in the background. It has no effect without
	// LongTerm.
	Promotions promotion.Options
	// Logger receives failures in the background, with keys and errors, never contents.
	// If nil, nothing is logged.
	Logger *slog.Logger
	// Now is the clock. If nil, it is time.Now.
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
			return opts, fmt.Errorf("session: window of model %q must be positive, got %d tokens", model, window)
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
