package genkit_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/core"
	gk "github.com/firebase/genkit/go/genkit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/genkit"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

func TestFlow(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t, get("c1", homeID), say("Found it."), say("Done.")), adaptertest.NewRecord(t)
	edit := gk.DefineFlow(w.g, "edit", func(ctx context.Context, said string) (string, error) {
		return gk.GenerateText(ctx, w.g, ai.WithPrompt("%s", said), ai.WithTools(w.getPage), ai.WithUse(genkit.New(nil, nil)))
	})
	ctx := middleware.WithRecorder(t.Context(), r.Recorder)
	for _, said := range []string{"Get the home page.", "Rename it."} {
		_, err := edit.Run(ctx, said)
		require.NoError(t, err)
	}
	assert.Contains(t, w.text(-1), homeID)
	assert.Equal(t, []string{"get_page " + homeID}, r.Names())
}

func TestStreamingFlow(t *testing.T) {
	t.Parallel()
	w, r := newWorld(t, get("c1", homeID), say("Found it."), say("Done.")), adaptertest.NewRecord(t)
	memory := genkit.New(r.Recorder, nil)
	edit := gk.DefineStreamingFlow(w.g, "edit", func(ctx context.Context, said string, send core.StreamCallback[string]) (string, error) {
		for value, err := range gk.GenerateStream(ctx, w.g, ai.WithPrompt("%s", said), ai.WithTools(w.getPage), ai.WithUse(memory)) {
			if err != nil {
				return "", err
			}
			if value.Done {
				return value.Response.Text(), nil
			}
			if err := send(ctx, value.Chunk.Text()); err != nil {
				return "", err
			}
		}
		return "", nil
	})
	assert.Equal(t, "Found it.", runStream(t, edit, "Get the home page."))
	assert.Equal(t, "Done.", runStream(t, edit, "Rename it."))
	assert.Contains(t, w.text(-1), homeID)
	assert.Equal(t, []string{"get_page " + homeID}, r.Names())
}

// runStream returns the streamed text of a flow, which is also its output.
func runStream(t *testing.T, flow *core.Flow[string, string, string], said string) string {
	t.Helper()
	var streamed strings.Builder
	for value, err := range flow.Stream(t.Context(), said) {
		require.NoError(t, err)
		if value.Done {
			assert.Equal(t, streamed.String(), value.Output)
			break
		}
		streamed.WriteString(value.Stream)
	}
	return streamed.String()
}

func TestFlowsAtOnce(t *testing.T) {
	t.Parallel()
	const flows, turns = 4, 8
	w := newWorld(t)
	w.g = gk.Init(t.Context(), gk.WithDefaultModel(model))
	var mu sync.Mutex
	requests := make(map[string][]string) // of each user
	gk.DefineModelAction(w.g, model, capable, func(_ context.Context, request *ai.ModelRequest, _ any, _ ai.ModelStreamCallback) (*ai.ModelResponse, error) {
		last := request.Messages[len(request.Messages)-1]
		var user string
		var texts []string
		for _, m := range request.Messages {
			texts = append(texts, m.Text())
			if m.Role == ai.RoleUser {
				user = m.Text()
			}
		}
		mu.Lock()
		defer mu.Unlock()
		requests[user] = append(requests[user], strings.Join(texts, "\n"))
		answer := say("Done.")
		if last.Role == ai.RoleUser {
			answer = ai.NewModelMessage(call("get_page", "call_0", fmt.Sprintf("page-%s-%d", user, len(requests[user]))))
		}
		return &ai.ModelResponse{Request: request, Message: answer}, nil
	})
	getPage := gk.DefineTool(w.g, "get_page", "Gets a page.", func(_ *ai.ToolContext, in pageInput) (pageOutput, error) {
		return pageOutput{page{in.PageID, "A page"}}, nil
	})
	memory := genkit.New(nil, nil)
	edit := gk.DefineFlow(w.g, "edit", func(ctx context.Context, user string) (string, error) {
		return gk.GenerateText(ctx, w.g, ai.WithPrompt("%s", user), ai.WithTools(getPage), ai.WithUse(memory))
	})
	var done sync.WaitGroup
	for i := range flows {
		user, r := fmt.Sprintf("user%d", i), adaptertest.NewRecord(t)
		done.Go(func() {
			ctx := middleware.WithRecorder(t.Context(), r.Recorder)
			for range turns {
				_, err := edit.Run(ctx, user)
				assert.NoError(t, err)
			}
			assert.Len(t, r.Names(), turns)
			mu.Lock()
			defer mu.Unlock()
			last := requests[user][len(requests[user])-1]
			assert.Contains(t, last, "page-"+user)
			for other := range flows {
				if other != i {
					assert.NotContains(t, last, fmt.Sprintf("user%d", other))
				}
			}
		})
	}
	done.Wait()
}

// A tool may call Generate. Both have one memory, as the context carries it.
func TestGenerateInATool(t *testing.T) {
	t.Parallel()
	inner := newWorld(t, get("call_0", homeID), say("The home page."))
	outer := newWorld(t, ai.NewModelMessage(call("ask_editor", "call_0", newsID)), say("Found it."), say("Done."))
	r := adaptertest.NewRecord(t)
	memory := genkit.New(nil, nil)
	ask := gk.DefineTool(outer.g, "ask_editor", "Asks the editor.", func(tc *ai.ToolContext, _ pageInput) (string, error) {
		return gk.GenerateText(tc, inner.g, ai.WithPrompt("Which page?"), ai.WithTools(inner.getPage), ai.WithUse(memory))
	})
	ctx := middleware.WithRecorder(t.Context(), r.Recorder)
	for _, said := range []string{"Find the page.", "Rename it."} {
		_, err := gk.Generate(ctx, outer.g, ai.WithPrompt("%s", said), ai.WithTools(ask), ai.WithUse(memory))
		require.NoError(t, err)
	}
	assert.Contains(t, inner.text(-1), "[WORKING MEMORY]", "the inner model sees the result of its own call")
	assert.Contains(t, outer.text(-1), homeID)
	assert.Equal(t, []string{"ask_editor " + newsID, "get_page " + homeID}, r.Names())
}

// The recorder may depend on what a server knows of its caller.
func TestRecorderOption(t *testing.T) {
	t.Parallel()
	w := newWorld(t, get("c1", homeID), say("Found it."), get("c2", newsID), say("Found it."), get("c3", homeID), say("Found it."))
	ann, fallback, carried := adaptertest.NewRecord(t), adaptertest.NewRecord(t), adaptertest.NewRecord(t)
	memory := genkit.New(fallback.Recorder, &genkit.Options{Recorder: func(ctx context.Context) *middleware.Recorder {
		if core.FromContext(ctx)["user"] == "ann" {
			return ann.Recorder
		}
		return nil
	}})
	user := core.WithActionContext(t.Context(), core.ActionContext{"user": "ann"})
	for _, ctx := range []context.Context{user, t.Context(), middleware.WithRecorder(user, carried.Recorder)} {
		_, err := gk.Generate(ctx, w.g, ai.WithPrompt("Get it."), ai.WithTools(w.getPage), ai.WithUse(memory))
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"get_page " + homeID}, ann.Names())
	assert.Equal(t, []string{"get_page " + newsID}, fallback.Names())
	assert.Equal(t, []string{"get_page " + homeID}, carried.Names())
}
