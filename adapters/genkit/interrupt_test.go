package genkit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/firebase/genkit/go/ai"
	gk "github.com/firebase/genkit/go/genkit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/genkit"
	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

// approved is a tool that asks before it runs for the first time.
func approved(w *world) *ai.ToolAction[pageInput, pageOutput] {
	return gk.DefineTool(w.g, "delete_draft", "Deletes a draft.", func(tc *ai.ToolContext, in pageInput) (pageOutput, error) {
		if !tc.IsResumed() {
			return pageOutput{}, tc.Interrupt(&ai.InterruptOptions{Metadata: map[string]any{"ask": in.PageID}})
		}
		return pageOutput{page{in.PageID, "Draft"}}, nil
	})
}

const draftID = "3f333df6-90a4-4fda-8dd3-9485d27cee36"

// The calls beside an interrupted one have run: they are recorded once, although Genkit shows
// their results to the model when the turn goes on.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	for name, resume := range map[string]func(*ai.ToolAction[pageInput, pageOutput], *ai.Part) (ai.GenerateOption, error){
		"restart": func(tool *ai.ToolAction[pageInput, pageOutput], p *ai.Part) (ai.GenerateOption, error) {
			p, err := tool.RestartWith(p)
			return ai.WithToolRestarts(p), err
		},
		"restart with other input": func(tool *ai.ToolAction[pageInput, pageOutput], p *ai.Part) (ai.GenerateOption, error) {
			p, err := tool.RestartWith(p, ai.WithNewInput(pageInput{newsID}))
			return ai.WithToolRestarts(p), err
		},
		"respond": func(tool *ai.ToolAction[pageInput, pageOutput], p *ai.Part) (ai.GenerateOption, error) {
			p, err := tool.RespondWith(p, pageOutput{page{draftID, "Draft"}})
			return ai.WithToolResponses(p), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, r := newWorld(t, ai.NewModelMessage(call("get_page", "", homeID), call("delete_draft", "", draftID))), adaptertest.NewRecord(t)
			tool := approved(w)
			use := ai.WithUse(genkit.New(r.Recorder, nil))
			tools := ai.WithTools(w.getPage, tool)
			response := w.generate(t, ai.WithPrompt("Clean up."), tools, use)
			assert.Equal(t, ai.FinishReasonInterrupted, response.FinishReason)
			assert.Equal(t, []string{"get_page " + homeID}, r.Names())

			w.answers = append(w.answers, say("Done."), say("Yes."))
			option, err := resume(tool, response.Interrupts()[0])
			require.NoError(t, err)
			response = w.generate(t, ai.WithMessages(response.History()...), option, tools, use)
			want := draftID
			if strings.Contains(name, "other") {
				want = newsID
			}
			assert.Equal(t, []string{"delete_draft " + want, "get_page " + homeID}, r.Names())
			w.generate(t, ai.WithMessages(response.History()...), ai.WithPrompt("Done?"), tools, use)
			assert.Len(t, r.Names(), 2)
		})
	}
}

// A middleware may interrupt a call in place of the tool, on either side of the working memory.
func TestApproval(t *testing.T) {
	t.Parallel()
	approval := ai.MiddlewareFunc(func(context.Context) (*ai.Hooks, error) {
		return &ai.Hooks{WrapTool: func(ctx context.Context, p *ai.ToolParams, next ai.ToolNext) (*ai.MultipartToolResponse, error) {
			if !ai.IsToolResumed(ctx) {
				return nil, ai.NewToolInterruptError(nil)
			}
			return next(ctx, p)
		}}, nil
	})
	for _, inner := range []bool{true, false} {
		w, r := newWorld(t, get("", homeID), say("Found it.")), adaptertest.NewRecord(t)
		use := []ai.Middleware{approval, genkit.New(r.Recorder, nil)}
		if !inner {
			use[0], use[1] = use[1], use[0]
		}
		response := w.generate(t, ai.WithPrompt("Get it."), ai.WithTools(w.getPage), ai.WithUse(use...))
		require.Len(t, response.Interrupts(), 1)
		assert.Empty(t, r.Names())
		restart, err := w.getPage.RestartWith(response.Interrupts()[0])
		require.NoError(t, err)
		w.generate(t, ai.WithMessages(response.History()...), ai.WithToolRestarts(restart), ai.WithTools(w.getPage), ai.WithUse(use...))
		assert.Equal(t, []string{"get_page " + homeID}, r.Names())
	}
}
