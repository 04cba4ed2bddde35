// Otel shows the spans and metrics of working memory, by the semantic conventions of
// OpenTelemetry for generative AI.
//
//	cd examples/frameworks && go run ./otel
//
// It needs no collector: the exporters of the SDK are in memory. Contents are captured only with
// OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true.
package main

import (
	"context"
	"fmt"
	"log"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/go-workingmemory/workingmemory/adapters/otel"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	spans, metrics := tracetest.NewInMemoryExporter(), metric.NewManualReader()
	traces := trace.NewTracerProvider(trace.WithSyncer(spans))

	// With the global providers, otel.New(nil) is all it takes.
	observer, err := otel.New(&otel.Options{TracerProvider: traces, MeterProvider: metric.NewMeterProvider(metric.WithReader(metrics)), StoreID: "cms"})
	if err != nil {
		log.Fatal(err)
	}
	rec, err := middleware.NewRecorder(&middleware.Options{Observer: observer})
	if err != nil {
		log.Fatal(err)
	}

	run := middleware.Chain(getPage, middleware.RecordCalls(rec))
	ctx, tool := traces.Tracer("agent").Start(ctx, "execute_tool get_page") // as frameworks do
	if _, err := run(ctx, middleware.ToolCall{ID: "call_1", Name: "get_page"}); err != nil {
		log.Fatal(err)
	}
	tool.End()
	fmt.Println(rec.Prepare(ctx))

	fmt.Println("\nspans:")
	for _, span := range spans.GetSpans() {
		fmt.Printf("  %s (%s)\n", span.Name, span.SpanKind)
		for _, a := range span.Attributes {
			fmt.Printf("    %s: %s\n", a.Key, a.Value.String())
		}
	}
	var data metricdata.ResourceMetrics
	if err := metrics.Collect(ctx, &data); err != nil {
		log.Fatal(err)
	}
	fmt.Println("metrics:")
	for _, m := range data.ScopeMetrics[0].Metrics {
		fmt.Printf("  %s (%s): %s\n", m.Name, m.Unit, m.Description)
	}
}

func getPage(context.Context, middleware.ToolCall) (any, error) {
	return `{"page":{"id":"page-1001","title":"Home"}}`, nil
}
