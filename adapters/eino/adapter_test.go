package eino_test

import (
	"testing"

	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

func TestAdapter(t *testing.T) {
	t.Parallel()
	for name, newAgent := range map[string]func(testing.TB, adaptertest.Setup) adaptertest.Agent{
		"handler":         newChatModelAgent(attachHandler),
		"model and tools": newChatModelAgent(attachToModelAndTools),
		"all at once":     newChatModelAgent(attachAll),
		"react":           newReactAgent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			adaptertest.Run(t, adaptertest.Harness{
				New: newAgent, Streams: true, StreamingTools: true, Suspends: true, FailureEndsTurn: true,
			})
		})
	}
}
