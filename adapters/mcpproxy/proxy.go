package mcpproxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// Defaults of Options.
const (
	// DefaultRecordTimeout limits the recording of a call.
	DefaultRecordTimeout = 5 * time.Second
	// DefaultGrace limits how long pending requests may take at the end.
	DefaultGrace = 5 * time.Second
)

// ResultBlock is where the block is added to the results of tools.
type ResultBlock int

const (
	// BlockNowhere leaves results as they are.
	BlockNowhere ResultBlock = iota
	// BlockBefore adds the block as the first content of each result.
	BlockBefore
	// BlockAfter adds the block as the last content of each result.
	BlockAfter
)

// Options configures Run. The zero value is useful.
type Options struct {
	// ResultBlock adds the block to the result of each recorded tool call. The result is then
	// sent after the call has been recorded.
	ResultBlock ResultBlock
	// ResultTools adds the tools read_result and list_results. Set it if the recorder stores
	// results.
	ResultTools bool
	// RecordTimeout limits the recording of a call, and thereby the delay of a result that waits
	// for it. A store may take middleware.SessionsOptions.Grace longer. Zero means
	// DefaultRecordTimeout.
	RecordTimeout time.Duration
	// Grace limits how long the server may take to answer pending requests after the client has
	// ended, and then to end itself. Zero means DefaultGrace.
	Grace time.Duration
	// Logger receives what could not be recorded, never contents. The failures of a recorder go
	// to its own logger. If nil, nothing is logged.
	Logger *slog.Logger
}

// Run passes the messages between a client and a server, and records the tool calls in the
// recorder, until one of them or ctx ends. It closes both connections.
//
// When the client ends, pending requests are answered first; then the input of the server is
// closed. Each may take Options.Grace. Calls that remain unanswered are recorded as failed. The
// error is nil after the end of the client, or of a server that does not fail. Errors: ctx.Err();
// that of the server's Close, an *exec.ExitError for a process that failed; those of the
// connections.
func Run(ctx context.Context, recorder *middleware.Recorder, client, server Conn, opts *Options) error {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	r := newRelay(context.WithoutCancel(ctx), recorder, client, server, opts)
	fromClient, fromServer := make(chan error, 1), &ending{done: make(chan struct{})}
	r.running.Go(func() { fromClient <- r.relayClient(inner) })
	r.running.Go(func() { fromServer.err = r.relayServer(inner); close(fromServer.done) })
	err := r.waitForEnd(ctx, fromClient, fromServer)
	closed := server.Close()
	cancel()
	await(&r.running, r.opts.Grace)
	r.settle(context.WithoutCancel(ctx))
	_ = client.Close()
	await(&r.running, r.opts.Grace)
	if closed != nil {
		closed = fmt.Errorf("mcpproxy: the server ended: %w", closed)
	}
	return errors.Join(err, closed)
}

// ending is the end of a direction, with the error that is set before done is closed.
type ending struct {
	done chan struct{}
	err  error
}

// relay passes the messages between a client and a server.
type relay struct {
	recorder       *middleware.Recorder
	client, server Conn
	opts           Options
	rewrites       bool // the recorder has handles or stores results
	own            []ownTool
	running        sync.WaitGroup // the goroutines that pass messages
	answers        sync.WaitGroup // those that send an answer when its call is recorded
	pending        *pending
	work           *queue
	tasks          tasks
	name           atomic.Pointer[string] // that the server gives itself
	hidden         sync.Map               // names of own tools that the server has, too
}

func newRelay(ctx context.Context, recorder *middleware.Recorder, client, server Conn, opts *Options) *relay {
	r := &relay{recorder: recorder, client: client, server: server, pending: newPending(), work: newQueue(ctx)}
	if opts != nil {
		r.opts = *opts
	}
	r.opts.RecordTimeout = cmp.Or(max(r.opts.RecordTimeout, 0), DefaultRecordTimeout)
	r.opts.Grace = cmp.Or(max(r.opts.Grace, 0), DefaultGrace)
	if r.opts.Logger == nil {
		r.opts.Logger = slog.New(slog.DiscardHandler)
	}
	r.rewrites = recorder.Handles() != nil
	r.own = r.ownTools()
	return r
}

// waitForEnd waits until the client, the server or ctx ends, and then until the server has ended
// or its time is over. It returns the error of the first end.
func (r *relay) waitForEnd(ctx context.Context, fromClient <-chan error, fromServer *ending) (err error) {
	select {
	case <-fromServer.done:
		return fromServer.err
	case err = <-fromClient:
		if err == nil {
			r.pending.wait(ctx, fromServer.done, r.opts.Grace)
		}
	case <-ctx.Done():
		err = ctx.Err()
	}
	_ = r.server.CloseSend()
	timer := time.NewTimer(r.opts.Grace)
	defer timer.Stop()
	select {
	case <-fromServer.done:
	case <-timer.C:
	}
	return err
}

// settle records what was begun and sends its answers, within the time for one call each.
func (r *relay) settle(ctx context.Context) {
	for _, left := range r.pending.takeAll() {
		r.recordFailure(left, errUnanswered)
	}
	ctx, cancel := context.WithTimeout(ctx, r.opts.RecordTimeout)
	defer cancel()
	r.work.finish(ctx)
	await(&r.answers, r.opts.RecordTimeout)
}

// await waits until all goroutines of a group have ended, but no longer than limit: a write to a
// client that does not read may end only with Close.
func await(group *sync.WaitGroup, limit time.Duration) {
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// errUnanswered is the failure of a call that the server never answered.
var errUnanswered = errors.New("the server ended before it answered")

// relayClient passes the client's messages until it ends, or the server does not accept them.
func (r *relay) relayClient(ctx context.Context) error {
	for {
		p, err := r.client.Receive(ctx)
		if err != nil {
			return endOf("receiving from the client", err)
		}
		if p, ok := r.changed(ctx, p, r.fromClient); !ok {
			continue
		} else if err := r.server.Send(ctx, p); err != nil {
			return fmt.Errorf("mcpproxy: sending to the server: %w", err)
		}
	}
}

// relayServer passes the server's messages until it ends, or the client does not accept them.
func (r *relay) relayServer(ctx context.Context) error {
	for {
		p, err := r.server.Receive(ctx)
		if err != nil {
			return endOf("receiving from the server", err)
		}
		if p, ok := r.changed(ctx, p, r.fromServer); !ok {
			continue
		} else if err := r.client.Send(ctx, p); err != nil {
			return fmt.Errorf("mcpproxy: sending to the client: %w", err)
		}
	}
}

// changed applies a function that changes messages to a packet. It returns false if the function
// returns nil, which means that the message is not passed on.
func (r *relay) changed(ctx context.Context, p Packet, change func(context.Context, []byte) []byte) (Packet, bool) {
	if p.Rest != nil || len(p.Text) > MaxRecorded {
		r.opts.Logger.WarnContext(ctx, "mcpproxy: a long message is not recorded", slog.Int("limit", MaxRecorded))
		return p, true
	}
	p.Text = change(ctx, p.Text)
	return p, p.Text != nil
}

// endOf returns the error of a relay whose connection has ended: nil for a regular end.
func endOf(doing string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return fmt.Errorf("mcpproxy: %s: %w", doing, err)
}
