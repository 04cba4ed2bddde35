package adaptertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// Run tests an adapter: each case with plain answers of the model and, if Harness.Streams, with
// streamed ones. The cases run in parallel.
func Run(t *testing.T, h Harness) {
	t.Helper()
	for _, streams := range []bool{false, true} {
		if streams && !h.Streams {
			continue
		}
		t.Run(map[bool]string{false: "plain", true: "streamed"}[streams], func(t *testing.T) {
			conformance.Run(t, cases, func(tb testing.TB) *env {
				return &env{TB: tb, harness: h, streams: streams}
			})
		})
	}
}

// env is the environment of a case.
type env struct {
	testing.TB
	harness Harness
	streams bool
}

// agent returns an agent that follows a script.
func (e *env) agent(s *script, r *middleware.Recorder, history bool, tools ...Tool) Agent {
	return e.harness.New(e, Setup{
		System: system, Recorder: r, Model: s.answer, Tools: tools, Stream: e.streams, History: history,
	})
}

func (e *env) say(a Agent, text string) {
	_, err := a.Say(e.Context(), text)
	require.NoError(e, err)
}

// shows checks that a request has the block once, behind the system prompt, with ids.
func (e *env) shows(request Request, ids ...string) {
	assert.Equal(e, 1, request.blocks(), "blocks in %q", request.text())
	assert.True(e, strings.HasPrefix(request.System, system), "the system prompt comes first: %q", request.System)
	block := request.text()
	if i := strings.Index(block, "[WORKING MEMORY]"); i >= 0 {
		block = block[i:]
	}
	for _, id := range ids {
		assert.Contains(e, block, id)
	}
}

var cases = []conformance.Case[*env]{
	{
		Name:  "the next turn has the block",
		About: "Ids that tools returned in one turn are in the request of the next, whose messages do not have them.",
		Run: func(e *env) {
			s, r := newScript(e, get("c1 get_page "+homeID), say("Found it."), say("Done.")), NewRecord(e)
			a := e.agent(s, r.Recorder, false, pages("get_page"))
			e.say(a, "Get the home page.")
			e.shows(s.last(), homeID)
			e.say(a, "Rename it.")
			e.shows(s.last(), homeID)
			for _, m := range s.last().Messages {
				assert.NotEqual(e, "tool", m.Role, "the turn has no history")
			}
			assert.Equal(e, []string{"get_page " + homeID}, r.Names())
		},
	},
	{
		Name:  "parallel calls",
		About: "All calls of one answer are recorded, each once, with its id and arguments.",
		Run: func(e *env) {
			tools := []Tool{pages("get_page"), pages("read_page")}
			if e.harness.StreamingTools {
				tools[1] = streamedPages("read_page")
			}
			s, r := newScript(e, get("c1 get_page "+homeID, "c2 read_page "+newsID, "c3 get_page "+newsID), say("Found them."), say("Done.")), NewRecord(e)
			a := e.agent(s, r.Recorder, false, tools...)
			e.say(a, "Which pages are there?")
			e.say(a, "Rename the news page.")
			e.shows(s.last(), homeID, newsID)
			assert.Equal(e, []string{"get_page " + homeID, "get_page " + newsID, "read_page " + newsID}, r.Names())
			for _, c := range r.Calls() {
				if !e.harness.NoIDs {
					assert.NotEmpty(e, c.ID)
				}
				assert.NoError(e, c.Err)
			}
		},
	},
	{
		Name:  "history given again",
		About: "A model is given all messages at every step. Their calls are recorded once, and a changed block replaces the one before.",
		Run: func(e *env) {
			if e.harness.NoHistory {
				return
			}
			s, r := newScript(e, get("c1 get_page "+homeID), say("Found it."), get("c2 get_page "+newsID), get("c3 get_page "+homeID), say("Done."), say("Yes.")), NewRecord(e)
			a := e.agent(s, r.Recorder, true, pages("get_page"))
			for _, text := range []string{"Get the home page.", "Get the news, and home again.", "Done?"} {
				e.say(a, text)
			}
			e.shows(s.last(), homeID, newsID)
			assert.Equal(e, []string{"get_page " + homeID, "get_page " + homeID, "get_page " + newsID}, r.Names())
		},
	},
	{
		Name:  "repeated ids",
		About: "Some servers give each call the same id. Each call is recorded once.",
		Run:   func(e *env) { e.checkIDs("call_0") },
	},
	{
		Name:  "missing ids",
		About: "Some models give calls no id. Each call is recorded once.",
		Run:   func(e *env) { e.checkIDs("") },
	},
	{
		Name:  "failing tool",
		About: "A call that failed is recorded once, and nothing is taken from its error.",
		Run: func(e *env) {
			s, r := newScript(e, get("c1 get_page missing"), say("There is none."), say("Yes.")), NewRecord(e)
			a := e.agent(s, r.Recorder, false, pages("get_page"))
			_, err := a.Say(e.Context(), "Get it.")
			if e.harness.FailureEndsTurn {
				require.Error(e, err)
			} else {
				require.NoError(e, err)
			}
			assert.Equal(e, []string{"get_page missing"}, r.Names())
			if !e.harness.MessagesOnly {
				require.Len(e, r.Calls(), 1)
				require.ErrorContains(e, r.Calls()[0].Err, errNoPage.Error())
			}
			assert.Empty(e, r.found[0].Entities)
			assert.Empty(e, r.Block())
		},
	},
	{
		Name:  "suspended call",
		About: "A call that waits for an approval is not recorded until it has run.",
		Run: func(e *env) {
			if !e.harness.Suspends {
				return
			}
			approved := false
			tool := pages("get_page")
			run := tool.Run
			tool.Run = func(ctx context.Context, arguments string) ([]string, error) {
				if !approved {
					return nil, ErrSuspend
				}
				return run(ctx, arguments)
			}
			s, r := newScript(e, get("c1 get_page "+homeID), say("Found it.")), NewRecord(e)
			a := e.agent(s, r.Recorder, true, tool)
			_, _ = a.Say(e.Context(), "Get the home page.") // frameworks differ in what it returns
			assert.Empty(e, r.Names())
			resumer, ok := a.(Resumer)
			if !ok {
				return
			}
			approved = true
			_, err := resumer.Resume(e.Context())
			require.NoError(e, err)
			assert.Equal(e, []string{"get_page " + homeID}, r.Names())
			e.shows(s.last(), homeID)
		},
	},
	{
		Name:  "failing model",
		About: "A request that is made again after the model failed records nothing twice.",
		Run: func(e *env) {
			if e.harness.NoHistory {
				return
			}
			s, r := newScript(e, get("c1 get_page "+homeID), errors.New("overloaded"), say("Found it.")), NewRecord(e)
			a := e.agent(s, r.Recorder, true, pages("get_page"))
			_, err := a.Say(e.Context(), "Get the home page.")
			require.Error(e, err)
			e.say(a, "Go on.")
			e.shows(s.last(), homeID)
			assert.Equal(e, []string{"get_page " + homeID}, r.Names())
		},
	},
	{
		Name:  "nested agents",
		About: "Calls of an agent that is a tool of another are recorded once, in the same memory, as is the call of the agent.",
		Run: func(e *env) {
			r := NewRecord(e)
			inner := newScript(e, get("call_0 get_page "+homeID), say("The home page."))
			outer := newScript(e, get("call_0 ask_editor "+newsID), say("Found it."), say("Done."))
			editor := e.agent(inner, r.Recorder, false, pages("get_page"))
			a := e.agent(outer, r.Recorder, false, Tool{Name: "ask_editor", Run: func(ctx context.Context, _ string) ([]string, error) {
				answer, err := editor.Say(ctx, "Find the page.")
				return []string{answer}, err
			}})
			e.say(a, "Find the page.")
			e.say(a, "Rename it.")
			e.shows(outer.last(), homeID)
			assert.Equal(e, []string{"ask_editor " + newsID, "get_page " + homeID}, r.Names())
		},
	},
	{
		Name:  "two sessions at once",
		About: "Agents that run at the same time record into the recorders of their contexts, and see the ids of no other.",
		Run: func(e *env) {
			const sessions, turns = 4, 5
			var done sync.WaitGroup
			for i := range sessions {
				var replies []any
				var want []string
				id := func(n int) string { return fmt.Sprintf("page-%d%03d", i+1, n) }
				for n := range turns {
					replies = append(replies, get("c1 get_page "+id(n)), say("Found it."))
					want = append(want, "get_page "+id(n))
				}
				s, r := newScript(e, replies...), NewRecord(e)
				a := e.agent(s, nil, false, pages("get_page"))
				done.Go(func() {
					ctx := middleware.WithRecorder(e.Context(), r.Recorder)
					for range turns {
						if _, err := a.Say(ctx, "Get the next page."); !assert.NoError(e, err) {
							return
						}
					}
					assert.Equal(e, want, r.Names())
					for other := range sessions {
						if other != i {
							assert.NotContains(e, s.last().text(), fmt.Sprintf("page-%d", other+1))
						}
					}
					assert.Equal(e, 1, s.last().blocks())
				})
			}
			done.Wait()
		},
	},
	{
		Name:  "two agents of one session at once",
		About: "Agents that share a recorder may run at the same time. Each call is recorded once.",
		Run: func(e *env) {
			r := NewRecord(e)
			var want []string
			var done sync.WaitGroup
			for i := range 3 {
				var replies []any
				for n := range 4 {
					id := fmt.Sprintf("page-%d%03d", i+1, n)
					replies, want = append(replies, get("call_0 get_page "+id)), append(want, "get_page "+id)
				}
				a := e.agent(newScript(e, append(replies, say("Done."))...), r.Recorder, false, pages("get_page"))
				done.Go(func() {
					_, err := a.Say(e.Context(), "Get the pages.")
					assert.NoError(e, err)
				})
			}
			done.Wait()
			slices.Sort(want)
			assert.Equal(e, want, r.Names())
		},
	},
	{
		Name:  "handles",
		About: "With handles, the model sees them in place of long ids, in results and in the block, and tools receive ids. Each call is recorded once.",
		Run:   func(e *env) { e.histories(e.checkHandles) },
	},
	{
		Name:  "unknown handle",
		About: "A call with an unknown handle never reaches a tool. The model learns which handles there are, and the turn continues.",
		Run:   func(e *env) { e.histories(e.checkUnknownHandle) },
	},
	{
		Name:  "large result",
		About: "The model sees a description in place of a large result, and reads parts of it with the tools of the adapter.",
		Run: func(e *env) {
			e.histories(func(history bool) {
				e.checkLargeResult(nil, history)
				e.checkLargeResult(handle.NewTable(nil), history)
			})
		},
	},
	{
		Name:  "no recorder",
		About: "Without any recorder, requests are what they are without the adapter.",
		Run: func(e *env) {
			s := newScript(e, get("c1 get_page "+homeID), say("Found it."), say("Done."))
			a := e.agent(s, nil, false, pages("get_page"))
			e.say(a, "Get the home page.")
			e.say(a, "Rename it.")
			assert.Equal(e, system, s.last().System)
			assert.Zero(e, s.last().blocks())
		},
	},
}

// checkIDs runs an agent whose calls all have one id, or none, with and without history.
func (e *env) checkIDs(id string) {
	for _, history := range []bool{false, true} {
		if history && e.harness.NoHistory {
			continue
		}
		s, r := newScript(e,
			get(id+" get_page "+homeID), get(id+" get_page "+newsID), get(id+" get_page "+homeID), say("Found them."),
			get(id+" get_page "+newsID), say("Done.")), NewRecord(e)
		a := e.agent(s, r.Recorder, history, pages("get_page"))
		e.say(a, "Get the pages.")
		e.say(a, "Once more.")
		e.shows(s.last(), homeID, newsID)
		want := []string{"get_page " + homeID, "get_page " + homeID, "get_page " + newsID, "get_page " + newsID}
		if e.harness.MessagesOnly && !history { // equal calls of two conversations cannot be distinguished
			assert.Subset(e, want, r.Names())
			assert.LessOrEqual(e, len(r.Names()), len(want))
			continue
		}
		assert.Equal(e, want, r.Names())
	}
}
