package adaptertest

import (
	"context"
	"errors"
	"fmt"
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
	own      middleware.Recorder
	seen     map[string]bool
	placed   bool
}

// mutant is a fault of an adapter.
type mutant string

const (
	ignoresContext   mutant = "ignores the context"
	needsNoRecorder  mutant = "works without a recorder"
	recordsEachTime  mutant = "records what a history shows each time"
	trustsIDs        mutant = "trusts the ids of calls"
	placesNothing    mutant = "places no block"
	placesTwice      mutant = "places the block twice"
	placesOnce       mutant = "places the block in the first request only"
	recordsSuspended mutant = "records suspended calls"
	losesFailures    mutant = "does not record failures"
	recordsTwice     mutant = "records a call in two wrappers"
	losesNested      mutant = "takes nested calls for the outer one"
	showsIDs         mutant = "shows results as they are"
	passesHandles    mutant = "passes handles to tools"
	callsRefused     mutant = "calls tools with unknown handles"
	failsRefused     mutant = "fails if a handle is unknown"
)

func newLoop(wrapTools, readMessages bool, m mutant) func(testing.TB, Setup) Agent {
	return func(_ testing.TB, s Setup) Agent {
		return &loop{Setup: s, wrapTools: wrapTools, readMessages: readMessages, mutant: m, seen: make(map[string]bool)}
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
		reply, err := l.ask(ctx)
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

// ask calls the model, until its calls have no unknown handle if it cannot be seen that they are
// made.
func (l *loop) ask(ctx context.Context) (Reply, error) {
	request := l.request(ctx)
	reply, err := l.Model(ctx, request)
	rec := l.recorder(ctx)
	if err != nil || rec == nil || !l.readMessages || l.mutant == passesHandles || l.mutant == callsRefused {
		return reply, err
	}
	decoded, err := rec.DecodeCalls(ctx, argumentsOf(reply), func(results []string) ([]any, error) {
		request.Messages = append(request.Messages, prompt.Message{Role: "assistant"})
		for _, result := range results {
			request.Messages = append(request.Messages, prompt.Message{Role: "tool", Content: result})
		}
		var err error
		reply, err = l.Model(ctx, request)
		return argumentsOf(reply), err
	})
	for i := range decoded {
		reply.Calls[i].Arguments = decoded[i].(string)
	}
	return reply, err
}

func argumentsOf(reply Reply) (all []any) {
	for _, c := range reply.Calls {
		all = append(all, c.Arguments)
	}
	return all
}

func (l *loop) recorder(ctx context.Context) *middleware.Recorder {
	if l.mutant == ignoresContext {
		return l.Recorder
	}
	if rec := middleware.RecorderFor(ctx, nil, l.Recorder); rec != nil || l.mutant != needsNoRecorder {
		return rec
	}
	return &l.own
}

// request returns the next request, after it has recorded what is new.
func (l *loop) request(ctx context.Context) Request {
	outline := []prompt.Message{{Role: "system", Content: l.System}}
	h := middleware.History{View: "loop"}
	said := make(map[string]prompt.Message)
	for _, m := range l.messages {
		outline = append(outline, prompt.Message{Role: m.role, Content: m.text})
		switch m.role {
		case "assistant":
			h.AddRequests(toolCalls(m.calls)...)
		case "tool":
			h.AddResult(middleware.ToolCall{ID: m.callID, Result: m.text})
		}
		said[m.role] = outline[len(outline)-1]
	}
	if rec := l.recorder(ctx); rec != nil {
		if l.readMessages {
			l.recordHistory(ctx, rec, &h)
		}
		l.rewrite(ctx, rec, outline[1:])
		outline = l.place(outline, rec.Prepare(ctx, said["assistant"], said["user"]))
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

// rewrite gives the outlines of all messages the contents that the model is to see.
func (l *loop) rewrite(ctx context.Context, rec *middleware.Recorder, outline []prompt.Message) {
	for i, m := range l.messages {
		if m.role == "tool" && l.readMessages && l.mutant != showsIDs {
			outline[i].Content = rec.Show(ctx, m.text)
		}
		for _, c := range m.calls {
			outline[i].Content += "\n" + rec.EncodeResult(c.Arguments).(string)
		}
	}
}

func (l *loop) recordHistory(ctx context.Context, rec *middleware.Recorder, h *middleware.History) {
	switch l.mutant {
	case recordsEachTime:
		for _, m := range l.messages {
			if m.role == "tool" {
				_ = rec.Record(ctx, middleware.ToolCall{Name: "get_page", Arguments: `{"page_id":"` + homeID + `"}`, Result: m.text})
			}
		}
	case trustsIDs:
		for _, m := range l.messages {
			if m.role == "tool" && !l.seen[m.callID] {
				l.seen[m.callID] = true
				_ = rec.RecordHistory(ctx, h)
			}
		}
	default:
		_ = rec.RecordHistory(ctx, h)
	}
}

func (l *loop) place(outline []prompt.Message, block string) []prompt.Message {
	switch l.mutant {
	case placesNothing:
		return outline
	case placesTwice:
		outline = append(outline, prompt.Message{Role: "user", Content: block})
	case placesOnce:
		if l.placed {
			return outline
		}
		l.placed = true
	}
	return prompt.Place(outline, block, prompt.PlaceSystem)
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
		run := middleware.ToolHandler(l.runTool)
		if l.wrapTools {
			run = l.wrap(run)
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

type nestedKey struct{}

func (l *loop) wrap(run middleware.ToolHandler) middleware.ToolHandler {
	if l.mutant == recordsTwice { // with contexts that hide one wrapper from the other
		inner := middleware.RecordCalls(l.Recorder)(run)
		run = func(_ context.Context, call middleware.ToolCall) (any, error) {
			return inner(context.Background(), call)
		}
	}
	return func(ctx context.Context, call middleware.ToolCall) (any, error) {
		rec := l.recorder(ctx)
		if rec == nil || l.mutant == losesNested && ctx.Value(nestedKey{}) != nil {
			return run(ctx, call)
		}
		asked := call.Arguments
		ctx, running := rec.Begin(context.WithValue(ctx, nestedKey{}, true), call)
		arguments, err := running.Arguments()
		switch {
		case err == nil:
			call.Arguments = arguments
		case l.mutant == failsRefused:
			return nil, fmt.Errorf("%w: %w", err, middleware.ErrSuspended) // ends the turn
		case l.mutant != callsRefused:
			return nil, err
		}
		if l.mutant == passesHandles {
			call.Arguments = asked
		}
		result, err := run(ctx, call)
		switch {
		case errors.Is(err, middleware.ErrSuspended) && l.mutant == recordsSuspended:
			_ = running.Finish(nil, errors.New("suspended"))
		case err != nil && l.mutant == losesFailures:
		default:
			_ = running.Finish(result, err)
		}
		if l.mutant != showsIDs {
			result = running.Shown(result)
		}
		return result, err
	}
}

func (l *loop) runTool(ctx context.Context, call middleware.ToolCall) (any, error) {
	if l.ResultTools {
		for _, tool := range middleware.ResultTools(l.Recorder) {
			if tool.Name == call.Name {
				return tool.Call(ctx, call.Arguments.(string))
			}
		}
	}
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
