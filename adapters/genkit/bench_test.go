package genkit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/firebase/genkit/go/ai"

	"github.com/go-workingmemory/workingmemory/adapters/genkit"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// The hook of a request with a long history that is recorded already.
func BenchmarkWrapModel(b *testing.B) {
	messages := []*ai.Message{ai.NewSystemTextMessage("You edit."), ai.NewUserTextMessage("Get the pages.")}
	for i := range 50 {
		id := fmt.Sprintf("page-%d", 1000+i)
		messages = append(messages, get(fmt.Sprint("c", i), id), result(fmt.Sprint("c", i), id, "A page"))
	}
	params := &ai.ModelParams{Request: &ai.ModelRequest{Messages: messages}}
	next := func(_ context.Context, p *ai.ModelParams) (*ai.ModelResponse, error) {
		return &ai.ModelResponse{Request: p.Request, Message: say("Done.")}, nil
	}
	for _, at := range []prompt.Placement{prompt.PlaceSystem, prompt.PlaceAppend} {
		b.Run(at.String(), func(b *testing.B) {
			hooks, err := genkit.New(new(middleware.Recorder), &genkit.Options{Placement: at}).New(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := hooks.WrapModel(b.Context(), params, next); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
