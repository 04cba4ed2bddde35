package summaryview

import (
	"errors"
	"log/slog"
	"time"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// Defaults of Options.
const (
	DefaultWorkers   = 2
	DefaultPoll      = 5 * time.Second
	DefaultLease     = time.Minute
	DefaultRefresh   = time.Hour
	DefaultRetention = 7 * 24 * time.Hour
)

// Options configures Views. The zero value is useful.
type Options struct {
	// Model writes the summaries. If nil, they are excerpts.
	Model longterm.LanguageModel
	// Counter counts tokens. If nil, they are estimated, as prompt.Estimator documents.
	Counter memory.TokenCounter
	// Workers is the number of tasks that Work runs at once. 0 means DefaultWorkers.
	Workers int
	// Poll is how often Work looks for tasks of other processes. 0 means DefaultPoll.
	Poll time.Duration
	// Lease is how long a task of a process that died waits for another. 0 means DefaultLease.
	Lease time.Duration
	// Refresh is the interval at which continuous views are summarised. 0 means DefaultRefresh.
	Refresh time.Duration
	// Retention is how long finished tasks are kept. 0 means DefaultRetention.
	Retention time.Duration
	// Logger receives failures, never contents. If nil, nothing is logged.
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
	if opts.Workers < 0 || opts.Poll < 0 || opts.Lease < 0 || opts.Refresh < 0 || opts.Retention < 0 {
		return opts, errors.New("summaryview: an option is negative")
	}
	if opts.Workers == 0 {
		opts.Workers = DefaultWorkers
	}
	for _, d := range []struct {
		value *time.Duration
		def   time.Duration
	}{{&opts.Poll, DefaultPoll}, {&opts.Lease, DefaultLease}, {&opts.Refresh, DefaultRefresh}, {&opts.Retention, DefaultRetention}} {
		if *d.value == 0 {
			*d.value = d.def
		}
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
