package adk_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/adapters/adk"
	"github.com/go-workingmemory/workingmemory/memory"
)

// What the user and the model say is in the focus. What the model thinks is not.
func TestSaid(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	list := newTool(t, functiontool.Config{Name: "list_pages"}, func(agent.Context, pageArgs) (map[string][]page, error) {
		return map[string][]page{"pages": {{"page-1001", "Home"}, {"page-1002", "News"}, {"page-1003", "Jobs"}}}, nil
	})
	thought := genai.NewPartFromText("I should look at page-1003.")
	thought.Thought = true
	m := newScript(call("list_pages all"),
		genai.NewContentFromParts([]*genai.Part{thought, genai.NewPartFromText("I found page-1002.")}, genai.RoleModel), say("Done."))
	w := newWorld(t, nil, newEditor(t, m, list), adk.New(r.Recorder, nil).Plugin())
	w.say("Look around.")
	w.say("Rename page-1001.")
	for id, held := range map[string]bool{"page-1001": true, "page-1002": true, "page-1003": false} {
		e, ok := r.Context().Get(memory.Ref{ID: id})
		require.True(t, ok)
		assert.Equal(t, held, e.Held, id)
	}
}
