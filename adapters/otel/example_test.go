package otel_test

import (
	"context"
	"fmt"
	"log"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/go-workingmemory/workingmemory/adapters/otel"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func ExampleNew() {
	exporter := tracetest.NewInMemoryExporter() // any exporter
	observer, err := otel.New(&otel.Options{
		TracerProvider: trace.NewTracerProvider(trace.WithSyncer(exporter)), // the global one by default
	})
	if err != nil {
		log.Fatal(err)
	}
	recorder, err := middleware.NewRecorder(&middleware.Options{Observer: observer})
	if err != nil {
		log.Fatal(err)
	}
	call := middleware.ToolCall{Name: "get_page", Result: `{"page":{"id":"page-1001","title":"Home"}}`}
	if err := recorder.Record(context.Background(), call); err != nil {
		log.Print(err)
	}
	for _, span := range exporter.GetSpans() {
		fmt.Println(span.Name)
		for _, a := range span.Attributes {
			fmt.Printf("  %s: %s\n", a.Key, a.Value.Emit())
		}
	}
	// Output:
	// upsert_memory
	//   gen_ai.operation.name: upsert_memory
	//   gen_ai.tool.name: get_page
	//   gen_ai.memory.record.count: 1
}
