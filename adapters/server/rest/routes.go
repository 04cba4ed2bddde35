package rest

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// Route is a route that a Handler serves.
type Route struct {
	// Method and Pattern are as in http.ServeMux. A wildcard such as {sid} is one escaped part
	// of the path. Each pattern is also served with a trailing slash, and each GET as HEAD.
	Method, Pattern string
	// Auth is the authorization that the route requires.
	Auth Class
}

// Routes returns all documented routes, in the order of the documentation.
func (h *Handler) Routes() []Route {
	all := make([]Route, len(h.routes))
	for i, rt := range h.routes {
		all[i] = Route{Method: rt.method, Pattern: rt.pattern, Auth: rt.class}
	}
	return all
}

// route is an entry of the table: a handler and its documentation.
type route struct {
	name    string // operationId
	method  string
	pattern string
	parts   []string // of the pattern
	class   Class
	probe   bool // asks whether the server lives: no token and no rate limit
	group   string
	summary string
	detail  string
	params  []param
	headers []string // of requests, besides Authorization
	answers []string // headers of answers, besides those of every route
	in, out reflect.Type
	media   string // of the answer; "" means JSON
	fails   []int  // statuses of errors, besides those of every route
	example string // of the body
	serve   func(ctx context.Context, c *call) error
}

// place returns the part of a request that has the value at a path of the service.
func (rt *route) place(path []string) string {
	switch {
	case len(path) == 1 && path[0] == "session_id" && strings.HasPrefix(rt.pattern, sessionPath):
		return "path"
	case len(path) == 1 && strings.Contains(rt.pattern, "{"+path[0]+"}"):
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
	groupSummary  = "Summary views"
	groupServer   = "Server"
)

// routes is the table.
func routes() []route {
	all := slices.Concat(sessionRoutes(), toolRoutes(), memoryRoutes(), memoryCareRoutes(), summaryRoutes(), serverRoutes())
	for i := range all {
		all[i].parts = strings.Split(all[i].pattern[1:], "/")
	}
	return all
}

// unlistedRoute returns the route of a request that is not part of the documented API, for
// browsers: GET / or a file of the page at /docs. It returns nil for any other.
func unlistedRoute(r *http.Request) *route {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil
	}
	if r.URL.EscapedPath() == "/" {
		return &route{name: "root", method: "GET", pattern: "/", class: ClassOpen, serve: redirectToDocs}
	}
	return docsFileRoute(r.URL.EscapedPath())
}

func sessionRoutes() []route {
	page := []param{
		{name: "limit", kind: kindInteger, def: number(20), min: 1, max: service.MaxPage, text: "the maximum number of sessions"},
		{name: "offset", kind: kindInteger, def: number(0), max: maxOffset, text: "how many sessions to skip"},
	}
	recent := param{name: "recent_messages_limit", kind: kindInteger, min: -maxOffset, max: maxOffset, text: "the maximum number of messages, the newest; 0 or less means all"}
	conditions := []string{"If-Match", "If-None-Match", "Prefer"}
	return []route{
		{
			name: "listSessions", method: "GET", pattern: "/v1/working-memory", group: groupSessions, class: ClassTenant,
			summary: "List the ids of sessions", detail: "Expired and deleted sessions are not listed.",
			params: slices.Concat(page, ownerParams()), out: reflect.TypeFor[wire.SessionList](), serve: listSessions,
		},
		{
			name: "getSession", method: "GET", pattern: sessionPath, group: groupSessions, class: ClassTenant,
			answers: []string{"ETag"},
			summary: "Read a session",
			detail:  "With a model or a window, returns the newest messages that fit it, at least one. Writes nothing. If several sessions have the id, name the namespace and the user; otherwise none is found. The ETag is the version.",
			params:  slices.Concat(ownerParams(), windowParams(), []param{recent}), out: reflect.TypeFor[wire.Session](), fails: []int{404}, serve: getSession,
		},
		{
			name: "putSession", method: "PUT", pattern: sessionPath, group: groupSessions, class: ClassTenant,
			answers: []string{"ETag", "X-Deprecation-Warning", "Preference-Applied"},
			summary: "Write a session",
			detail:  "Replaces the whole session, but keeps the entities if the body has none. Messages that no longer fit the window are summarised before the answer. If-Match and If-None-Match make the write depend on the version. A message without created_at gets the current time and causes an X-Deprecation-Warning.",
			params:  writeParams(), headers: conditions, in: reflect.TypeFor[wire.SessionBody](), out: reflect.TypeFor[wire.Session](), fails: []int{400, 403, 409, 412}, serve: putSession,
			example: `{"messages":[{"role":"user","content":"Which ads run?","created_at":"2026-01-02T15:04:05Z"}],"data":{"language":"en"},"ttl_seconds":3600}`,
		},
		{
			name: "deleteSession", method: "DELETE", pattern: sessionPath, group: groupSessions, class: ClassTenant,
			summary: "Delete a session", detail: "A session that does not exist is no error. If several sessions have the id, none is found.",
			params: ownerParams(), headers: []string{"If-Match"}, out: reflect.TypeFor[wire.Status](), fails: []int{404, 409, 412}, serve: deleteSession,
		},
		{
			name: "appendMessages", method: "POST", pattern: sessionPath + "/messages", group: groupSessions, class: ClassTenant,
			answers: []string{"ETag", "X-Deprecation-Warning", "Preference-Applied"},
			summary: "Append messages",
			detail:  "Appends atomically, without reading the session first, so that concurrent appends lose nothing. Skips messages whose ids the session has, so that a request may be repeated. Creates the session if necessary. The answer is that of PUT; `Prefer: return=minimal` leaves out the messages.",
			params:  writeParams(), headers: conditions, in: reflect.TypeFor[wire.Append](), out: reflect.TypeFor[wire.Session](), fails: []int{400, 403, 409, 412}, serve: appendMessages,
			example: `{"messages":[{"id":"m-1","role":"user","content":"Pause the second one.","created_at":"2026-01-02T15:04:05Z"}]}`,
		},
		{
			name: "summarizeSession", method: "POST", pattern: sessionPath + "/summarize", group: groupSessions, class: ClassTenant,
			summary: "Summarise a session now", detail: "A write does the same when messages no longer fit the window.",
			params: ownerParams(), out: reflect.TypeFor[wire.Summarized](), fails: []int{400, 404, 409}, serve: summarize,
		},
	}
}

func toolRoutes() []route {
	shown := param{name: "handles", kind: kindBoolean, def: number(1), text: "show handles where the session has them; false shows the ids"}
	budget := param{name: "budget", kind: kindInteger, def: number(0), max: maxWindow, text: "the maximum size of the block in tokens, filled with what is most likely needed; 0 means that of the server, and at most ten lines, what is in use first, if it has none"}
	return []route{
		{
			name: "recordToolCall", method: "POST", pattern: sessionPath + "/tool-calls", group: groupSessions, class: ClassTenant,
			summary: "Record a finished tool call",
			detail:  "Finds the entities in the result and keeps them in the session, which it creates if necessary. The result is a JSON value, or a text in any format. With handles or store_results, which are settings of the server and of each call, the answer has what the model is to see in place of the result.",
			params:  writeOwnerParams(), in: reflect.TypeFor[wire.RecordedCall](), out: reflect.TypeFor[wire.Recorded](), fails: []int{403, 409}, serve: recordToolCall,
			example: `{"name":"create_ad","arguments":{"name":"Spring"},"result":{"id":"ad-17","name":"Spring","status":"PAUSED"}}`,
		},
		{
			name: "decodeArguments", method: "POST", pattern: sessionPath + "/tool-calls/arguments", group: groupSessions, class: ClassTenant,
			summary: "Put ids in place of handles",
			detail:  "Takes the arguments of a tool call as the model wrote them, or a text, and answers with those for the tool. A handle that the session never gave out is an invalid value of type unknown_handle: the tool must not be called, and the message, which names the nearest known handles, is for the model. Writes nothing.",
			params:  ownerParams(), in: reflect.TypeFor[wire.CallArguments](), out: reflect.TypeFor[wire.CallArguments](), serve: decodeArguments,
			example: `{"arguments":{"id":"ad-17","name":"Summer"}}`,
		},
		{
			name: "listResults", method: "GET", pattern: sessionPath + "/results", group: groupSessions, class: ClassTenant,
			summary: "List a session's stored results", detail: "A line for each, oldest first, with its handle, tool, format and size; those that were dropped say so.",
			params: ownerParams(), media: mediaText, fails: []int{400, 404}, serve: listResults,
		},
		{
			name: "readResult", method: "GET", pattern: sessionPath + "/results/{handle}", group: groupSessions, class: ClassTenant,
			summary: "Read a part of a stored result",
			detail:  "The handle is result%233, or only its number. With a path or a query, members or matches are read, otherwise lines; at most 16 KiB, and the last line tells how to go on. The status is 404 for an unknown handle and 410 for a result that was dropped, because newer ones needed its room.",
			params: slices.Concat(ownerParams(), []param{
				{name: "path", kind: kindText, text: "a JSON path, such as $.items[3].name, $.items[10:20] or $.items[*].id"},
				{name: "query", kind: kindText, text: "words: the lines, or JSON objects, that contain the most of them are read"},
				{name: "offset", kind: kindInteger, def: number(0), max: maxOffset, text: "the number of the first line, element or match, from 1 on; 0 means 1"},
				{name: "limit", kind: kindInteger, def: number(0), max: maxOffset, text: "the maximum number of lines, elements or matches; 0 means a default"},
			}), media: mediaText, fails: []int{400, 404, 410}, serve: readResult,
		},
		{
			name: "listEntities", method: "GET", pattern: sessionPath + "/entities", group: groupSessions, class: ClassTenant,
			summary: "List a session's entities", detail: "Newest first.",
			params: slices.Concat(ownerParams(), []param{{name: "candidates", kind: kindBoolean, def: number(0), text: "also list values that tools may take as ids though no record says so"}}), out: reflect.TypeFor[wire.Entities](), fails: []int{404}, serve: listEntities,
		},
		{
			name: "getBlock", method: "GET", pattern: sessionPath + "/block", group: groupSessions, class: ClassTenant,
			summary: "Render the [WORKING MEMORY] block", detail: "The text for a model's prompt, empty if there are no entities or no such session.",
			params: slices.Concat(ownerParams(), []param{budget, shown}), media: mediaText, serve: getBlock,
		},
		{
			name: "getDecisions", method: "GET", pattern: sessionPath + "/decisions", group: groupSessions, class: ClassTenant,
			summary: "Explain what a session's block shows",
			detail:  "How full the window is, whether the default block shows each entity or why not, and what the calls that this process last recorded did to entities.",
			params:  ownerParams(), out: reflect.TypeFor[wire.Decisions](), fails: []int{404}, serve: getDecisions,
		},
	}
}
