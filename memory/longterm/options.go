package longterm

import (
	"errors"
	"log/slog"
	"time"
)

// Defaults of Options.
const (
	// DefaultMergeDistance is how near two texts must be to be merged.
	DefaultMergeDistance = 0.05
	// DefaultTouchEvery is how often uses are written.
	DefaultTouchEvery = time.Second
)

// Options configures a Memory. The zero value is useful.
type Options struct {
	// Embedder makes vectors of texts: of those that are put, of their first 16 KiB,
	// and of those that are searched for. nil means that searches are by keywords, and
	// that only what has the same text is merged.
	Embedder Embedder
	// AcrossSessions says that the same text in two sessions of a user is one memory.
	// Otherwise it is one in each. See Memory.Compact for what was put before it was
	// changed.
	AcrossSessions bool
	// MergeDistance is how far two texts may be from each other, as 1 − cosine, to be
	// taken for the same memory, from 0 to 2. 0 means DefaultMergeDistance, a negative
	// number never. It depends on the model: 0.05 is cautious with those in use.
	MergeDistance float64
	// TouchEvery is how often the uses of records are written that searches found;
	// several in that time count as one. 0 means DefaultTouchEvery, a negative number
	// that each search writes its own.
	TouchEvery time.Duration
	// Logger is told of what fails without an error: uses that cannot be written, an
	// embedder without which is searched. Of memories it hears nothing. nil means none.
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
	switch {
	case opts.MergeDistance != opts.MergeDistance || opts.MergeDistance > 2:
		return opts, errors.New("longterm: merge distance is not a number up to 2")
	case opts.MergeDistance == 0:
		opts.MergeDistance = DefaultMergeDistance
	}
	if opts.TouchEvery == 0 {
		opts.TouchEvery = DefaultTouchEvery
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return opts, nil
}
