package llmhttp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

const (
	// DefaultMaxBody is the default of Options.MaxBody: 64 MiB.
	DefaultMaxBody = 64 << 20
	// DefaultConversations is the default of Options.Conversations.
	DefaultConversations = 256
)

// Options configures a WorkingMemory. The zero value is useful.
type Options struct {
	// Recorder returns the recorder of a request, given its context, or nil. A recorder
	// that the context carries (middleware.WithRecorder) takes precedence. If Recorder is
	// nil, that of New is used.
	Recorder func(ctx context.Context) *middleware.Recorder
	// Placement is where the block goes. The zero value is prompt.PlaceSystem.
	Placement prompt.Placement
	// MaxBody is the size of the largest request that is read, in bytes. 0 or less means
	// DefaultMaxBody.
	MaxBody int64
	// Conversations is the number of conversations whose beginning is remembered, so that
	// it need not be read again: 50 bytes for each message, up to 30 KB of what was said
	// and called last, the texts of system messages, and up to 1 MiB of results with handles.
	// 0 or less means DefaultConversations.
	Conversations int
	// Logger receives requests that could not be read, without their content. If nil,
	// nothing is logged.
	Logger *slog.Logger
}

// WorkingMemory changes the requests of a client and, with handles, the answers. It is safe for
// concurrent use.
type WorkingMemory struct {
	opts     Options
	recorder *middleware.Recorder
	prefixes *prefixes
	recency  recency
}

// New returns a WorkingMemory for a recorder. If rec is nil, contexts carry recorders
// (middleware.WithRecorder) or Options.Recorder returns them; without any, requests are
// unchanged. If opts is nil, the defaults are used.
func New(rec *middleware.Recorder, opts *Options) *WorkingMemory {
	w := &WorkingMemory{recorder: rec}
	if opts != nil {
		w.opts = *opts
	}
	w.opts.MaxBody = min(cmp.Or(max(w.opts.MaxBody, 0), DefaultMaxBody), math.MaxInt64-1)
	w.prefixes = newPrefixes(cmp.Or(max(w.opts.Conversations, 0), DefaultConversations))
	if w.opts.Logger == nil {
		w.opts.Logger = slog.New(slog.DiscardHandler)
	}
	return w
}

// Middleware sends a request by next, changed. The method is an option.Middleware of openai-go
// and of anthropic-sdk-go. Its errors are those of next, and of reading the body. With handles,
// reading the body of the response may fail with a wrapped *handle.UnknownError.
func (w *WorkingMemory) Middleware(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	rec := middleware.RecorderFor(req.Context(), w.opts.Recorder, w.recorder)
	api := apiOf(req)
	if rec == nil || api == nil || req.ContentLength > w.opts.MaxBody {
		return next(req)
	}
	body, rest, err := w.read(req)
	if err != nil {
		return nil, err
	}
	if rest != nil {
		return next(withRest(req, body, rest))
	}
	edited, ok := w.edit(req.Context(), rec, api, body)
	sent := withRest(req, body, nil)
	if edited != nil {
		sent, body = withBody(req, edited), edited
	}
	if !ok || rec.Handles() == nil {
		return next(sent)
	}
	sent.Header.Del("Accept-Encoding") // what the http.Transport asks for itself, it also decodes
	resp, err := next(sent)
	if err != nil || resp == nil {
		return resp, err
	}
	x := &exchange{WorkingMemory: w, recorder: rec, api: api, req: req, body: body, next: next}
	return x.receive(resp)
}

// Transport returns a RoundTripper that changes the requests and sends them by base. If base is
// nil, http.DefaultTransport is used.
func (w *WorkingMemory) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return transport(func(req *http.Request) (*http.Response, error) { return w.Middleware(req, base.RoundTrip) })
}

type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) { return t(req) }

// read reads the body of a request. If it is longer than MaxBody, rest has what follows.
func (w *WorkingMemory) read(req *http.Request) (body []byte, rest io.ReadCloser, err error) {
	var b bytes.Buffer
	if n := req.ContentLength; n > 0 {
		b.Grow(int(n) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(io.LimitReader(req.Body, w.opts.MaxBody+1)); err != nil {
		_ = req.Body.Close()
		return nil, nil, fmt.Errorf("llmhttp: reading the request: %w", err)
	}
	if int64(b.Len()) > w.opts.MaxBody {
		return b.Bytes(), req.Body, nil
	}
	_ = req.Body.Close()
	return b.Bytes(), nil, nil
}

// withBody returns a copy of a request with another body.
func withBody(req *http.Request, body []byte) *http.Request {
	req = req.Clone(req.Context())
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Header.Del("Content-Length")
	return req
}

// withRest returns a copy of a request whose body was read in part, with the same body.
func withRest(req *http.Request, body []byte, rest io.ReadCloser) *http.Request {
	clone := req.Clone(req.Context())
	clone.Body = io.NopCloser(bytes.NewReader(body))
	if rest != nil {
		clone.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), rest), rest}
	}
	return clone
}

// edit returns a changed body, or nil to leave it as it is, and whether it is one of the API.
func (w *WorkingMemory) edit(ctx context.Context, rec *middleware.Recorder, api api, body []byte) (edited []byte, ok bool) {
	r := w.prefixes.take(rec, api, body)
	r.identified = w.opts.Placement == prompt.PlaceAppend
	if err := r.read(body); err != nil {
		w.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "llmhttp: request not understood", slog.String("api", api.name()), slog.String("error", loggable(err)))
		return nil, false
	}
	at := w.opts.Placement
	if r.system == (span{}) && len(r.cached.of(body)) > len(`null`) {
		at = prompt.PlaceTail // Gemini accepts no system prompt beside a cached one
	}
	t := &r.transcript
	_ = rec.RecordHistory(ctx, t.history) // the recorder reports failures to its OnCall and Logger
	rec.Prepare(ctx, prompt.Message{Role: "assistant", Content: t.assistant}, prompt.Message{Role: "user", Content: t.user})
	if rec.Handles() != nil {
		r.rewrite(ctx, &w.recency, body)
	}
	edited = r.apply(body, rec.Edits(t.outline, at), at)
	w.prefixes.put(r, body)
	return edited, true
}

// loggable returns the text of an error without what it quotes of a body.
func loggable(err error) string {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Sprintf("invalid JSON at byte %d", syntax.ByteOffset)
	}
	return errFormat.Error()
}
