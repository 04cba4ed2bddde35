package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/turns"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// Defaults of Options.
const (
	// DefaultName is the name that the server announces.
	DefaultName = "workingmemory"
	// DefaultTimeout limits a tool call.
	DefaultTimeout = 2 * time.Minute
	// DefaultBodyTimeout limits the time to send an HTTP request.
	DefaultBodyTimeout = 30 * time.Second
	// DefaultMaxBodyBytes limits the size of an HTTP request or a line: 4 MiB.
	DefaultMaxBodyBytes = 4 << 20
	// DefaultMaxCalls limits concurrent tool calls.
	DefaultMaxCalls = 64
)

// Options configures a Server. The zero value serves the working memory of all tenants, without
// long-term memory.
type Options struct {
	// Memory is the long-term memory. If nil, long-term memory is disabled.
	Memory *longterm.Memory
	// Promoter decides which strategies are valid. If nil, all are accepted.
	Promoter *longterm.Promoter
	// Recording configures how tool calls are recorded and blocks rendered. If nil, the
	// defaults apply. If its Extractor is nil, the server runs a limited number of extractions
	// at once: see extractor.Throttle, which a program may share between servers. Its Handles
	// and Results apply to calls that do not say otherwise.
	Recording *middleware.SessionsOptions
	// Tenant returns whose memory a call may read and write. It is called for every call, with
	// a context that has the values of the HTTP request that brought it. An error refuses the
	// call; its text is not sent to the client. If nil, all data may be used.
	Tenant func(ctx context.Context) (auth.Tenant, error)
	// Count reports whether an HTTP request may carry n messages in addition to the first, as
	// old versions of the protocol allow. It is for rate limiters, which have counted the
	// request as one. If it returns false, wait is the time until the request would be
	// accepted, or 0 for never. Its context is that of the request. If nil, batches are not
	// limited by rate.
	Count func(ctx context.Context, n int) (wait time.Duration, ok bool)
	// Tools are the names of the tools to offer, or of sets: ToolsCore, ToolsAll. If empty, they
	// are those of ToolsCore.
	Tools []string
	// Namespace and UserID are the defaults for requests that name none, unless the tenant
	// determines them.
	Namespace, UserID string
	// SessionID is the session of calls that name none. If empty, New makes one, and each MCP
	// session over HTTP has one of its own. Calls over HTTP without an MCP session, which new
	// versions of the protocol do not have, must name a session then.
	SessionID string
	// AnyHost accepts HTTP requests on a loopback address whose Host is another, as a reverse
	// proxy may send them. Set it only if the server requires tokens: otherwise any web page
	// could make the user's browser call the server.
	AnyHost bool
	// MaxBodyBytes limits the size of an HTTP request and of a line that RunIO reads. Zero
	// means DefaultMaxBodyBytes.
	MaxBodyBytes int64
	// MaxCalls limits the tool calls that run at once for all clients together. Others wait,
	// and tenants take turns. Zero means DefaultMaxCalls.
	MaxCalls int
	// BodyTimeout limits the time that a client takes to send an HTTP request. Zero means
	// DefaultBodyTimeout.
	BodyTimeout time.Duration
	// Timeout limits a tool call, and an HTTP request. Zero means DefaultTimeout.
	Timeout time.Duration
	// Observe is called for each message of a client after it is served and before the answer
	// is written. It must be safe for concurrent use. May be nil.
	Observe func(Observation)
	// Logger receives one record for each message, with the context of its HTTP request, and
	// failures, never contents. If nil, nothing is logged.
	Logger *slog.Logger
	// Name and Version are announced to clients. They default to DefaultName and "0".
	Name, Version string
	// Now is the clock. If nil, it is time.Now.
	Now func() time.Time
}

// withDefaults returns the options with every default filled in.
func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	opts.Name, opts.Version = cmp.Or(opts.Name, DefaultName), cmp.Or(opts.Version, "0")
	opts.MaxBodyBytes = cmp.Or(max(opts.MaxBodyBytes, 0), DefaultMaxBodyBytes)
	opts.MaxCalls = cmp.Or(max(opts.MaxCalls, 0), DefaultMaxCalls)
	opts.BodyTimeout = cmp.Or(max(opts.BodyTimeout, 0), DefaultBodyTimeout)
	opts.Timeout = cmp.Or(max(opts.Timeout, 0), DefaultTimeout)
	if opts.Tenant == nil {
		opts.Tenant = func(context.Context) (auth.Tenant, error) { return auth.Tenant{}, nil }
	}
	if opts.Count == nil {
		opts.Count = func(context.Context, int) (time.Duration, bool) { return 0, true }
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return opts
}

// Server is an MCP server for the sessions of a manager. It is safe for concurrent use, on any
// number of transports at once.
type Server struct {
	opts    Options
	service *service.Service
	mcp     *mcp.Server
	made    string // the session of calls that name none, for clients without one
	offered []offered
	names   map[string]bool // of the selected tools
	decoder wire.Decoder
	running *turns.Turns
}

// New returns a server for the sessions of a manager. The caller remains responsible for
// closing the manager. Nil options mean the defaults. Errors: ErrUnknownTool, and those of
// Options.Recording.
func New(sessions *session.Manager, opts *Options) (*Server, error) {
	s := &Server{opts: opts.withDefaults(), made: newID(), names: map[string]bool{}, decoder: wire.Decoder{Strict: true}}
	var err error
	s.service, err = service.New(sessions, &service.Options{
		Memory: s.opts.Memory, Promoter: s.opts.Promoter, Recording: s.opts.Recording, Owner: s.ownerOf, Logger: s.opts.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("mcpserver: %w", err)
	}
	s.running = turns.New(s.opts.MaxCalls)
	for _, add := range []func(*Server) error{addSessionTools, addWritingTools, addResultTools, addMemoryTools, addSimpleTools, addChangingTools, addTurnTools} {
		if err := add(s); err != nil {
			return nil, fmt.Errorf("mcpserver: %w", err)
		}
	}
	tools, err := s.selected()
	if err != nil {
		return nil, err
	}
	for _, t := range tools {
		s.names[t.listed.Name] = true
	}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: s.opts.Name, Version: s.opts.Version}, &mcp.ServerOptions{
		// The lists of tools, resources and prompts do not change, so the server announces no notifications.
		Instructions: s.instructions(),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}, Prompts: &mcp.PromptCapabilities{}},
	})
	for _, t := range tools {
		s.mcp.AddTool(t.listed, t.handle)
	}
	s.addResources()
	s.addPrompt()
	s.mcp.AddReceivingMiddleware(s.observed, withEmptyTexts)
	return s, nil
}

// MCP returns the underlying server, to run it on other transports or to add tools to it.
func (s *Server) MCP() *mcp.Server { return s.mcp }
