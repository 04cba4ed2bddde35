package rest

import (
	"reflect"
	"slices"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

func memoryRoutes() []route {
	return []route{
		{
			name: "createMemories", method: "POST", pattern: memoriesPath, group: groupMemories, class: ClassTenant,
			summary: "Create memories", detail: "A memory with the id of another replaces it. The namespace and user_id of the query are the defaults for memories without.",
			params: writeOwnerParams(), in: reflect.TypeFor[wire.MemoryBody](), out: reflect.TypeFor[wire.Status](), fails: []int{400, 403, 409}, serve: createMemories,
			example: `{"memories":[{"id":"01JGKZ4V5T8Q2M3N4P5R6S7T8V","text":"Anna prefers short answers.","memory_type":"semantic","topics":["style"],"user_id":"anna"}]}`,
		},
		{
			name: "searchMemories", method: "POST", pattern: memoriesPath + "/search", group: groupMemories, class: ClassTenant,
			summary: "Search memories", detail: "Without a text, lists all memories that pass the filters. Without an embedder, every search is by keywords, as score_type tells.",
			params: []param{{name: "optimize_query", kind: kindBoolean, def: number(0), text: "accepted for clients that send it; queries are searched for as they are"}},
			in:     reflect.TypeFor[wire.Search](), out: reflect.TypeFor[wire.Results](), fails: []int{400}, serve: searchMemories,
			example: `{"text":"How long should answers be?","search_mode":"hybrid","user_id":{"eq":"anna"},"limit":5}`,
		},
		{
			name: "getMemory", method: "GET", pattern: memoriesPath + "/{id}", group: groupMemories, class: ClassTenant,
			summary: "Read a memory", detail: "If several memories have the id, name the namespace and the user; otherwise none is found.",
			params: ownerParams(), out: reflect.TypeFor[wire.Memory](), fails: []int{400, 404}, serve: getMemory,
		},
		{
			name: "updateMemory", method: "PATCH", pattern: memoriesPath + "/{id}", group: groupMemories, class: ClassTenant,
			summary: "Change a memory", detail: "Null and missing fields are left unchanged.",
			params: ownerParams(), in: reflect.TypeFor[wire.MemoryPatch](), out: reflect.TypeFor[wire.Memory](), fails: []int{400, 403, 404, 409}, serve: patchMemory,
			example: `{"text":"Anna prefers answers of one sentence.","pinned":true}`,
		},
		{
			name: "deleteMemories", method: "DELETE", pattern: memoriesPath, group: groupMemories, class: ClassTenant,
			summary: "Delete memories by id", detail: "The answer has the number of memories deleted. An id that several memories have deletes none.",
			params: slices.Concat([]param{{name: "memory_ids", kind: kindTexts, max: service.MaxIDs, text: "the id of a memory; may be repeated, at most 1000 times"}}, ownerParams()),
			out:    reflect.TypeFor[wire.Status](), fails: []int{400}, serve: deleteMemories,
		},
	}
}

func memoryCareRoutes() []route {
	return []route{
		{
			name: "forgetMemories", method: "POST", pattern: memoriesPath + "/forget", group: groupMemories, class: ClassTenant,
			summary: "Forget memories by a policy", detail: "Only reports what it would delete, unless dry_run is false.",
			params: slices.Concat(ownerParams(), []param{
				{name: "session_id", kind: kindText, text: "only memories that came from this session"},
				{name: "limit", kind: kindInteger, def: number(longterm.DefaultForgetLimit), min: 1, max: service.MaxForget, text: "the maximum number of memories to examine"},
				{name: "dry_run", kind: kindBoolean, def: number(1), text: "delete nothing"},
			}),
			in: reflect.TypeFor[wire.Forget](), out: reflect.TypeFor[wire.ForgetResult](), fails: []int{400}, serve: forgetMemories,
			example: `{"policy":{"max_age_days":90,"max_inactive_days":30},"pinned_ids":["01JGKZ4V5T8Q2M3N4P5R6S7T8V"]}`,
		},
		{
			name: "compactMemories", method: "POST", pattern: memoriesPath + "/compact", group: groupMemories, class: ClassTenant,
			summary: "Merge equal memories", params: ownerParams(),
			out: reflect.TypeFor[wire.Status](), fails: []int{400, 409}, serve: compactMemories,
		},
		{
			name: "memoryPrompt", method: "POST", pattern: "/v1/memory/prompt", group: groupPrompt, class: ClassTenant,
			summary: "Make the messages for a model",
			detail:  "In this order: the summary of earlier messages, the block of entities, the messages, the memories found, the query. A session that does not exist is no error.",
			params:  []param{{name: "optimize_query", kind: kindBoolean, def: number(0), text: "accepted for clients that send it; queries are searched for as they are"}},
			in:      reflect.TypeFor[wire.PromptRequest](), out: reflect.TypeFor[wire.Prompt](), fails: []int{400}, serve: makePrompt,
			example: `{"query":"And the budget?","session":{"session_id":"s-1","user_id":"anna"},"long_term_search":{"limit":3}}`,
		},
	}
}

func serverRoutes() []route {
	return []route{
		{
			name: "health", method: "GET", pattern: "/v1/health", group: groupServer, class: ClassOpen, probe: true,
			summary: "Check that the server runs", out: reflect.TypeFor[wire.Health](), serve: getHealth,
		},
		{
			name: "ready", method: "GET", pattern: "/v1/ready", group: groupServer, class: ClassOpen,
			summary: "Check that the stores answer", detail: "Also reports whether acknowledged writes survive a crash of the stores.", out: reflect.TypeFor[wire.Ready](), serve: getReady,
		},
		{
			name: "openapi", method: "GET", pattern: "/openapi.json", group: groupServer, class: ClassOpen,
			summary: "This API as an OpenAPI document", media: mediaJSON, serve: getOpenAPI,
		},
		{
			name: "docs", method: "GET", pattern: "/docs", group: groupServer, class: ClassOpen,
			summary: "This API as a page to read", media: mediaHTML, serve: getDocs,
		},
	}
}
