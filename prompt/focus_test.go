package prompt_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

func TestFocusDecidesWhatABudgetIsSpentOn(t *testing.T) {
	t.Parallel()
	item := func(id, name, description string) memory.Entity {
		return memory.Entity{Type: "item", ID: id, Name: name, Description: description}
	}
	items := []memory.Entity{
		item("1", "Vacuum Cleaner", ""), item("1a", "Garden hose", ""), item("2", "Headphones", ""), item("3", "T-Shirt", ""),
		item("4", "", "blue, small"), item("5", "Überraschungsei", ""), item("item-5", "", ""),
	}
	tests := []struct{ name, said, want string }{
		{"nothing said", "", "1"},
		{"nothing known", "What is the weather?", "1"},
		{"a word of a name", "return the CLEANER, please", "1"},
		{"in the singular", "the headphone?", "2"},
		{"run together", "two tshirts", "3"},
		{"with a hyphen", "two T-shirts", "3"},
		{"a word of a description", "the blue one", "4"},
		{"letters beyond ASCII", "das ÜBERRASCHUNGSEI", "5"},
		{"a mentioned id", "What about **item-5**?", "item-5"},
		{"a short number is none", "the first 3", "1"},
		{"short words do not count", "a b of is", "1"},
		{"the end of a long text", strings.Repeat("cleaner ", 2000) + strings.Repeat("and so on ", 1000) + "headphones", "2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := prompt.NewRenderer(&prompt.Options{Budget: 66, Counter: byteCounter})
			got := r.RenderContent(prompt.Content{Focus: prompt.NewFocus(tt.said), Entities: items})
			assert.Contains(t, got, " ("+tt.want+")")
		})
	}
}

func TestFocusKeepsTheLastMessages(t *testing.T) {
	t.Parallel()
	var entities []memory.Entity
	for _, id := range []string{"id-1", "id-2", "id-3", "id-4"} {
		entities = append(entities, memory.Entity{Type: "page", ID: id})
	}
	r := prompt.NewRenderer(&prompt.Options{Budget: len("[WORKING MEMORY]\npages:\n  - \"\" (id-1), \"\" (id-2)") + 1, Counter: byteCounter})
	focus := prompt.Focus{}
	for _, step := range []struct {
		role, text string
		want       []string
	}{
		{"user", "id-4", []string{"id-1", "id-4"}},
		{"assistant", "`id-3`?", []string{"id-3", "id-4"}},
		{"tool", "id-2", []string{"id-3", "id-4"}},
		{"system", "id-2", []string{"id-3", "id-4"}},
		{"user", "Yes.", []string{"id-1", "id-3"}},
		{"assistant", "Done.", []string{"id-1", "id-2"}},
	} {
		focus = focus.After(prompt.Message{Role: step.role, Content: step.text})
		parsed, err := prompt.Parse(r.RenderContent(prompt.Content{Focus: focus, Entities: entities}))
		assert.NoError(t, err)
		var got []string
		for _, e := range parsed {
			got = append(got, e.ID)
		}
		assert.Equal(t, step.want, got, step.text)
	}
}

func TestFocusNamesTypes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	entities := []memory.Entity{
		{Type: "note", ID: "1", Timestamp: now},
		{Type: "page", ID: "2", Timestamp: now.Add(-1)},
		{Type: "user", ID: "3", Timestamp: now.Add(-2)},
		{Type: "pull_request", ID: "4", Timestamp: now.Add(-2)},
		{Type: "category", ID: "5", Timestamp: now.Add(-2)},
	}
	tests := []struct{ said, want string }{
		{"", "2"}, {"the page", "2"}, {"Which user is it?", "3"}, {"all open requests", "4"}, {"list its categories", "5"}, {"its Category!", "5"},
	}
	for _, tt := range tests {
		r := prompt.NewRenderer(&prompt.Options{Budget: len("[WORKING MEMORY]\nnotes:\n  - \"\" (1)\npull_requests:\n  - \"\" (4)") + 2, Counter: byteCounter})
		parsed, err := prompt.Parse(r.RenderContent(prompt.Content{Focus: prompt.NewFocus(tt.said), Entities: entities}))
		assert.NoError(t, err)
		if assert.Len(t, parsed, 2, tt.said) {
			assert.Equal(t, []string{"1", tt.want}, []string{parsed[0].ID, parsed[1].ID}, tt.said)
		}
	}
}
