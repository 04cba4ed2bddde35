package adk_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/adk/v2/tool/functiontool"
	"google.golang.org/adk/v2/tool/toolconfirmation"
	"google.golang.org/adk/v2/tool/toolutils"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/adapters/adk"
)

// silentTool is a tool without a result of its own.
type silentTool struct {
	functionTool
	defers bool
}

type functionTool interface {
	tool.Tool
	Declaration() *genai.FunctionDeclaration
	Run(ctx agent.Context, args any) (map[string]any, error)
}

func (s silentTool) ProcessRequest(_ agent.Context, req *model.LLMRequest) error {
	return toolutils.PackTool(req, s)
}

func (silentTool) Run(agent.Context, any) (map[string]any, error) { return nil, nil }

func (s silentTool) DefersResponse() bool { return s.defers }

// The pending result of a long-running tool is not recorded, its later responses are, each once.
func TestLongRunningTool(t *testing.T) {
	t.Parallel()
	longRunning := functiontool.Config{Name: "publish", IsLongRunning: true}
	pending := func(agent.Context, pageArgs) (map[string]any, error) {
		return map[string]any{"status": "pending", "ticket_id": "ticket-4711"}, nil
	}
	for name, newPublish := range map[string]func(t *testing.T) tool.Tool{
		"pending": func(t *testing.T) tool.Tool { return newTool(t, longRunning, pending) },
		"silent": func(t *testing.T) tool.Tool {
			return silentTool{newTool(t, longRunning, pending).(functionTool), false}
		},
		"deferring": func(t *testing.T) tool.Tool {
			return silentTool{newTool(t, functiontool.Config{Name: "publish"}, pending).(functionTool), true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, r := newScript(call("publish "+homeID), say("Please wait."), say("Half."), say("Published."), say("Yes.")), newRecord(t)
			if name == "silent" { // the turn ends
				m = newScript(call("publish "+homeID), say("Half."), say("Published."), say("Yes."))
			}
			w := newWorld(t, nil, newEditor(t, m, newPublish(t)), adk.New(r.Recorder, nil).Plugin())
			asked := callOf(w.say("Publish the home page."), "publish")
			assert.Empty(t, r.lines())

			half := line("publish", homeID, `{"progress":50}`)
			w.respond(asked, map[string]any{"progress": 50})
			assert.Equal(t, []string{half}, r.lines())
			done := pageLine("publish", homeID, "Home")
			w.respond(asked, map[string]any{"page": map[string]any{"id": homeID, "title": "Home"}})
			assert.Equal(t, []string{done, half}, r.lines())
			assert.Contains(t, m.system(), homeID)
			w.say("Is it done?")
			assert.Equal(t, []string{done, half}, r.lines())
		})
	}
}

// One message may answer several calls, also in a session that is stored.
func TestResponsesInOneMessage(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	sessions, _ := newSessions(t, nil, r)
	publish := newTool(t, functiontool.Config{Name: "publish", IsLongRunning: true}, func(agent.Context, pageArgs) (string, error) { return "pending", nil })
	get := newTool(t, functiontool.Config{Name: "get_page"}, getPage)
	m := newScript(call("get_page "+homeID, "publish "+homeID, "publish "+newsID), say("Please wait."), say("Half."), say("Published."))
	w := newWorld(t, nil, newEditor(t, m, publish, get), adk.New(nil, &adk.Options{Recorder: adk.InSessions(sessions)}).Plugin())
	asked := w.say("Publish both pages.")[0].Content.Parts[1:]
	want := []string{pageLine("get_page", homeID, "Home")}
	assert.Equal(t, want, r.lines())
	for _, progress := range []string{"half", "done"} {
		var parts []*genai.Part
		for _, p := range asked {
			part := genai.NewPartFromFunctionResponse("publish", map[string]any{"result": progress})
			part.FunctionResponse.ID = p.FunctionCall.ID
			parts = append(parts, part)
			want = append(want, line("publish", p.FunctionCall.Args["page_id"].(string), encode(progress)))
		}
		w.run(t.Context(), "s-1", genai.NewContentFromParts(parts, genai.RoleUser))
		assert.ElementsMatch(t, want, r.lines())
	}
}

// A long-running tool that cannot begin has failed.
func TestLongRunningToolThatFails(t *testing.T) {
	t.Parallel()
	m, r := newScript(call("publish missing"), say("There is no such page."), say("Yes.")), newRecord(t)
	publish := newTool(t, functiontool.Config{Name: "publish", IsLongRunning: true}, getPage)
	w := newWorld(t, nil, newEditor(t, m, publish), adk.New(r.Recorder, nil).Plugin())
	w.say("Publish it.")
	w.say("Is it there?")
	assert.Equal(t, []string{line("publish", "missing", "error: no such page")}, r.lines())
}

// A call that waits for the user's approval is suspended.
func TestConfirmation(t *testing.T) {
	t.Parallel()
	required := functiontool.Config{Name: "publish", RequireConfirmation: true}
	asking := func(ctx agent.Context, args pageArgs) (pageResult, error) {
		if ctx.ToolConfirmation() == nil {
			return pageResult{page{"pending", "Waits for an approval"}}, ctx.RequestConfirmation("May I?", nil)
		}
		return getPage(ctx, args)
	}
	for name, test := range map[string]struct {
		tool      func(t *testing.T) tool.Tool
		talk      bool // before the answer
		confirmed bool
		want      string
	}{
		"approved": {
			func(t *testing.T) tool.Tool { return newTool(t, required, getPage) }, false, true,
			pageLine("publish", homeID, "Home"),
		},
		"rejected": {
			func(t *testing.T) tool.Tool { return newTool(t, required, getPage) }, false, false,
			line("publish", homeID, `error: error tool "publish" call is rejected`),
		},
		"streaming": {
			func(t *testing.T) tool.Tool {
				made, err := functiontool.NewStreaming(required, streamPage)
				require.NoError(t, err)
				return made
			},
			false, true, line("publish", homeID, `"Home"`),
		},
		"asked by the tool": {
			func(t *testing.T) tool.Tool { return newTool(t, functiontool.Config{Name: "publish"}, asking) }, false, true,
			pageLine("publish", homeID, "Home"),
		},
		"ignored first": {
			func(t *testing.T) tool.Tool { return newTool(t, required, getPage) }, true, false, "",
		},
		"asked by the tool, ignored first": {
			func(t *testing.T) tool.Tool { return newTool(t, functiontool.Config{Name: "publish"}, asking) }, true, false, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			get := newTool(t, functiontool.Config{Name: "get_page"}, getPage)
			m, r := newScript(call("publish "+homeID, "get_page "+newsID), say("As you like."), say("Yes.")), newRecord(t)
			w := newWorld(t, nil, newEditor(t, m, test.tool(t), get), adk.New(r.Recorder, nil).Plugin())
			question := callOf(w.say("Publish the home page."), toolconfirmation.FunctionCallName)
			require.NotNil(t, question)
			want := []string{pageLine("get_page", newsID, "News")}
			assert.Equal(t, want, r.lines(), "the call that needs no approval")
			if test.talk {
				w.say("Never mind.")
				assert.Equal(t, want, r.lines())
				return
			}
			w.respond(question, map[string]any{"confirmed": test.confirmed})
			assert.Equal(t, append(want, test.want), r.lines())
			w.say("Is it there?")
			assert.Equal(t, append(want, test.want), r.lines())
		})
	}
}

// The questions of ADK and the user's answers are no calls of tools.
func TestQuestions(t *testing.T) {
	t.Parallel()
	m, r := newScript(say("Hello."), say("Yes.")), newRecord(t)
	w := newWorld(t, nil, newEditor(t, m), adk.New(r.Recorder, nil).Plugin())
	w.say("Hello.")
	got, err := w.service.Get(t.Context(), &session.GetRequest{AppName: "cms", UserID: "anna", SessionID: "s-1"})
	require.NoError(t, err)
	for i, name := range []string{"adk_request_confirmation", "adk_request_credential", "adk_request_input"} {
		id := fmt.Sprintf("adk-%d", i)
		answer := genai.NewContentFromFunctionResponse(name, map[string]any{"page": map[string]any{"id": homeID}}, genai.RoleUser)
		question := functionCall(name, map[string]any{"page_id": homeID})
		answer.Parts[0].FunctionResponse.ID, question.Parts[0].FunctionCall.ID = id, id
		for _, content := range []*genai.Content{question, answer} {
			event := session.NewEvent(t.Context(), "i-1")
			event.Author, event.Content = map[string]string{genai.RoleModel: "editor", genai.RoleUser: "user"}[content.Role], content
			require.NoError(t, w.service.AppendEvent(t.Context(), got.Session, event))
		}
	}
	w.say("Are you there?")
	assert.Empty(t, r.lines())
	assert.NotContains(t, m.system(), homeID)
}
