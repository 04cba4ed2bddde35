package rest

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
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

// Options configures a Handler. The zero value is useful, but requires no tokens: use it only
// where no other program can reach the server.
type Options struct {
	// Memory is the long-term memory. If nil, its routes answer that it is disabled.
	Memory *longterm.Memory
	// Promoter checks the strategies of sessions. If nil, every strategy is accepted.
	Promoter *longterm.Promoter
	// Views are the summary views of Memory. The caller runs Views.Work, without which tasks stay
	// pending. If nil, the routes of summary views and tasks answer that they are disabled.
	Views *summaryview.Views
	// Recording configures the recording of tool calls and the rendering of blocks. If nil, the
	// defaults apply. If its Extractor is nil, the handler runs a limited number of extractions
	// at once, of requesters in turn: see extractor.Throttle, which a program may share between
	// servers. Its Handles and Results apply to calls that do not say otherwise.
	Recording *middleware.SessionsOptions
	// Verifier checks tokens. If nil, there is no authentication.
	Verifier *auth.Verifier
	// Rate is the maximum number of requests a second of each token, or of each client address
	// without a Verifier. Each process counts on its own. 0 means no limit.
	Rate float64
	// Burst is the maximum number of requests at once. 0 means Rate, rounded up.
	Burst int
	// TrustedProxies are the addresses of the proxies in front of the handler. The address of
	// a client is taken from X-Forwarded-For as far as these have written it, for rates,
	// failed authentications and logs. A peer on a Unix socket counts as loopback. Name proxies
	// only: a client with one of the addresses could claim any other. If empty, the address is
	// that of the peer.
	TrustedProxies []netip.Prefix
	// MaxBodyBytes is the maximum length of a body. 0 means DefaultMaxBodyBytes.
	MaxBodyBytes int64
	// MaxBodiesBytes bounds the memory of all requests in flight: their bodies as far as they
	// have arrived, the decoded bodies, which take about three times as much for long texts and
	// up to fifty times as much for many small values, what stores return, for which the same
	// holds and which counts before it is read, and answers of more than 4 KiB until they are
	// sent. A request that does not fit is refused with 503 and Retry-After, or with 413 if it
	// could never fit: a session of more than about three eighths can only be read in part.
	// A quarter is reserved for requests of at most 256 KiB. BodyTimeout limits how long a slow
	// client holds its part. 0 means DefaultMaxBodiesBytes, or eight times MaxBodyBytes if that
	// is more.
	MaxBodiesBytes int64
	// BodyTimeout is the time in which a client must send a body, or read an answer of more than
	// 4 KiB. Each 64 KiB that are transferred in time extend it by a second. 0 means
	// DefaultBodyTimeout.
	BodyTimeout time.Duration
	// Timeout is the maximum duration of a request, including its body. 0 means DefaultTimeout.
	Timeout time.Duration
	// Observe is called after each answer, possibly by several goroutines at once. It may be
	// nil.
	Observe func(Observation)
	// Logger receives one record for each request, without paths, query values, tokens and
	// contents. If nil, nothing is logged.
	Logger *slog.Logger
	// Now is the clock of rates and of GET /v1/health. If nil, it is time.Now.
	Now func() time.Time
}

// Observation describes a request for Options.Observe.
type Observation struct {
	// Method is a method of HTTP, or OTHER.
	Method string
	// Route is the pattern of the route, or "" if none matched.
	Route string
	// Status is the status of the answer, or 499 if the client left before the answer or did
	// not read all of it in time.
	Status int
	// Duration is the time from the header of the request to the end of the answer.
	Duration time.Duration
	// BytesIn and BytesOut are the lengths of the bodies.
	BytesIn, BytesOut int64
}

// Handler serves the API. It is safe for concurrent use.
type Handler struct {
	service   *service.Service
	opts      Options
	routes    []route
	decoder   wire.Decoder
	memory    *service.Budget
	requests  *limiters // nil: no limit
	failures  *limiters
	known     *lru[[32]byte, struct{}] // hashes of tokens that were valid
	strangers chan struct{}            // holds a value for each lookup of a token that is not known
	openapi   func() ([]byte, error)   // made by the first request, since it is slow
}

// New returns a handler on a manager, which the caller closes after the server. If opts is nil,
// the defaults apply. It returns an error if an option is invalid.
func New(sessions *session.Manager, opts *Options) (*Handler, error) {
	valid, err := opts.validate()
	if err != nil {
		return nil, err
	}
	s, err := service.New(sessions, &service.Options{
		Memory: valid.Memory, Promoter: valid.Promoter, Views: valid.Views, Recording: valid.Recording, Owner: RequesterFrom, Logger: valid.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("rest: %w", err)
	}
	h := &Handler{
		service: s, opts: valid, routes: routes(),
		memory:    service.NewBudget(valid.MaxBodiesBytes),
		failures:  newLimiters(failuresPerSecond, failuresAtOnce, valid.Now),
		known:     newLRU[[32]byte, struct{}](maxLimiters),
		strangers: make(chan struct{}, maxStrangers),
	}
	if valid.Rate > 0 {
		h.requests = newLimiters(valid.Rate, valid.Burst, valid.Now)
	}
	h.openapi = sync.OnceValues(func() ([]byte, error) { return document(h.routes) })
	return h, nil
}

func (o *Options) validate() (Options, error) {
	var v Options
	if o != nil {
		v = *o
	}
	switch {
	case v.Rate < 0 || math.IsNaN(v.Rate) || math.IsInf(v.Rate, 0):
		return v, errors.New("rest: Rate is negative or not finite")
	case v.Burst < 0:
		return v, errors.New("rest: Burst is negative")
	case slices.ContainsFunc(v.TrustedProxies, func(p netip.Prefix) bool { return !p.IsValid() || p.Addr().Is4In6() }):
		return v, errors.New("rest: TrustedProxies has a prefix that is invalid, or of IPv4 in the form of IPv6")
	case v.MaxBodyBytes < 0 || v.MaxBodiesBytes < 0:
		return v, errors.New("rest: MaxBodyBytes or MaxBodiesBytes is negative")
	case v.BodyTimeout < 0 || v.Timeout < 0:
		return v, errors.New("rest: BodyTimeout or Timeout is negative")
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
