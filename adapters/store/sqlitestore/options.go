package sqlitestore

import (
	"errors"
	"log/slog"
	"time"
)

// The defaults of Options.
const (
	DefaultBusyTimeout   = 5 * time.Second
	DefaultReadConns     = 4
	DefaultSweepInterval = time.Minute
)

// Options configures a Store. The zero value uses the defaults.
type Options struct {
	// Relaxed acknowledges writes before they are on disk. A power failure or a crash of
	// the operating system may then lose the last of them. A killed process loses nothing.
	// The file stays consistent in either case.
	Relaxed bool
	// BusyTimeout is how long a call waits for a lock of another process before it returns
	// session.ErrUnavailable. Calls that wait for the same lock give up together, so a later
	// one waits less. If zero, DefaultBusyTimeout is used. Negative values are an error.
	BusyTimeout time.Duration
	// ReadConns is the number of calls that can read at the same time, including searches of
	// the Index. Others wait. If zero, DefaultReadConns is used. Negative values are an error.
	ReadConns int
	// SweepInterval is the interval at which expired sessions are removed from the file. They
	// are invisible before that. If zero, DefaultSweepInterval is used. If negative, only
	// Store.Sweep removes them.
	SweepInterval time.Duration
	// Logger receives failures in the background, which are retried: failed sweeps, and failures to
	// index records of an earlier version of the file. If nil, nothing is logged.
	Logger *slog.Logger
	// Now is the clock by which sessions expire. If nil, time.Now is used.
	Now func() time.Time
}

// filled returns the options with their defaults, or an error for invalid ones.
func (o *Options) filled() (Options, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.BusyTimeout < 0 {
		return opts, errors.New("sqlitestore: negative BusyTimeout")
	}
	if opts.ReadConns < 0 {
		return opts, errors.New("sqlitestore: negative ReadConns")
	}
	if opts.BusyTimeout == 0 {
		opts.BusyTimeout = DefaultBusyTimeout
	}
	if opts.ReadConns == 0 {
		opts.ReadConns = DefaultReadConns
	}
	if opts.SweepInterval == 0 {
		opts.SweepInterval = DefaultSweepInterval
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return opts, nil
}
