package adk

import (
	"errors"
	"slices"
	"strings"

	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/tool/toolconfirmation"
	"google.golang.org/adk/v2/workflow"
	"google.golang.org/genai"

	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// view is the middleware.History.View of this package.
const view = "adk"

// author is the Author of the events of the user.
const author = "user"

// historyOf returns the calls in the events of a session, and in one more event unless it is nil.
// The contents of requests have less: no ids that ADK gave, calls of other agents as text, and
// nothing that tells a result from one that is still to come.
func historyOf(handles *handle.Table, s session.Session, latest *session.Event) *middleware.History {
	r := reader{
		handles:   handles,
		history:   &middleware.History{View: view, Thread: strings.Join([]string{s.AppName(), s.UserID(), s.ID()}, "/")},
		requested: make(map[string]requestedCall),
	}
	for event := range s.Events().All() {
		r.add(event)
	}
	r.add(latest)
	return r.history
}

// reader reads the events of a session.
//
// It adds results with their calls, and no requests, so that calls are known by their ids and not
// by their arguments. In ADK each call has an id, and plugins may change the arguments in place,
// after a session service has stored the request. The arguments have ids in place of handles, as
// tools receive them.
type reader struct {
	handles   *handle.Table // may be nil
	history   *middleware.History
	requested map[string]requestedCall // by keyOf, the last ones
}

type requestedCall struct {
	arguments   any
	longRunning bool
}

// keyOf returns the key of a requested call. Sessions that ADK did not make may have no ids.
func keyOf(id, name string) string {
	if id == "" {
		return "/" + name
	}
	return id
}

func (r *reader) add(event *session.Event) {
	if event == nil || event.Content == nil {
		return
	}
	if event.Content.Role == genai.RoleModel {
		r.addRequests(event)
	}
	for _, response := range responses(event) {
		r.addResponse(event, response)
	}
}

// addRequests adds a message of the model. Those that ADK makes to ask the user are none.
func (r *reader) addRequests(event *session.Event) {
	for _, p := range event.Content.Parts {
		if p == nil || p.FunctionCall == nil {
			continue
		}
		id, name := p.FunctionCall.ID, p.FunctionCall.Name
		if isQuestion(name) {
			return
		}
		arguments := argumentsOf(p.FunctionCall.Args)
		if decoded, err := r.handles.DecodeArguments(arguments, acceptAll); err == nil {
			arguments = decoded
		}
		r.requested[keyOf(id, name)] = requestedCall{arguments, slices.Contains(event.LongRunningToolIDs, id)}
	}
	r.history.AddRequests()
}

func acceptAll(string) bool { return true }

// addResponse adds a result, unless the call is suspended. The first response of a long-running
// tool is pending. Any number of responses of the user follow.
func (r *reader) addResponse(event *session.Event, response *genai.FunctionResponse) {
	result, err := outcome(response.Response)
	_, asks := event.Actions.RequestedToolConfirmations[response.ID]
	call := r.requested[keyOf(response.ID, response.Name)]
	pending := call.longRunning && event.Author != author && err == nil
	if asks || pending || isQuestion(response.Name) || errors.Is(err, middleware.ErrSuspended) {
		return
	}
	r.history.AddResult(middleware.ToolCall{ID: response.ID, Name: response.Name, Arguments: call.arguments, Result: result, Err: err})
}

// isQuestion reports whether ADK itself uses a name to ask the user for something.
func isQuestion(name string) bool {
	return name == toolconfirmation.FunctionCallName || name == workflow.WorkflowInputFunctionCallName || name == "adk_request_credential"
}

// responses returns the responses of functions in an event.
func responses(event *session.Event) (all []*genai.FunctionResponse) {
	if event.Content == nil {
		return nil
	}
	for _, p := range event.Content.Parts {
		if p != nil && p.FunctionResponse != nil {
			all = append(all, p.FunctionResponse)
		}
	}
	return all
}
