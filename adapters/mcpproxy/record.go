package mcpproxy

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// outcome is the part of a tool's result that is recorded.
type outcome struct {
	Meta              map[string]jsontext.Value `json:"_meta"`
	Content           []jsontext.Value          `json:"content"`
	StructuredContent json.RawMessage           `json:"structuredContent"`
	IsError           bool                      `json:"isError"`
	// ResultType and InputRequests are set if the tool asks for input first.
	ResultType    string         `json:"resultType"`
	InputRequests jsontext.Value `json:"inputRequests"`
}

// decodeOutcome decodes a result, without losing digits.
func decodeOutcome(result []byte) (o outcome, err error) {
	err = jsonv2.Unmarshal(result, &o, lenient, jsontext.AllowInvalidUTF8(true))
	return o, err
}

// texts returns the texts of the contents, for middleware.ResultOf.
func (o *outcome) texts() (all []string) {
	for _, c := range o.Content {
		all = append(all, middleware.PartTexts(c)...)
	}
	return all
}

// recorded returns what a RunningCall is finished with, or false if the result is one of this
// project's own tools, so that recalled entities are not recorded as new ones.
func (o *outcome) recorded() (result any, err error, ok bool) {
	switch {
	case string(o.Meta[wire.OwnResult]) == "true":
		return nil, nil, false
	case o.ResultType == "input_required" || o.InputRequests.Kind() == '{':
		return nil, middleware.ErrSuspended, true
	case o.IsError:
		return nil, middleware.FailureOf(o.texts()...), true
	}
	var data any
	if len(o.StructuredContent) > 0 && string(o.StructuredContent) != "null" {
		data = o.StructuredContent
	}
	return middleware.ResultOf(data, o.texts()...), nil, true
}

// finish records a call with its answer. The recorder's logger receives its failures.
func (r *relay) finish(ctx context.Context, m *message, req *request) {
	if !m.result.isPresent() {
		found, _ := members(m.text, m.failure, "message")
		text, _ := stringOf(m.text, found[0])
		_ = req.running.FinishContext(ctx, nil, middleware.FailureOf(text))
		return
	}
	o, err := decodeOutcome(m.result.of(m.text))
	if err != nil {
		r.warn(req.running.Name(), "its result is not one of the protocol")
		return
	}
	if result, err, ok := o.recorded(); ok {
		_ = req.running.FinishContext(ctx, result, err)
	}
}

// record records a call after those before it, while its answer passes.
func (r *relay) record(m *message, req *request) {
	r.enqueue(req, len(m.text), func(ctx context.Context) { r.finish(ctx, m, req) })
}

// recordFailure records a call that has no answer.
func (r *relay) recordFailure(req *request, err error) {
	if req.running != nil {
		r.enqueue(req, 0, func(ctx context.Context) { _ = req.running.FinishContext(ctx, nil, err) })
	}
}

func (r *relay) enqueue(req *request, size int, do func(context.Context)) {
	added := r.work.add(size, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, r.opts.RecordTimeout)
		defer cancel()
		do(ctx)
	})
	if !added {
		r.warn(req.running.Name(), "too many calls wait to be recorded")
	}
}

func (r *relay) warn(tool, why string) {
	r.opts.Logger.Warn("mcpproxy: tool call not recorded", slog.String("tool", tool), slog.String("why", why))
}

// tasks holds the calls whose results clients will ask for, by the ids of their tasks. It is safe
// for concurrent use.
type tasks struct {
	mu    sync.Mutex
	calls map[string]*middleware.RunningCall
}

// put adds a call, unless there are too many.
func (t *tasks) put(id string, running *middleware.RunningCall) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls == nil {
		t.calls = map[string]*middleware.RunningCall{}
	}
	if running != nil && len(t.calls) < maxPending {
		t.calls[id] = running
	}
}

// take removes and returns a call, or nil.
func (t *tasks) take(id string) *middleware.RunningCall {
	t.mu.Lock()
	defer t.mu.Unlock()
	running := t.calls[id]
	delete(t.calls, id)
	return running
}
