package otel_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	"github.com/go-workingmemory/workingmemory/adapters/otel"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// published are the attributes that open-telemetry/semantic-conventions-genai has, with their
// types: those of the span gen_ai.memory.client, and three of other spans.
var published = map[string]attribute.Type{
	"gen_ai.operation.name":      attribute.STRING,
	"gen_ai.memory.store.id":     attribute.STRING,
	"gen_ai.memory.record.count": attribute.INT64,
	"gen_ai.memory.query.text":   attribute.STRING, // opt-in
	"gen_ai.memory.records":      attribute.STRING, // opt-in, JSON
	"error.type":                 attribute.STRING,
	"gen_ai.conversation.id":     attribute.STRING,
	"gen_ai.tool.name":           attribute.STRING,
	"gen_ai.tool.call.id":        attribute.STRING,
}

// optIn are the published attributes that have contents.
var optIn = []string{"gen_ai.memory.query.text", "gen_ai.memory.records"}

// operate runs one operation of each kind, with or without an error, in a span of a framework.
func operate(t *testing.T, c *collector, failure error) trace.SpanContext {
	t.Helper()
	opts := &middleware.Options{
		Observer: c,
		Recall:   func(context.Context, string) ([]items.Item, error) { return []items.Item{{Text: "a memory"}}, failure },
	}
	if failure != nil {
		opts.Extractor = failing{failure}
	}
	rec, err := middleware.NewRecorder(opts)
	require.NoError(t, err)
	ctx, parent := c.traces.Tracer("framework").Start(t.Context(), "execute_tool get_page")
	defer parent.End()
	assert.Equal(t, failure != nil, rec.Record(ctx, middleware.ToolCall{ID: "call_1", Name: "get_page", Result: page}) != nil)
	rec.Prepare(ctx, prompt.Message{Role: "user", Content: "What is it called?"})
	require.NoError(t, rec.Clear(ctx))
	return parent.SpanContext()
}

func TestConventions(t *testing.T) {
	t.Parallel()
	for _, capture := range []bool{false, true} {
		for _, failure := range []error{nil, errors.New("full")} {
			t.Run(fmt.Sprint(capture, failure), func(t *testing.T) {
				t.Parallel()
				c := newCollector(t, otel.Options{
					CaptureContent: &capture, StoreID: "cms", ConversationID: func(context.Context) string { return "c-1" },
				})
				parent := operate(t, c, failure)
				for _, name := range []string{"upsert_memory", "search_memory", "delete_memory"} {
					s := c.span(t, name)
					assert.Equal(t, parent.SpanID(), s.Parent.SpanID(), name)
					assert.Equal(t, parent.TraceID(), s.SpanContext.TraceID(), name)
					assert.Equal(t, trace.SpanKindInternal, s.SpanKind, name)
					assert.Empty(t, s.Events, name)
					failed := failure != nil && name != "delete_memory"
					assert.Equal(t, failed, s.Status.Code == codes.Error, name)
					assert.Equal(t, failed, attributes(s)["error.type"] == "_OTHER", name)
					assert.Equal(t, name, attributes(s)["gen_ai.operation.name"])
					for _, a := range s.Attributes {
						assert.Equal(t, published[string(a.Key)], a.Value.Type(), "%s: %s", name, a.Key)
						if slices.Contains(optIn, string(a.Key)) {
							assert.True(t, capture, "%s: %s", name, a.Key)
						}
					}
				}
			})
		}
	}
}

func TestErrorTypes(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"_OTHER":            errors.New("any"),
		"too_long":          memory.ErrTooLong,
		"invalid_id":        memory.ErrInvalidID,
		"panic":             memory.ErrPanic,
		"extractor_panic":   middleware.ErrExtractorPanic,
		"store_unavailable": session.ErrUnavailable,
		"timeout":           context.DeadlineExceeded,
		"canceled":          context.Canceled,
	} {
		c := newCollector(t, otel.Options{})
		operate(t, c, errors.Join(errors.New("first"), fmt.Errorf("second: %w", err)))
		assert.Equal(t, want, attributes(c.span(t, "upsert_memory"))["error.type"])
	}
}

func TestOperationDuration(t *testing.T) {
	t.Parallel()
	c := newCollector(t, otel.Options{})
	operate(t, c, nil)
	operate(t, c, context.DeadlineExceeded)
	var data metricdata.ResourceMetrics
	require.NoError(t, c.metrics.Collect(t.Context(), &data))
	counts := map[string]uint64{}
	for _, m := range data.ScopeMetrics[0].Metrics {
		if m.Name != "gen_ai.client.operation.duration" {
			continue
		}
		assert.Equal(t, "s", m.Unit)
		for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
			assert.Equal(t, []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}, p.Bounds)
			name, _ := p.Attributes.Value("gen_ai.operation.name")
			failure, _ := p.Attributes.Value("error.type")
			counts[name.AsString()+" "+failure.AsString()] = p.Count
		}
	}
	assert.Equal(t, map[string]uint64{
		"upsert_memory ": 1, "upsert_memory timeout": 1, "search_memory ": 1, "search_memory timeout": 1, "delete_memory ": 2,
	}, counts)
}

// The option decides, whatever the variable says.
func TestCaptureContentOption(t *testing.T) {
	for _, capture := range []bool{false, true} {
		t.Setenv(otel.CaptureVariable, map[bool]string{false: "true", true: "NO_CONTENT"}[capture])
		c := newCollector(t, otel.Options{CaptureContent: &capture})
		operate(t, c, nil)
		_, captured := attributes(c.span(t, "search_memory"))["gen_ai.memory.query.text"]
		assert.Equal(t, capture, captured)
	}
}

// The variable is read once.
func TestVariableIsReadInNew(t *testing.T) {
	t.Setenv(otel.CaptureVariable, "")
	c := newCollector(t, otel.Options{})
	t.Setenv(otel.CaptureVariable, "true")
	operate(t, c, nil)
	assert.NotContains(t, slices.Collect(maps.Keys(attributes(c.span(t, "search_memory")))), "gen_ai.memory.query.text")
}

// A panic in an option of the program is contained, and the call is recorded.
func TestPanickingOption(t *testing.T) {
	t.Parallel()
	c := newCollector(t, otel.Options{ConversationID: func(context.Context) string { panic("no conversation") }})
	rec, err := middleware.NewRecorder(&middleware.Options{Observer: c})
	require.NoError(t, err)
	require.NoError(t, rec.Record(t.Context(), middleware.ToolCall{Name: "get_page", Result: page}))
	assert.Contains(t, rec.Block(), "page-1001")
	assert.Empty(t, c.spans.GetSpans())
}
