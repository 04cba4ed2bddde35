package middleware

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// ErrSuspended is returned by a tool, or wrapped, if its call neither succeeded nor failed: it
// waits for an approval, or for more input, and will run again. It is not recorded.
var ErrSuspended = errors.New("middleware: tool call suspended")

// ErrStreamTooLong is returned if a tool streams more than MaxStreamed bytes. Those before are
// recorded.
var ErrStreamTooLong = errors.New("middleware: streamed result too long to be recorded whole")

// MaxStreamed is the number of bytes of a streamed result that are recorded: 16 MiB.
const MaxStreamed = 16 << 20

// RunningCall is a tool call in progress, which is recorded once it has finished. A call that
// never finishes, such as a suspended one, is not recorded and holds nothing. All methods do
// nothing on a nil RunningCall. It is safe for concurrent use.
type RunningCall struct {
	rec   *Recorder
	ctx   context.Context
	call  ToolCall
	wrong error        // in the arguments
	outer *RunningCall // nil unless it is the same call in an outer wrapper

	mu       sync.Mutex
	finished bool   // no longer to be recorded
	stub     string // of the stored result
	streamed strings.Builder
	cut      bool // of streamed
}

type runningKey struct{}

// Begin returns a RunningCall and a context for running the tool with RunningCall.Arguments. The
// call has an ID, if it is known, a Name and Arguments.
//
// If wrappers of several kinds see one call, the innermost records it, because the result may be
// shortened on its way out; each of them records a call that finishes after the outer one. A call
// within another one is the same call if it has the same recorder, the same Name but for that of
// an MCP server in front of it, and the same ID or, if one of them has none, the same Arguments.
func (r *Recorder) Begin(ctx context.Context, call ToolCall) (context.Context, *RunningCall) {
	r.setUpBacking()
	if call.Start.IsZero() {
		call.Start = time.Now()
	}
	c := &RunningCall{rec: r, call: call}
	if decoded, err := r.DecodeArguments(ctx, call.Arguments); err != nil {
		c.wrong = err
	} else {
		c.call.Arguments = decoded
	}
	if outer, ok := ctx.Value(runningKey{}).(*RunningCall); ok && outer.isSame(c) {
		c.outer = outer
	}
	c.ctx = context.WithValue(ctx, runningKey{}, c)
	return c.ctx, c
}

func (c *RunningCall) isSame(inner *RunningCall) bool {
	a, b := &c.call, &inner.call
	if c.rec != inner.rec || !isSameTool(a.Name, b.Name) {
		return false
	}
	if a.ID != "" && b.ID != "" {
		return a.ID == b.ID
	}
	l := c.rec.ledger
	return l.digestOf(canonical(a.Arguments)) == l.digestOf(canonical(b.Arguments))
}

// Name returns the name of the tool.
func (c *RunningCall) Name() string {
	if c == nil {
		return ""
	}
	return c.call.Name
}

// Arguments returns the arguments for the tool, with ids in place of handles (see
// Recorder.DecodeArguments). After an error the tool must not be called and the call is not
// recorded: pass the text of the error to the model as the call's result.
func (c *RunningCall) Arguments() (any, error) {
	if c == nil {
		return nil, nil
	}
	if c.wrong != nil {
		if _, _, ok := c.end(nil, false); ok {
			refused := c.rec.withIDs(c.ctx, c.call) // as RecordHistory sees it
			refused.Result = c.rec.Decode(c.wrong.Error())
			c.rec.ledger.addMade(&refused)
		}
		return nil, c.wrong
	}
	return c.call.Arguments, nil
}

// Shown returns what the model is to see in place of a result of the finished call: its Stub, or
// the result with handles in place of ids (see Recorder.EncodeResult). An adapter whose results
// have parts calls Stub, and Shown for each part.
func (c *RunningCall) Shown(result any) any {
	if c == nil {
		return result
	}
	if stub, ok := c.Stub(); ok {
		return stub
	}
	return c.rec.EncodeResult(result)
}

// Stub returns the text that the model is to see in place of all parts of the finished call's
// result, and false if the result is not stored: see Options.Results.
func (c *RunningCall) Stub() (stub string, ok bool) {
	if c == nil {
		return "", false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stub, c.stub != ""
}

// Append adds a part of a streamed result. Finish with a nil result records the parts as one
// text.
func (c *RunningCall) Append(text string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if room := MaxStreamed - c.streamed.Len(); len(text) > room {
		for room > 0 && !utf8.RuneStart(text[room]) {
			room--
		}
		text, c.cut = text[:room], true
	}
	c.streamed.WriteString(text)
}

// Finish records the call with its result, or with the error that the tool returned, even if
// the context of Begin has ended. It does nothing if the call was finished before, if an inner
// wrapper recorded it, or if the error is ErrSuspended. Errors: those of Recorder.Record, and
// ErrStreamTooLong.
func (c *RunningCall) Finish(result any, err error) error {
	if c == nil {
		return nil
	}
	return c.finish(c.ctx, result, err, detached)
}

// FinishContext is like Finish, but reads the result no longer than the context lives. A call
// whose result was not read whole is not recorded.
func (c *RunningCall) FinishContext(ctx context.Context, result any, err error) error {
	if c == nil {
		return nil
	}
	return c.finish(ctx, result, err, bound)
}

func (c *RunningCall) finish(ctx context.Context, result any, err error, as reading) error {
	suspended := errors.Is(err, ErrSuspended)
	result, cut, ok := c.end(result, suspended)
	if !ok {
		return nil
	}
	call := c.call
	call.Result, call.Err, call.Duration = result, err, time.Since(call.Start)
	_, missed := c.rec.record(ctx, call, as)
	if stub, ok := c.rec.Stub(ctx, result); ok && err == nil {
		c.mu.Lock()
		c.stub = stub
		c.mu.Unlock()
	}
	if !errors.Is(missed, errUnread) {
		c.rec.ledger.addMade(&call)
	}
	if cut {
		long := fmt.Errorf("middleware: recording %q: %w", call.Name, ErrStreamTooLong)
		c.rec.warn(ctx, "tool call not fully recorded", call, long)
		missed = errors.Join(missed, long)
	}
	return missed
}

// end marks the call as finished here and in the outer wrappers, and reports whether it is to
// be recorded. A suspended call may still finish.
func (c *RunningCall) end(result any, suspended bool) (_ any, cut, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finished || suspended {
		return nil, false, false
	}
	c.finished = true
	if c.outer != nil {
		c.outer.cover()
	}
	if result == nil && c.streamed.Len() > 0 {
		result = c.streamed.String()
	}
	return result, c.cut, true
}

// cover marks a call as recorded by an inner wrapper.
func (c *RunningCall) cover() {
	for ; c != nil; c = c.outer {
		c.mu.Lock()
		c.finished = true
		c.mu.Unlock()
	}
}

// RecorderFor returns the recorder that serves a call: that of the context, or else the one
// that choose returns, or else the fallback. The function may be nil, as may be its result, the
// fallback and the result: then the call is not recorded.
func RecorderFor(ctx context.Context, choose func(context.Context) *Recorder, fallback *Recorder) *Recorder {
	if r, ok := RecorderFrom(ctx); ok {
		return r
	}
	if choose != nil {
		if r := choose(ctx); r != nil {
			return r
		}
	}
	return fallback
}
