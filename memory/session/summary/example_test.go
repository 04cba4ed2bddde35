package summary_test

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// onePerson is a Summarizer without a model.
type onePerson struct{}

func (onePerson) SummarizeMessages(_ context.Context, r summary.Request) (string, error) {
	return fmt.Sprintf("The customer asked for %d things.", len(r.Messages)), nil
}

func ExampleOptions() {
	m, err := session.NewManager(memstore.New(nil), &session.Options{
		Window:    80, // tokens; that of the model, mostly: see WriteOptions
		Summaries: summary.Options{Summarizer: onePerson{}},
	})
	if err != nil {
		panic(err)
	}
	key := session.Key{SessionID: "s-1"}
	for i := range 8 {
		_, err := m.Append(context.Background(), key, []session.Message{
			{Role: session.RoleUser, Content: fmt.Sprintf("Where is order #W10%d?", i)},
		}, nil)
		if err != nil {
			panic(err)
		}
	}
	s, err := m.Load(context.Background(), key, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Context)
	for _, message := range s.Messages {
		fmt.Println("-", message.Content)
	}
	// Output:
	// The customer asked for 4 things.
	//
	// Identifiers: #W100, #W101, #W102, #W103
	// - Where is order #W104?
	// - Where is order #W105?
	// - Where is order #W106?
	// - Where is order #W107?
}
