package rest

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// Defaults of Options.
const (
	DefaultMaxBodyBytes   = 32 << 20
	DefaultMaxBodiesBytes = 256 << 20
	DefaultBodyTimeout    = 30 * time.Second
	DefaultTimeout        = 2 * time.Minute
)

// Options configures a Handler. The zero value is useful, where nobody but the program itself
// can reach it: it asks for no tokens.
type Options struct {
	// Memory is the long-term memory. nil: its routes answer that it is disabled.
	Memory *longterm.Memory
	// Promoter tells which strategies can be used. nil: no strategy is refused.
	Promoter *longterm.Promoter
	// Recording says how tool calls are recorded and blocks rendered. nil means the
	// defaults.
	Recording *middleware.SessionsOptions
	// Verifier checks tokens. nil: there is no authentication.
	Verifier *auth.Verifier
	// Rate is how many requests a second each token may make of this Handler, or each client's
	// address where there are no tokens: several processes on one store count on their own.
	// 0: as many as it likes.
	Rate float64
	// Burst is how many of them may come at once. 0 means Rate, rounded up.
	Burst int
	// MaxBodyBytes is how long a body may be. 0 means DefaultMaxBodyBytes.
	MaxBodyBytes int64
	// MaxBodiesBytes bounds the memory of all requests in flight: their bodies as far as they
	// arrived, what these are decoded to, which is about three times a body of long texts and up
	// to fifty times one of many small values, and answers of more than 4 KiB until they are sent.
	// A request for which there is no room is refused with 503 and Retry-After, or with 413 if it
	// could never fit; a quarter is kept for requests that take at most 256 KiB. A client that
	// sends or reads slowly holds its part no longer than BodyTimeout lets it. 0 means
	// DefaultMaxBodiesBytes, or eight times MaxBodyBytes if that is more.
	MaxBodiesBytes int64
	// BodyTimeout is how long a client may take to send a body, or to read an answer of more
	// than 4 KiB. It may take longer while 64 KiB a second arrive. 0 means DefaultBodyTimeout.
	BodyTimeout time.Duration
	// Timeout is how long a request may take, its body included. 0 means DefaultTimeout.
	Timeout time.Duration
	// Observe is told of each request after its answer. It may be called by several
	// goroutines at a time. nil means nobody.
	Observe func(Observation)
	// Logger is told of each request in one record: never of paths, query values, tokens or
	// contents. nil means none.
	Logger *slog.Logger
	// Now is the clock of rates and of GET /v1/health. nil means time.Now.
	Now func() time.Time
}

// Observation is what Options.Observe hears of a request.
type Observation struct {
	// Method is one of HTTP's own, or OTHER.
	Method string
	// Route is the pattern of the route, empty where none matched.
	Route string
	// Status is that of the answer; 499 where the client did not wait for it, or seemed not to,
	// or did not read all of it in time.
	Status int
	// Duration is from the request's header to the end of the answer.
	Duration time.Duration
	// BytesIn and BytesOut are those of the bodies.
	BytesIn, BytesOut int64
}

// Handler serves the API. It is safe for concurrent use.
type Handler struct {
	service  *service.Service
	opts     Options
	routes   []route
	decoder  wire.Decoder
	memory   *budget
	requests *limiters // nil: no limit
	failures *limiters
	known    *lru[[32]byte, struct{}]       // hashes of tokens that were valid
	docs     func() (*documentation, error) // made when somebody asks for it: it takes a while
}

// New makes a handler on a manager, which stays the caller's to close, after the server. nil
// options mean the defaults. The error says which option is wrong.
func New(sessions *session.Manager, opts *Options) (*Handler, error) {
	valid, err := opts.validate()
	if err != nil {
		return nil, err
	}
	s, err := service.New(sessions, &service.Options{
		Memory: valid.Memory, Promoter: valid.Promoter, Recording: valid.Recording, Logger: valid.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	h := &Handler{
		service: s, opts: valid, routes: routes(),
		memory:   &budget{max: valid.MaxBodiesBytes},
		failures: newLimiters(failuresPerSecond, failuresAtOnce, valid.Now),
		known:    newLRU[[32]byte, struct{}](maxLimiters),
	}
	if valid.Rate > 0 {
		h.requests = newLimiters(valid.Rate, valid.Burst, valid.Now)
	}
	h.docs = sync.OnceValues(func() (*documentation, error) { return newDocumentation(h.routes) })
	return h, nil
}

func (o *Options) validate() (Options, error) {
	var v Options
	if o != nil {
		v = *o
	}
	switch {
	case v.Rate < 0 || math.IsNaN(v.Rate) || math.IsInf(v.Rate, 0):
		return v, errors.New("rest: Rate is negative or no number")
	case v.Burst < 0:
		return v, errors.New("rest: Burst is negative")
	case v.MaxBodyBytes < 0 || v.MaxBodiesBytes < 0:
		return v, errors.New("rest: a limit of bytes is negative")
	case v.BodyTimeout < 0 || v.Timeout < 0:
		return v, errors.New("rest: a timeout is negative")
	}
	v.Burst = cmp.Or(v.Burst, int(min(math.Ceil(v.Rate), math.MaxInt32)))
	v.MaxBodyBytes = cmp.Or(v.MaxBodyBytes, DefaultMaxBodyBytes)
	v.MaxBodiesBytes = cmp.Or(v.MaxBodiesBytes, max(DefaultMaxBodiesBytes, 8*v.MaxBodyBytes))
	v.BodyTimeout = cmp.Or(v.BodyTimeout, DefaultBodyTimeout)
	v.Timeout = cmp.Or(v.Timeout, DefaultTimeout)
	if v.Logger == nil {
		v.Logger = slog.New(slog.DiscardHandler)
	}
	if v.Now == nil {
		v.Now = time.Now
	}
	return v, nil
}
