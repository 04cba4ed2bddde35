package otel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/go-workingmemory/workingmemory/adapters/otel"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// collector has the SDK's exporters in memory, and an Observer that uses them.
type collector struct {
	*otel.Observer
	spans   *tracetest.InMemoryExporter
	traces  *sdktrace.TracerProvider
	metrics *metric.ManualReader
}

func newCollector(t *testing.T, opts otel.Options) *collector {
	t.Helper()
	c := &collector{spans: tracetest.NewInMemoryExporter(), metrics: metric.NewManualReader()}
	c.traces = sdktrace.NewTracerProvider(sdktrace.WithSyncer(c.spans))
	opts.TracerProvider, opts.MeterProvider = c.traces, metric.NewMeterProvider(metric.WithReader(c.metrics))
	var err error
	c.Observer, err = otel.New(&opts)
	require.NoError(t, err)
	return c
}

// span returns the only span with a name.
func (c *collector) span(t *testing.T, name string) tracetest.SpanStub {
	t.Helper()
	var found []tracetest.SpanStub
	for _, s := range c.spans.GetSpans() {
		if s.Name == name {
			found = append(found, s)
		}
	}
	require.Len(t, found, 1, name)
	return found[0]
}

func attributes(s tracetest.SpanStub) map[string]any {
	all := make(map[string]any)
	for _, a := range s.Attributes {
		all[string(a.Key)] = a.Value.AsInterface()
	}
	return all
}

const page = `{"page":{"id":"page-1001","title":"secret home"}}`

func TestSpanOfARecording(t *testing.T) {
	t.Parallel()
	c := newCollector(t, otel.Options{StoreID: "cms", ConversationID: func(context.Context) string { return "c-1" }})
	rec, err := middleware.NewRecorder(&middleware.Options{Observer: c})
	require.NoError(t, err)
	run := middleware.RecordCalls(rec)(func(context.Context, middleware.ToolCall) (any, error) { return page, nil })
	ctx, tool := c.traces.Tracer("framework").Start(t.Context(), "execute_tool get_page")
	_, err = run(ctx, middleware.ToolCall{ID: "call_1", Name: "get_page", Arguments: `{"slug":"secret"}`})
	require.NoError(t, err)
	tool.End()

	s := c.span(t, "upsert_memory")
	assert.Equal(t, trace.SpanKindInternal, s.SpanKind)
	assert.Equal(t, tool.SpanContext().SpanID(), s.Parent.SpanID())
	assert.Equal(t, codes.Unset, s.Status.Code)
	assert.Equal(t, map[string]any{
		"gen_ai.operation.name":      "upsert_memory",
		"gen_ai.memory.store.id":     "cms",
		"gen_ai.memory.record.count": int64(1),
		"gen_ai.conversation.id":     "c-1",
		"gen_ai.tool.name":           "get_page",
		"gen_ai.tool.call.id":        "call_1",
	}, attributes(s))
}

func TestSpansOfAStoredSession(t *testing.T) {
	t.Parallel()
	c := newCollector(t, otel.Options{})
	manager, err := session.NewManager(memstore.New(nil), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = manager.Close(context.Background()) })
	sessions, err := middleware.NewSessions(manager, &middleware.SessionsOptions{
		Observer: c,
		Recall: func(context.Context, session.Key, string) ([]items.Item, error) {
			return []items.Item{{Text: "secret one"}, {Text: "secret two"}}, nil
		},
	})
	require.NoError(t, err)
	rec := sessions.Recorder(session.Key{Namespace: "cms", UserID: "anna", SessionID: "s-1"})
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: page}))
	rec.Prepare(t.Context(), prompt.Message{Role: "user", Content: "secret question"})
	require.NoError(t, rec.Clear(t.Context()))
	common := map[string]any{"gen_ai.memory.store.id": "cms", "gen_ai.conversation.id": "s-1"}
	for name, own := range map[string]map[string]any{
		"upsert_memory": {"gen_ai.tool.name": "get_page", "gen_ai.memory.record.count": int64(1)},
		"search_memory": {"gen_ai.memory.record.count": int64(2)},
		"delete_memory": {},
	} {
		s := c.span(t, name)
		assert.Equal(t, trace.SpanKindClient, s.SpanKind, name)
		own["gen_ai.operation.name"] = name
		for key, value := range common {
			own[key] = value
		}
		assert.Equal(t, own, attributes(s))
	}
	assert.Len(t, c.spans.GetSpans(), 3, "a block has no span")
}

type failing struct{ err error }

func (f failing) Extract(context.Context, extractor.Input) (extractor.Extraction, error) {
	return extractor.Extraction{}, f.err
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"_OTHER":   errors.New("secret"),
		"timeout":  fmt.Errorf("secret: %w", context.DeadlineExceeded),
		"canceled": context.Canceled,
	} {
		for _, capture := range []bool{false, true} {
			c := newCollector(t, otel.Options{CaptureContent: &capture})
			rec, newErr := middleware.NewRecorder(&middleware.Options{Observer: c, Extractor: failing{err}})
			require.NoError(t, newErr)
			require.Error(t, rec.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: page}))
			s := c.span(t, "upsert_memory")
			assert.Equal(t, codes.Error, s.Status.Code)
			assert.Equal(t, want, attributes(s)["error.type"])
			assert.Equal(t, capture, s.Status.Description != "")
		}
	}
}

// everything returns all that leaves the process, as text.
func (c *collector) everything(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, s := range c.spans.GetSpans() {
		fmt.Fprint(&b, s.Name, s.Attributes, s.Events, s.Status, s.Links, s.Resource)
	}
	var data metricdata.ResourceMetrics
	require.NoError(t, c.metrics.Collect(t.Context(), &data))
	fmt.Fprintf(&b, "%+v", data)
	return b.String()
}

func TestContents(t *testing.T) {
	for value, want := range map[string]bool{
		"": false, "false": false, "NO_CONTENT": false, "EVENT_ONLY": false, "yes": false,
		"true": true, "TRUE": true, "SPAN_ONLY": true, "span_and_event": true,
	} {
		t.Setenv(otel.CaptureVariable, value)
		c := newCollector(t, otel.Options{})
		rec, err := middleware.NewRecorder(&middleware.Options{
			Observer: c,
			Recall: func(context.Context, string) ([]items.Item, error) {
				return []items.Item{{Text: "secret memory"}}, nil
			},
		})
		require.NoError(t, err)
		call := middleware.ToolCall{Name: "get_page", Arguments: `{"q":"secret argument"}`, Result: page}
		require.NoError(t, rec.Record(t.Context(), call))
		call.Err = errors.New("secret failure")
		require.NoError(t, rec.Record(t.Context(), call))
		rec.Prepare(t.Context(), prompt.Message{Role: "user", Content: "secret question"})
		require.NoError(t, rec.Clear(t.Context()))
		assert.Equal(t, want, strings.Contains(c.everything(t), "secret"), value)
		if !want {
			continue
		}
		assert.Equal(t, "secret question", attributes(c.span(t, "search_memory"))["gen_ai.memory.query.text"])
		var records []map[string]any
		for _, s := range c.spans.GetSpans() {
			if text, ok := attributes(s)["gen_ai.memory.records"].(string); ok && text != "[]" {
				require.NoError(t, json.Unmarshal([]byte(text), &records))
			}
		}
		assert.Equal(t, []map[string]any{{"id": "page-1001", "content": "secret home", "metadata": map[string]any{"type": "page"}}}, records)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	c := newCollector(t, otel.Options{})
	rec, err := middleware.NewRecorder(&middleware.Options{Observer: c, Block: prompt.Options{PerType: 2}})
	require.NoError(t, err)
	for i := range 3 {
		result := fmt.Sprintf(`{"page":{"id":"page-%d","title":"Home"}}`, 1001+i)
		require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "browse", Result: result}))
	}
	block := rec.Block()
	rec.Block() // not rendered again

	var data metricdata.ResourceMetrics
	require.NoError(t, c.metrics.Collect(t.Context(), &data))
	require.Len(t, data.ScopeMetrics, 1)
	units, sums, counts := map[string]string{}, map[string]int64{}, map[string]uint64{}
	for _, m := range data.ScopeMetrics[0].Metrics {
		if m.Name == "gen_ai.client.operation.duration" {
			continue // see TestOperationDuration
		}
		units[m.Name] = m.Unit
		switch h := m.Data.(type) {
		case metricdata.Histogram[int64]:
			for _, p := range h.DataPoints {
				state, _ := p.Attributes.Value(attribute.Key("workingmemory.entity.state"))
				key := strings.TrimSpace(m.Name + " " + state.AsString())
				sums[key], counts[key] = p.Sum, p.Count
			}
		case metricdata.Histogram[float64]:
			counts[m.Name] = h.DataPoints[0].Count
			assert.Positive(t, h.DataPoints[0].Sum)
		}
	}
	assert.Equal(t, map[string]string{"workingmemory.block.tokens": "{token}", "workingmemory.block.entities": "{entity}", "workingmemory.extraction.duration": "s"}, units)
	assert.Equal(t, map[string]int64{
		"workingmemory.block.tokens":           int64(prompt.Estimator{}.CountTokens(block)),
		"workingmemory.block.entities shown":   2,
		"workingmemory.block.entities dropped": 1,
	}, sums)
	assert.EqualValues(t, 3, counts["workingmemory.extraction.duration"])
	assert.EqualValues(t, 1, counts["workingmemory.block.tokens"])
}

func TestManyRecorders(t *testing.T) {
	t.Parallel()
	c := newCollector(t, otel.Options{})
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			rec, err := middleware.NewRecorder(&middleware.Options{Observer: c})
			assert.NoError(t, err)
			for range 20 {
				assert.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: page}))
				rec.Block()
			}
		})
	}
	done.Wait()
	assert.Len(t, c.spans.GetSpans(), 160)
}

// Without an SDK the observer does nothing.
func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := otel.New(nil)
	require.NoError(t, err)
	rec, err := middleware.NewRecorder(&middleware.Options{Observer: c})
	require.NoError(t, err)
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: page}))
	assert.Contains(t, rec.Block(), "page-1001")
}
