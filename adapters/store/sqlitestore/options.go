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

// Options are the settings of a Store. Nil and the zero value are the defaults.
type Options struct {
	// Relaxed lets writes be acknowledged before they are on the disk. A power
	// failure, or a crash of the operating system, may then lose the last of them;
	// a killed process loses nothing. In either case the file stays sound.
	Relaxed bool
	// BusyTimeout is how long a call waits for another process that has the file
	// locked, before it gives up with session.ErrUnavailable, if its context does
	// not end before. Calls that wait together give up together, those that came
	// late earlier. 0: DefaultBusyTimeout. Negative: an error.
	BusyTimeout time.Duration
	// ReadConns is how many calls that read may do so at a time, searches of the Index
	// among them; others wait.
	// 0: DefaultReadConns. Negative: an error.
	ReadConns int
	// SweepInterval is how often sessions that have expired are removed from the
	// file. It is not what makes them expire: nobody sees them from then on. 0:
	// DefaultSweepInterval. Negative: only Store.Sweep removes them.
	SweepInterval time.Duration
	// Logger hears of sweeps that failed. Nil: nobody does; the next one tries again.
	Logger *slog.Logger
	// Now is the clock by which sessions expire. Nil: time.Now.
	Now func() time.Time
}

// filled returns the options with the defaults in place.
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
