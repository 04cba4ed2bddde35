package genkit_test

import (
	"context"
	"testing"

	"github.com/firebase/genkit/go/ai"
	aix "github.com/firebase/genkit/go/ai/exp"
	gk "github.com/firebase/genkit/go/genkit"
	gkx "github.com/firebase/genkit/go/genkit/exp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/genkit"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// A registered one is used by its name: by dotprompt files, and by requests from elsewhere, with a
// configuration in JSON.
func TestPlugin(t *testing.T) {
	t.Parallel()
	const source = "---\nmodel: " + model + "\ntools: [get_page]\nuse:\n  - " + genkit.Name + "\n---\nGet the page.\n"
	for name, generate := range map[string]func(context.Context, *gk.Genkit) error{
		"dotprompt": func(ctx context.Context, g *gk.Genkit) error {
			p := gk.LookupPrompt(g, "editor")
			if p == nil {
				var err error
				if p, err = gk.LoadPromptFromSource(g, source, "editor", ""); err != nil {
					return err
				}
			}
			_, err := p.Execute(ctx)
			return err
		},
		"no configuration":   withRef(nil),
		"null":               withRef((*struct{})(nil)),
		"other fields":       withRef(map[string]any{"a": 1, "opts": map[string]any{"Placement": 2}}),
		"in place, by value": withRef(genkit.WorkingMemory{}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fallback, carried := adaptertest.NewRecord(t), adaptertest.NewRecord(t)
			w := newWorldWith(t, capable, []gk.GenkitOption{gk.WithPlugins(genkit.New(fallback.Recorder, nil))},
				get("c1", homeID), say("Found it."))
			require.NotNil(t, gk.LookupMiddleware(w.g, genkit.Name))
			require.NoError(t, generate(middleware.WithRecorder(t.Context(), carried.Recorder), w.g))
			assert.Equal(t, []string{"get_page " + homeID}, carried.Names())
			assert.Contains(t, w.text(-1), "[WORKING MEMORY]")
			if name == "in place, by value" {
				return
			}
			w.answers = append(w.answers, get("c2", newsID), say("Found it."))
			require.NoError(t, generate(t.Context(), w.g))
			assert.Equal(t, []string{"get_page " + newsID}, fallback.Names())
		})
	}
}

func withRef(config any) func(context.Context, *gk.Genkit) error {
	return func(ctx context.Context, g *gk.Genkit) error {
		_, err := gk.GenerateWithRequest(ctx, g, &ai.GenerateActionOptions{
			Model: model, Messages: []*ai.Message{ai.NewUserTextMessage("Get the page.")}, Tools: []string{"get_page"},
			Use: []*ai.MiddlewareRef{{Name: genkit.Name, Config: config}},
		}, nil, nil)
		return err
	}
}

// An agent keeps the messages of its requests in a session, without the block.
func TestAgentWithSession(t *testing.T) {
	t.Parallel()
	for _, at := range []prompt.Placement{prompt.PlaceSystem, prompt.PlaceTail, prompt.PlaceAppend} {
		r := adaptertest.NewRecord(t)
		w := newWorldWith(t, capable, []gk.GenkitOption{gk.WithExperimental()}, get("c1", homeID), say("Found it."), say("Done."))
		editor := gkx.DefineAgent[any](w.g, "editor", aix.InlinePrompt{
			ai.WithSystem("You edit."), ai.WithTools(w.getPage), ai.WithUse(genkit.New(r.Recorder, &genkit.Options{Placement: at})),
		})
		first, err := editor.RunText(t.Context(), "Get the home page.")
		require.NoError(t, err)
		second, err := editor.RunText(t.Context(), "Rename it.", aix.WithState(first.State))
		require.NoError(t, err)
		assert.Equal(t, []string{"get_page " + homeID}, r.Names())
		assert.Contains(t, w.text(-1), "[WORKING MEMORY]")
		assert.Len(t, second.State.Messages, 6)
		assert.NotContains(t, encoded(t, second.State.Messages), "WORKING MEMORY")
	}
}
