package longterm

import (
	"errors"
	"log/slog"
	"time"
)

// Defaults of Options.
const (
	// DefaultMergeDistance is the largest distance of two texts that merge.
	DefaultMergeDistance = 0.05
	// DefaultTouchEvery is the interval between writes of uses.
	DefaultTouchEvery = time.Second
)

// Options configures a Memory. The zero value applies all defaults.
type Options struct {
	// Embedder makes vectors of questions and of the first 16 KiB of texts. If nil,
	// searches use keywords, and only equal texts merge.
	Embedder Embedder
	// AcrossSessions merges equal texts of different sessions of a user. Otherwise each
	// session has its own record. Memory.Compact applies a change of this option to
	// existing records.
	AcrossSessions bool
	// MergeDistance is the largest distance, as 1 − cosine, at which two texts are the same
	// memory, up to 2. 0 means that of a TunedEmbedder, otherwise DefaultMergeDistance; a negative
	// value disables merging by distance. The right value depends on the model: 0.05 is cautious with common ones.
	MergeDistance float64
	// TouchEvery is the interval at which the uses of found records are written; several
	// uses in one interval count once. 0 means DefaultTouchEvery. With a negative value,
	// each search writes its own.
	TouchEvery time.Duration
	// Logger receives failures that no call returns: uses that cannot be written, and an
	// embedder that fails in a search. It never receives contents. If nil, nothing is
	// logged.
	Logger *slog.Logger
	// Now returns the current time. If nil, time.Now is used.
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
		return opts, errors.New("longterm: merge distance is greater than 2 or not a number")
	case opts.MergeDistance == 0:
		opts.MergeDistance = tuningOf(opts.Embedder).MergeDistance
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
