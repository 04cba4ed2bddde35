package mcpproxy

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// fromClient returns a message of the client as the server is to receive it, or nil if it is not
// for the server.
func (r *relay) fromClient(ctx context.Context, text []byte) []byte {
	m, ok := parse(text)
	switch {
	case !ok || m.isAnswer():
		return text
	case m.method == methodCancelled:
		r.cancel(&m)
		return text
	case !m.isRequest():
		return text
	case m.method == methodCallTool:
		return r.beginCall(ctx, &m)
	case m.method == methodRead && m.param("uri") == BlockURI:
		r.answerOwn(&m, r.readBlock)
		return nil
	}
	req := &request{id: m.id, method: m.method}
	if m.method == methodTaskResult {
		req.task = m.param("taskId")
		req.running = r.tasks.take(req.task)
	}
	r.track(req)
	return text
}

// track adds a request that is sent to the server.
func (r *relay) track(req *request) {
	if dropped := r.pending.add(req); dropped != nil && dropped.running != nil {
		r.warn(dropped.running.Name(), "too many calls are unanswered")
	}
}

// beginCall begins to record a tool call, or answers one of an own tool.
func (r *relay) beginCall(ctx context.Context, m *message) []byte {
	found, _ := members(m.text, m.params, "name", "arguments", "task")
	name, ok := stringOf(m.text, found[0])
	if !ok {
		r.track(&request{id: m.id, method: m.method})
		return m.text
	}
	given := json.RawMessage(found[1].of(m.text))
	if tool := r.ownTool(name); tool != nil {
		r.answerOwn(m, func(ctx context.Context) []byte { return tool.result(ctx, given) })
		return nil
	}
	call := middleware.ToolCall{Name: name, Source: r.source(name)}
	if len(given) > 0 {
		call.Arguments = given
	}
	ctx, cancel := context.WithTimeout(ctx, r.opts.RecordTimeout)
	defer cancel()
	_, running := r.recorder.Begin(ctx, call)
	arguments, err := running.Arguments()
	if err != nil {
		r.answerOwn(m, func(context.Context) []byte { return toolResult(err.Error(), true) })
		return nil
	}
	r.track(&request{id: m.id, method: m.method, running: running, asTask: found[2].isPresent()})
	if decoded, ok := arguments.(json.RawMessage); ok && !bytes.Equal(decoded, given) {
		return apply(m.text, []edit{{found[1], decoded}})
	}
	return m.text
}

// source returns the server of a tool: the one of a Hub, or else the name that the server gives
// itself, or "" if it is unknown.
func (r *relay) source(tool string) string {
	if h, ok := r.server.(*Hub); ok {
		return h.source(tool)
	}
	if name := r.name.Load(); name != nil {
		return *name
	}
	return ""
}

// cancel records a cancelled call as failed. The server need not answer it, and if it does, the
// answer is not recorded.
func (r *relay) cancel(m *message) {
	found, _ := members(m.text, m.params, "requestId")
	id := canonicalID(found[0].of(m.text))
	if id == "" {
		return
	}
	req := r.pending.take(id)
	switch {
	case req == nil:
	case req.task != "":
		r.tasks.put(req.task, req.running) // its result may be asked for again
	default:
		r.recordFailure(req, context.Canceled)
	}
}
