package otel

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// CaptureVariable is the environment variable that says whether contents are captured.
const CaptureVariable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

// scope is the name of the instrumentation.
const scope = "github.com/go-workingmemory/workingmemory/adapters/otel"

// Options configures an Observer. The zero value is useful.
type Options struct {
	// TracerProvider provides the tracer. If nil, the global one is used.
	TracerProvider trace.TracerProvider
	// MeterProvider provides the meter. If nil, the global one is used.
	MeterProvider metric.MeterProvider
	// StoreID is the gen_ai.memory.store.id: what the program calls the store of its
	// memory. If empty, it is the namespace of a stored session; others have none.
	StoreID string
	// ConversationID returns the gen_ai.conversation.id of an operation, or "". If nil, or
	// if it returns "", it is the id of a stored session; others have none.
	ConversationID func(ctx context.Context) string
	// CaptureContent is whether contents are captured. If nil, CaptureVariable decides,
	// which New reads.
	CaptureContent *bool
}

// Observer makes spans and metrics of the operations of recorders. It is safe for concurrent
// use.
type Observer struct {
	opts    Options
	capture bool
	tracer  trace.Tracer

	tokens, entities metric.Int64Histogram
	extraction       metric.Float64Histogram
	duration         metric.Float64Histogram
	shown, dropped   metric.MeasurementOption
}

var _ middleware.Observer = (*Observer)(nil)

// New returns an Observer. If opts is nil, the defaults are used. Errors: those of the meter.
func New(opts *Options) (*Observer, error) {
	o := new(Observer)
	if opts != nil {
		o.opts = *opts
	}
	if o.opts.TracerProvider == nil {
		o.opts.TracerProvider = otel.GetTracerProvider()
	}
	if o.opts.MeterProvider == nil {
		o.opts.MeterProvider = otel.GetMeterProvider()
	}
	if c := o.opts.CaptureContent; c != nil {
		o.capture = *c
	} else {
		o.capture = captures(os.Getenv(CaptureVariable))
	}
	o.tracer = o.opts.TracerProvider.Tracer(scope)
	if err := o.createInstruments(o.opts.MeterProvider.Meter(scope)); err != nil {
		return nil, fmt.Errorf("otel: creating instruments: %w", err)
	}
	return o, nil
}

// captures reports whether a value of CaptureVariable allows contents on spans.
func captures(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "true", "span_only", "span_and_event":
		return true
	}
	return false
}

func (o *Observer) createInstruments(meter metric.Meter) (err error) {
	o.tokens, err = meter.Int64Histogram("workingmemory.block.tokens",
		metric.WithUnit("{token}"), metric.WithDescription("Tokens of each rendered block."),
		metric.WithExplicitBucketBoundaries(0, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192))
	if err != nil {
		return err
	}
	o.entities, err = meter.Int64Histogram("workingmemory.block.entities",
		metric.WithUnit("{entity}"), metric.WithDescription("Entities of each rendered block, shown and dropped."),
		metric.WithExplicitBucketBoundaries(0, 1, 2, 4, 8, 16, 32, 64, 128, 256))
	if err != nil {
		return err
	}
	o.extraction, err = meter.Float64Histogram("workingmemory.extraction.duration",
		metric.WithUnit("s"), metric.WithDescription("Time that reading the result of a tool call took."),
		metric.WithExplicitBucketBoundaries(.00001, .00003, .0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3))
	if err != nil {
		return err
	}
	o.duration, err = meter.Float64Histogram("gen_ai.client.operation.duration",
		metric.WithUnit("s"), metric.WithDescription("GenAI operation duration."),
		metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92))
	state := func(value string) metric.MeasurementOption {
		return metric.WithAttributeSet(attribute.NewSet(attribute.String("workingmemory.entity.state", value)))
	}
	o.shown, o.dropped = state("shown"), state("dropped")
	return err
}

// operationNames are the values of gen_ai.operation.name.
var operationNames = map[middleware.OperationKind]string{
	middleware.OperationRecord: "upsert_memory",
	middleware.OperationRecall: "search_memory",
	middleware.OperationForget: "delete_memory",
}

// Begin begins the span of an operation. An operation of an unknown kind has none.
func (o *Observer) Begin(ctx context.Context, op middleware.Operation) (context.Context, func(middleware.Outcome)) {
	name, ok := operationNames[op.Kind]
	if !ok {
		return ctx, func(middleware.Outcome) {}
	}
	kind := trace.SpanKindInternal
	if op.Session != (session.Key{}) {
		kind = trace.SpanKindClient
	}
	begun := time.Now()
	ctx, span := o.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(o.attributes(ctx, name, &op)...))
	return ctx, func(outcome middleware.Outcome) {
		defer span.End()
		attrs := []attribute.KeyValue{attribute.String("gen_ai.operation.name", name)}
		if outcome.Err != nil {
			failed := attribute.String("error.type", errorType(outcome.Err))
			attrs = append(attrs, failed)
			o.fail(span, failed, outcome.Err)
		}
		o.duration.Record(ctx, time.Since(begun).Seconds(), metric.WithAttributes(attrs...))
		if op.Kind == middleware.OperationRecord {
			o.extraction.Record(ctx, outcome.Extraction.Seconds())
		}
		o.count(span, op.Kind, &outcome)
	}
}

func (o *Observer) attributes(ctx context.Context, name string, op *middleware.Operation) []attribute.KeyValue {
	attrs := []attribute.KeyValue{attribute.String("gen_ai.operation.name", name)}
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, attribute.String(key, value))
		}
	}
	add("gen_ai.memory.store.id", cmp.Or(o.opts.StoreID, op.Session.Namespace))
	conversation := ""
	if o.opts.ConversationID != nil {
		conversation = o.opts.ConversationID(ctx)
	}
	add("gen_ai.conversation.id", cmp.Or(conversation, op.Session.SessionID))
	if op.Call != nil {
		add("gen_ai.tool.name", op.Call.Name)
		add("gen_ai.tool.call.id", op.Call.ID)
	}
	if o.capture {
		add("gen_ai.memory.query.text", op.Query)
	}
	return attrs
}

// fail sets the status of a span. The text of an error may quote contents.
func (o *Observer) fail(span trace.Span, failed attribute.KeyValue, err error) {
	description := ""
	if o.capture {
		description = err.Error()
	}
	span.SetAttributes(failed)
	span.SetStatus(codes.Error, description)
}

// count adds what was found or recalled to a span.
func (o *Observer) count(span trace.Span, kind middleware.OperationKind, outcome *middleware.Outcome) {
	switch {
	case kind == middleware.OperationRecall:
		span.SetAttributes(attribute.Int("gen_ai.memory.record.count", outcome.Recalled))
	case outcome.Found != nil:
		span.SetAttributes(attribute.Int("gen_ai.memory.record.count", len(outcome.Found.Entities)))
		if o.capture && span.IsRecording() {
			span.SetAttributes(attribute.String("gen_ai.memory.records", records(outcome.Found.Entities)))
		}
	}
}

// BlockRendered counts the tokens and entities of a block.
func (o *Observer) BlockRendered(stats middleware.BlockStats) {
	ctx := context.Background()
	o.tokens.Record(ctx, int64(stats.Tokens))
	o.entities.Record(ctx, int64(stats.Shown), o.shown)
	o.entities.Record(ctx, int64(stats.Dropped), o.dropped)
}
