package adk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/plugin"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/middleware/adaptertest"
)

const (
	homeID = "550e8400-e29b-41d4-a716-446655440000"
	newsID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

	instruction = "You edit a website."
)

func newEditor(t *testing.T, m model.LLM, tools ...tool.Tool) agent.Agent {
	t.Helper()
	return newAgent(t, llmagent.Config{Name: "editor", Model: m, Instruction: instruction, Tools: tools})
}

func newAgent(t *testing.T, config llmagent.Config) agent.Agent {
	t.Helper()
	a, err := llmagent.New(config)
	require.NoError(t, err)
	return a
}

// world is a runner and its sessions.
type world struct {
	t       *testing.T
	service session.Service
	runner  *runner.Runner
}

// newWorld returns a runner with plugins. If the service is nil, it is a new one.
func newWorld(t *testing.T, service session.Service, a agent.Agent, plugins ...*plugin.Plugin) *world {
	t.Helper()
	if service == nil {
		service = session.InMemoryService()
	}
	r, err := runner.New(runner.Config{
		AppName: "cms", Agent: a, SessionService: service, AutoCreateSession: true,
		PluginConfig: runner.PluginConfig{Plugins: plugins},
	})
	require.NoError(t, err)
	return &world{t, service, r}
}

// run runs a turn in a session of anna's, and returns the events.
func (w *world) run(ctx context.Context, sessionID string, said *genai.Content) (events []*session.Event) {
	w.t.Helper()
	for event, err := range w.runner.Run(ctx, "anna", sessionID, said, agent.RunConfig{}) {
		require.NoError(w.t, err)
		events = append(events, event)
	}
	return events
}

// say runs a turn in session s-1.
func (w *world) say(text string) []*session.Event {
	w.t.Helper()
	return w.run(w.t.Context(), "s-1", genai.NewContentFromText(text, genai.RoleUser))
}

// respond runs a turn in session s-1 in which the user's program answers a call.
func (w *world) respond(to *genai.FunctionCall, response map[string]any) []*session.Event {
	w.t.Helper()
	part := genai.NewPartFromFunctionResponse(to.Name, response)
	part.FunctionResponse.ID = to.ID
	return w.run(w.t.Context(), "s-1", genai.NewContentFromParts([]*genai.Part{part}, genai.RoleUser))
}

// events returns the stored events of a session.
func (w *world) events(sessionID string) []*session.Event {
	w.t.Helper()
	got, err := w.service.Get(w.t.Context(), &session.GetRequest{AppName: "cms", UserID: "anna", SessionID: sessionID})
	require.NoError(w.t, err)
	return slices.Collect(got.Session.Events().All())
}

// reload returns a service with the sessions as another process reads them: from JSON.
func (w *world) reload(sessionIDs ...string) session.Service {
	w.t.Helper()
	return w.reloadChanged(func(*session.Event) {}, sessionIDs...)
}

// reloadChanged returns a service with the sessions whose events are changed.
func (w *world) reloadChanged(change func(*session.Event), sessionIDs ...string) session.Service {
	w.t.Helper()
	service := session.InMemoryService()
	for _, id := range sessionIDs {
		made, err := service.Create(w.t.Context(), &session.CreateRequest{AppName: "cms", UserID: "anna", SessionID: id})
		require.NoError(w.t, err)
		for _, event := range w.events(id) {
			var read session.Event
			require.NoError(w.t, json.Unmarshal([]byte(encode(event)), &read))
			change(&read)
			require.NoError(w.t, service.AppendEvent(w.t.Context(), made.Session, &read))
		}
	}
	return service
}

// callOf returns the last call of a function in events.
func callOf(events []*session.Event, name string) (found *genai.FunctionCall) {
	for _, event := range events {
		if event.Content == nil {
			continue
		}
		for _, p := range event.Content.Parts {
			if p.FunctionCall != nil && p.FunctionCall.Name == name {
				found = p.FunctionCall
			}
		}
	}
	return found
}

// record is a recorder with the calls that it received.
type record struct{ *adaptertest.Record }

func newRecord(t *testing.T) *record { return &record{adaptertest.NewRecord(t)} }

// lines returns the recorded calls, each as "tool arguments: result", sorted. Those of agents
// that run at once are recorded in any order.
func (r *record) lines() []string {
	lines := []string{}
	for _, c := range r.Calls() {
		outcome := encode(c.Result)
		if c.Err != nil {
			outcome = "error: " + c.Err.Error()
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", c.Name, encode(c.Arguments), outcome))
	}
	slices.Sort(lines)
	return lines
}

func line(tool, page, outcome string) string {
	return fmt.Sprintf(`%s {"page_id":%q}: %s`, tool, page, outcome)
}

func pageLine(tool, id, title string) string {
	return line(tool, id, fmt.Sprintf(`{"page":{"id":%q,"title":%q}}`, id, title))
}
