package scripted_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/examples/internal/scripted"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestNextKnowsNothingButThePrompt(t *testing.T) {
	t.Parallel()
	const id = "550e8400-e29b-41d4-a716-446655440000"
	user := prompt.Message{Role: "user", Content: "now change its title to Welcome"}
	system := prompt.Message{Role: "system", Content: "Edit.\n\n[WORKING MEMORY]\npages:\n  - \"Home\" (" + id + ")"}
	update := scripted.Step{Tool: "cms_updatePage", Args: map[string]string{"id": id, "title": "Welcome"}}

	assert.Equal(t, update, scripted.Next([]prompt.Message{system, user}))
	assert.Equal(t, scripted.Step{Answer: scripted.Lost}, scripted.Next([]prompt.Message{user}), "nothing is kept between calls")
	assert.Equal(t, scripted.Step{Answer: "Done."},
		scripted.Next([]prompt.Message{system, user, {Role: "assistant"}, {Role: "tool", Content: "{}"}}))
	assert.Equal(t, update, scripted.Next([]prompt.Message{
		system, {Role: "user", Content: "get the home page"}, {Role: "tool", Content: "{}"}, user,
	}))
}
