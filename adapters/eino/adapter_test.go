package eino_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

func TestAdapter(t *testing.T) {
	t.Parallel()
	harness := adaptertest.Harness{Streams: true, StreamingTools: true, Suspends: true, FailureEndsTurn: true}
	messagesOnly := harness
	messagesOnly.MessagesOnly, messagesOnly.FailureEndsTurn = true, false
	for _, test := range []struct {
		name    string
		harness adaptertest.Harness
		new     func(testing.TB, adaptertest.Setup) adaptertest.Agent
	}{
		{"handler", harness, newChatModelAgent(attachHandler)},
		{"model", messagesOnly, newChatModelAgent(attachToModel)},
		{"model and tools", harness, newChatModelAgent(attachToModelAndTools)},
		{"all at once", harness, newChatModelAgent(attachAll)},
		{"react", harness, newReactAgent},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.harness.New = test.new
			adaptertest.Run(t, test.harness)
		})
	}
}
