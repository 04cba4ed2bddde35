package adaptertest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// message is a message of the loop below.
type message struct {
	role, text, callID string
	calls              []Call
}

// loop is an agent as a program would write it without a framework.
type loop struct {
	Setup
	wrapTools    bool // record calls when they are made
	readMessages bool // record calls that messages show
	mutant       mutant

	mu       sync.Mutex
	messages []message
}

// mutant is a fault of an adapter.
type mutant string

func newLoop(wrapTools, readMessages bool, m mutant) func(testing.TB, Setup) Agent {
	return func(_ testing.TB, s Setup) Agent {
		return &loop{Setup: s, wrapTools: wrapTools, readMessages: readMessages, mutant: m}
	}
}

func (l *loop) Say(ctx context.Context, text string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.History {
		l.messages = nil
	}
	l.messages = append(l.messages, message{role: "user", text: text})
	return l.run(ctx)
}

func (l *loop) Resume(ctx context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.runTools(ctx, l.messages[len(l.messages)-1].calls); err != nil {
		return "", err
	}
	return l.run(ctx)
}

func (l *loop) run(ctx context.Context) (string, error) {
	for {
		reply, err := l.Model(ctx, l.request(ctx))
		if err != nil {
			return "", err
		}
		l.messages = append(l.messages, message{role: "assistant", text: reply.Text, calls: reply.Calls})
		if len(reply.Calls) == 0 {
			return reply.Text, nil
		}
		if err := l.runTools(ctx, reply.Calls); err != nil {
			return "", err
		}
	}
}

func (l *loop) recorder(ctx context.Context) *middleware.Recorder {
	if l.mutant == "ignores the context" {
		return l.Recorder
	}
	return middleware.RecorderFor(ctx, nil, l.Recorder)
}

// request returns the next request, after it has recorded what is new.
func (l *loop) request(ctx context.Context) Request {
	var outline []prompt.Message
	h := middleware.History{View: "loop"}
	said := make(map[string]prompt.Message)
	for _, m := range append([]message{{role: "system", text: l.System}}, l.messages...) {
		outline = append(outline, prompt.Message{Role: m.role, Content: m.text})
		switch m.role {
		case "assistant":
			h.AddRequests(toolCalls(m.calls)...)
		case "tool":
			h.AddResult(middleware.ToolCall{ID: m.callID, Result: m.text})
		}
		said[m.role] = prompt.Message{Role: m.role, Content: m.text}
	}
	if rec := l.recorder(ctx); rec != nil {
		if l.mutant == "records every message" {
			h.View += "x"
			_ = new(middleware.Recorder).RecordHistory(ctx, &middleware.History{})
			for _, m := range l.messages {
				if m.role == "tool" {
					_ = rec.Record(ctx, middleware.ToolCall{Name: "get_page", Arguments: "{}", Result: m.text})
				}
			}
		}
		if l.readMessages {
			_ = rec.RecordHistory(ctx, &h)
		}
		block := rec.Prepare(ctx, said["assistant"], said["user"])
		switch l.mutant {
		case "no block":
		case "two blocks":
			outline = append(outline, prompt.Message{Role: "system", Content: block})
			fallthrough
		default:
			outline = prompt.Place(outline, block, prompt.PlaceSystem)
		}
	}
	var r Request
	for _, m := range outline {
		if m.Role == "system" {
			r.System = strings.TrimPrefix(r.System+"\n"+m.Content, "\n")
		} else {
			r.Messages = append(r.Messages, m)
		}
	}
	return r
}

func toolCalls(calls []Call) (all []middleware.ToolCall) {
	for _, c := range calls {
		all = append(all, middleware.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return all
}

// runTools runs calls one after another.
func (l *loop) runTools(ctx context.Context, calls []Call) error {
	for _, call := range toolCalls(calls) {
		run := l.runTool
		if l.wrapTools {
			run = func(ctx context.Context, call middleware.ToolCall) (any, error) {
				if l.mutant == "records suspended calls" {
					result, err := l.runTool(ctx, call)
					if errors.Is(err, middleware.ErrSuspended) {
						err2 := errors.New("suspended")
						_ = l.Recorder.Record(ctx, middleware.ToolCall{Name: call.Name, Arguments: call.Arguments, Err: err2})
					}
					return result, err
				}
				return middleware.Chain(l.runTool, middleware.RecordCalls(l.Recorder))(ctx, call)
			}
		}
		result, err := run(ctx, call)
		if errors.Is(err, middleware.ErrSuspended) {
			return err
		}
		text, _ := result.(string)
		if err != nil {
			text = "error: " + err.Error()
		}
		l.messages = append(l.messages, message{role: "tool", callID: call.ID, text: text})
	}
	return nil
}

func (l *loop) runTool(ctx context.Context, call middleware.ToolCall) (any, error) {
	for _, tool := range l.Tools {
		if tool.Name == call.Name {
			parts, err := tool.Run(ctx, call.Arguments.(string))
			if errors.Is(err, ErrSuspend) {
				err = middleware.ErrSuspended
			}
			return strings.Join(parts, ""), err
		}
	}
	return nil, errors.New("no such tool")
}

func TestLoop(t *testing.T) {
	t.Parallel()
	t.Run("tools", func(t *testing.T) {
		t.Parallel()
		Run(t, Harness{New: newLoop(true, false, ""), Suspends: true})
	})
	t.Run("messages", func(t *testing.T) {
		t.Parallel()
		Run(t, Harness{New: newLoop(false, true, ""), MessagesOnly: true, Suspends: true})
	})
	t.Run("both", func(t *testing.T) {
		t.Parallel()
		Run(t, Harness{New: newLoop(true, true, ""), Suspends: true})
	})
}
