package rest

import (
	"reflect"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
)

const (
	viewsPath = "/v1/summary-views"
	viewPath  = viewsPath + "/{view_id}"
)

func summaryRoutes() []route {
	return []route{
		{
			name: "createSummaryView", method: "POST", pattern: viewsPath, group: groupSummary, class: ClassTenant,
			summary: "Create a summary view",
			detail:  "A view selects memories and divides them into partitions, each of which has a summary. It belongs to the tenant of the token, whose memories it reads, whatever its filters are; other tenants do not find it. A tenant may have 100 views, and a view 1,000 partitions.",
			in:      reflect.TypeFor[wire.SummaryViewBody](), out: reflect.TypeFor[wire.SummaryView](), fails: []int{400, 409}, serve: createSummaryView,
			example: `{"name":"profiles","source":"long_term","group_by":["user_id"],"filters":{"memory_type":["semantic","episodic"]},"time_window_days":90,"continuous":true}`,
		},
		{
			name: "listSummaryViews", method: "GET", pattern: viewsPath, group: groupSummary, class: ClassTenant,
			summary: "List summary views", detail: "Those of the token's tenant, oldest first.",
			out: reflect.TypeFor[[]wire.SummaryView](), fails: []int{400}, serve: listSummaryViews,
		},
		{
			name: "getSummaryView", method: "GET", pattern: viewPath, group: groupSummary, class: ClassTenant,
			summary: "Read a summary view", out: reflect.TypeFor[wire.SummaryView](), fails: []int{400, 404}, serve: getSummaryView,
		},
		{
			name: "deleteSummaryView", method: "DELETE", pattern: viewPath, group: groupSummary, class: ClassTenant,
			summary: "Delete a summary view", detail: "Its summaries are deleted too. A view that does not exist is no error.",
			out: reflect.TypeFor[wire.Status](), fails: []int{400}, serve: deleteSummaryView,
		},
		{
			name: "summarizePartition", method: "POST", pattern: viewPath + "/partitions/run", group: groupSummary, class: ClassTenant,
			summary: "Summarise a partition now", detail: "The answer is also stored. Without a model, a summary consists of excerpts.",
			in: reflect.TypeFor[wire.SummaryGroup](), out: reflect.TypeFor[wire.SummaryPartition](), fails: []int{400, 404, 409}, serve: summarizePartition,
			example: `{"group":{"user_id":"anna"}}`,
		},
		{
			name: "listSummaryPartitions", method: "GET", pattern: viewPath + "/partitions", group: groupSummary, class: ClassTenant,
			summary: "List the stored summaries of a view", params: groupParams(),
			out: reflect.TypeFor[[]wire.SummaryPartition](), fails: []int{400, 404}, serve: listSummaryPartitions,
		},
		{
			name: "runSummaryView", method: "POST", pattern: viewPath + "/run", group: groupSummary, class: ClassTenant,
			summary: "Summarise all partitions in the background",
			detail:  "The answer is a task. Partitions without memories are removed. The task_id of an unfinished task of the view answers with that task; that of a finished one starts it anew.",
			in:      reflect.TypeFor[wire.SummaryRun](), out: reflect.TypeFor[wire.Task](), fails: []int{400, 404, 409}, serve: runSummaryView,
			example: `{"task_id":"nightly-1"}`,
		},
		{
			name: "getTask", method: "GET", pattern: "/v1/tasks/{task_id}", group: groupSummary, class: ClassTenant,
			summary: "Read the status of a task", detail: "Finished tasks are kept for 7 days. The last hourly run of a continuous view has the id refresh- followed by that of the view.",
			out: reflect.TypeFor[wire.Task](), fails: []int{400, 404}, serve: getTask,
		},
	}
}

// groupParams returns the parameters that select partitions by the values of their groups.
func groupParams() []param {
	var all []param
	for _, field := range summaryview.GroupFields() {
		all = append(all, param{name: field, kind: kindText, text: "only partitions of this " + field + "; default all that the token may see"})
	}
	return all
}
