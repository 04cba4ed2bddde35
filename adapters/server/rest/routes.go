package rest

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// Route is a route that a Handler serves.
type Route struct {
	// Method and Pattern are as http.ServeMux has them: {sid} is a part of the path, escaped.
	// Each pattern is also served with a slash at its end, and each GET as HEAD.
	Method, Pattern string
	// Auth is who may use it.
	Auth Class
}

// Routes returns all routes, in the order of the documentation.
func (h *Handler) Routes() []Route {
	all := make([]Route, len(h.routes))
	for i, rt := range h.routes {
		all[i] = Route{Method: rt.method, Pattern: rt.pattern, Auth: rt.class}
	}
	return all
}

// route is an entry of the table: what is served, and all that is documented of it.
type route struct {
	name    string // operationId
	method  string
	pattern string
	parts   []string // of the pattern
	class   Class
	free    bool // no token, and no limit: probes must get through
	group   string
	summary string
	detail  string
	params  []param
	headers []string // of requests, beside Authorization
	in, out reflect.Type
	media   string // of the answer; "" is JSON
	fails   []int  // statuses beside those that every route of its kind has
	example string // of the body
	serve   func(ctx context.Context, c *call) error
}

// place returns where in a request the value at a path of the service's is. The other
// parameters of a query were checked before the service had them.
func (rt *route) place(path []string) string {
	switch {
	case len(path) == 1 && path[0] == "session_id" && strings.HasPrefix(rt.pattern, sessionPath):
		return "path"
	case len(path) == 1 && rt.in == nil:
		return "query"
	default:
		return "body"
	}
}

const (
	sessionPath  = "/v1/working-memory/{sid}"
	memoriesPath = "/v1/long-term-memory"

	groupSessions = "Working memory"
	groupMemories = "Long-term memory"
	groupPrompt   = "Prompt"
	groupServer   = "Server"
)

// routes is the table.
func routes() []route {
	all := slices.Concat(sessionRoutes(), toolRoutes(), memoryRoutes(), memoryCareRoutes(), serverRoutes())
	for i := range all {
		all[i].parts = strings.Split(all[i].pattern[1:], "/")
	}
	return all
}

func sessionRoutes() []route {
	page := []param{
		{name: "limit", kind: kindInteger, def: number(20), min: 1, max: service.MaxPage, text: "how many at most"},
		{name: "offset", kind: kindInteger, def: number(0), max: maxOffset, text: "how many to leave out"},
	}
	recent := param{name: "recent_messages_limit", kind: kindInteger, min: -maxOffset, max: maxOffset, text: "only so many of the newest messages; 0 or less: all"}
	conditions := []string{"If-Match", "If-None-Match", "Prefer"}
	return []route{
		{
			name: "listSessions", method: "GET", pattern: "/v1/working-memory", group: groupSessions, class: ClassTenant,
			summary: "List the ids of sessions", detail: "Those that expired or were deleted are not there.",
			params: slices.Concat(page, ownerParams()), out: reflect.TypeFor[wire.SessionList](), serve: listSessions,
		},
		{
			name: "getSession", method: "GET", pattern: sessionPath, group: groupSessions, class: ClassTenant,
			summary: "Read a session",
			detail:  "With a model or a window, the newest messages that fit it, one at least; nothing is written. An id that means several sessions finds none: name the namespace and the user. The ETag is the version.",
			params:  slices.Concat(ownerParams(), windowParams(), []param{recent}), out: reflect.TypeFor[wire.Session](), fails: []int{404}, serve: getSession,
		},
		{
			name: "putSession", method: "PUT", pattern: sessionPath, group: groupSessions, class: ClassTenant,
			summary: "Write a session",
			detail:  "Replaces all that the body can carry, but leaves the entities as they are where it has none. What does not fit the window any more is summarised; the answer is the session after that. If-Match and If-None-Match make the write depend on the version. A message without created_at gets the time of now, and X-Deprecation-Warning says so.",
			params:  writeParams(), headers: conditions, in: reflect.TypeFor[wire.SessionBody](), out: reflect.TypeFor[wire.Session](), fails: []int{400, 403, 409, 412}, serve: putSession,
			example: `{"messages":[{"role":"user","content":"Which ads run?","created_at":"2026-01-02T15:04:05Z"}],"data":{"language":"en"},"ttl_seconds":3600}`,
		},
		{
			name: "deleteSession", method: "DELETE", pattern: sessionPath, group: groupSessions, class: ClassTenant,
			summary: "Delete a session", detail: "It is no error if it is not there. An id that means several sessions finds none.",
			params: ownerParams(), headers: []string{"If-Match"}, out: reflect.TypeFor[wire.Status](), fails: []int{404, 409, 412}, serve: deleteSession,
		},
		{
			name: "appendMessages", method: "POST", pattern: sessionPath + "/messages", group: groupSessions, class: ClassTenant,
			summary: "Append messages",
			detail:  "In one step, without reading the session first: of several who append at a time, nobody loses anything. A message whose id is there already is not added again, so that a request may be repeated. Makes the session where there is none. Answers as PUT does; with `Prefer: return=minimal` without the messages.",
			params:  writeParams(), headers: conditions, in: reflect.TypeFor[wire.Append](), out: reflect.TypeFor[wire.Session](), fails: []int{400, 403, 409, 412}, serve: appendMessages,
			example: `{"messages":[{"id":"m-1","role":"user","content":"Pause the second one.","created_at":"2026-01-02T15:04:05Z"}]}`,
		},
		{
			name: "summarizeSession", method: "POST", pattern: sessionPath + "/summarize", group: groupSessions, class: ClassTenant,
			summary: "Summarise a session now", detail: "As a write does where messages no longer fit the window.",
			params: ownerParams(), out: reflect.TypeFor[wire.Summarized](), fails: []int{400, 404, 409}, serve: summarize,
		},
	}
}

func toolRoutes() []route {
	budget := param{name: "budget", kind: kindInteger, def: number(0), max: maxWindow, text: "how many tokens the block may take; 0: as many as 10 entities need, 3 of a type"}
	return []route{
		{
			name: "recordToolCall", method: "POST", pattern: sessionPath + "/tool-calls", group: groupSessions, class: ClassTenant,
			summary: "Record a finished tool call",
			detail:  "Finds the entities in the result and keeps them in the session, which is made where there is none. The result is a JSON value, or a text in any format.",
			params:  writeOwnerParams(), in: reflect.TypeFor[wire.RecordedCall](), out: reflect.TypeFor[wire.Recorded](), fails: []int{403, 409}, serve: recordToolCall,
			example: `{"name":"create_ad","arguments":{"name":"Spring"},"result":{"id":"ad-17","name":"Spring","status":"PAUSED"}}`,
		},
		{
			name: "listEntities", method: "GET", pattern: sessionPath + "/entities", group: groupSessions, class: ClassTenant,
			summary: "List a session's entities", detail: "The newest first.",
			params: ownerParams(), out: reflect.TypeFor[wire.Entities](), fails: []int{404}, serve: listEntities,
		},
		{
			name: "getBlock", method: "GET", pattern: sessionPath + "/block", group: groupSessions, class: ClassTenant,
			summary: "Render the [WORKING MEMORY] block", detail: "The text for a model's prompt; empty where there is nothing to say, or no such session.",
			params: slices.Concat(ownerParams(), []param{budget}), media: mediaText, serve: getBlock,
		},
		{
			name: "getDecisions", method: "GET", pattern: sessionPath + "/decisions", group: groupSessions, class: ClassTenant,
			summary: "Say what a session's block shows, and why",
			detail:  "How full the window is; for each entity whether the default block shows it, and if not, why not; and what became of entities in the calls that this process recorded last.",
			params:  ownerParams(), out: reflect.TypeFor[wire.Decisions](), fails: []int{404}, serve: getDecisions,
		},
	}
}
