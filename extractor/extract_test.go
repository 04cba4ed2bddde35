package extractor_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
)

// lines formats records as "type id label", references with a ">" in front, and each alias
// like a record with a "=" in front.
func lines(es []memory.Entity) []string {
	var out []string
	for _, e := range es {
		mark := ""
		switch e.Role {
		case memory.RoleReference:
			mark = ">"
		case memory.RoleCandidate:
			continue
		}
		out = append(out, fmt.Sprintf("%s%s %s %s", mark, e.Type, e.ID, e.Label()))
		for _, alias := range e.Aliases {
			out = append(out, fmt.Sprintf("=%s %s %s", e.Type, alias, e.Label()))
		}
	}
	return out
}

func extract(t *testing.T, in extractor.Input) extractor.Extraction {
	t.Helper()
	x, err := extractor.New(nil)
	require.NoError(t, err)
	out, err := x.Extract(context.Background(), in)
	require.NoError(t, err)
	return out
}

// TestExtract runs the cases of testdata: calls, and the entities in them.
func TestExtract(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"results", "texts", "rules", "deletes", "commands"} {
		data, err := os.ReadFile("testdata/" + file + ".yaml")
		require.NoError(t, err)
		var cases []struct {
			Name, Tool, Arguments, Result string
			Failed                        bool
			Rule                          extractor.Rule
			Want, Removed                 []string
		}
		require.NoError(t, yaml.Unmarshal(data, &cases))
		for _, tc := range cases {
			t.Run(file+"/"+tc.Name, func(t *testing.T) {
				t.Parallel()
				var opts extractor.Options
				if tc.Rule.Tool != "" {
					opts.Rules = []extractor.Rule{tc.Rule}
				}
				x, err := extractor.New(&opts)
				require.NoError(t, err)
				in := extractor.Input{Tool: tc.Tool, Result: tc.Result, Failed: tc.Failed}
				if tc.Arguments != "" {
					in.Arguments = tc.Arguments
				}
				out, err := x.Extract(t.Context(), in)
				require.NoError(t, err)
				assert.Equal(t, tc.Want, lines(out.Entities), "format %s, reason %q", out.Format, out.Reason)
				removed := slices.Collect(func(yield func(string) bool) {
					for _, ref := range out.Removed {
						yield(ref.Type + " " + ref.ID)
					}
				})
				assert.Equal(t, tc.Removed, removed)
				if len(out.Entities)+len(out.Removed) == 0 {
					assert.NotEmpty(t, out.Reason, "nothing found, and no reason")
				}
			})
		}
	}
}

func TestTypeOfToolName(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]string{
		"cms_getPage": "page", "get_user_details": "user", "github-create-issue": "issue",
		"listPullRequests": "pull_request", "mcp__github__get_issue": "issue", "search.documents": "document",
		"aws.ec2.RunInstances": "instance", "cms_getPageSections": "section", "cms_getCollectionEntries": "entry",
		"describe_security_groups": "security_group", "DescribeSecurityGroups": "security_group",
		"stripe.customers.list": "customer", "slack_users_list": "user", "chat.postMessage": "message",
		"find_user_by_email": "user", "get-all-open-orders": "order", "cms_listMedia": "media", "list_people": "person",
		"getCategories": "category", "book_reservation": "reservation", "update_order_status": "order",
		"return_delivered_order_items": "item", "search_direct_flight": "flight", "list_all_product_types": "product_type",
		"createOrUpdateFile": "file", "web_search": "resource", "sql_query": "resource", "books.get": "book", "GET /v1/pages": "page", "run": "resource", "": "resource",
		"getURLs": "url", "fetchHTTPServers": "http_server", "notion_API-post-page": "page",
		"gitlab_list_merge_requests": "merge_request", "list_load_balancers": "load_balancer", "get_price_list": "price_list", "create_record": "record", "device_registry_list": "device", "list_registries": "registry", "list_indices": "index",
	} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			out := extract(t, extractor.Input{Tool: tool, Result: `{"id":"x-1001","name":"N"}`})
			require.Len(t, out.Entities, 1)
			assert.Equal(t, want, out.Entities[0].Type)
		})
	}
}

func TestActionOfToolName(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]extractor.Action{
		"cms_getPage": extractor.ActionRead, "create_ticket": extractor.ActionCreated, "book_flight": extractor.ActionCreated,
		"updateUser": extractor.ActionUpdated, "cancel_order": extractor.ActionUpdated, "delete-page": extractor.ActionDeleted,
		"archiveThread": extractor.ActionUpdated, "mcp__fs__remove_file": extractor.ActionDeleted, "pages.delete": extractor.ActionDeleted,
		"find_and_delete_user": extractor.ActionDeleted, "weather": extractor.ActionRead,
	} {
		assert.Equal(t, want, extract(t, extractor.Input{Tool: tool}).Action, tool)
	}
}

func TestProvenance(t *testing.T) {
	t.Parallel()
	out := extract(t, extractor.Input{Tool: "list_pages", Result: `{"pages":[{"id":"p-1001","name":"A"},{"id":"p-1002","name":"B","author_id":"u-1001"}],"weird key":{"p-1003":{"name":"C"}}}`})
	paths := map[string]string{}
	for _, e := range out.Entities {
		assert.Equal(t, "list_pages", e.Tool)
		paths[e.ID] = e.Path
	}
	assert.Equal(t, map[string]string{
		"p-1001": "$.pages[0]", "p-1002": "$.pages[1]", "u-1001": "$.pages[1].author_id", "p-1003": `$["weird key"]["p-1003"]`,
	}, paths)
}

func TestUsed(t *testing.T) {
	t.Parallel()
	out := extract(t, extractor.Input{Tool: "update_page", Arguments: map[string]any{
		"page_id": 7, "title": "New", "quantity": 3, "author": "usr_9fK3a2", "password": "pw-123456", "tags": []string{"x-1001"},
	}, Result: `{"success":true}`})
	assert.Contains(t, out.Used, memory.Ref{Type: "page", ID: "7"})
	assert.Contains(t, out.Used, memory.Ref{Type: "author", ID: "usr_9fK3a2"})
	assert.Contains(t, out.Used, memory.Ref{Type: "tag", ID: "x-1001"})
	for _, ref := range out.Used {
		assert.NotEqual(t, "3", ref.ID)
		assert.NotEqual(t, "pw-123456", ref.ID)
	}
	assert.Equal(t, []string{"page 7 New"}, lines(out.Entities), "an update that answers with no record renames by its arguments")
}

func TestLimits(t *testing.T) {
	t.Parallel()
	var items []string
	for i := range 300 {
		items = append(items, fmt.Sprintf(`{"id":"x-%04d","name":"n%d"}`, i, i))
	}
	list := "[" + strings.Join(items, ",") + "]"
	count := func(limits extractor.Limits, result string) int {
		out, err := extractor.Default(limits).Extract(context.Background(), extractor.Input{Tool: "list_things", Result: result})
		require.NoError(t, err)
		if len(out.Entities) < 300 {
			assert.Contains(t, out.Reason, "limit")
		}
		records := 0
		for i, e := range out.Entities {
			assert.Equal(t, fmt.Sprintf("x-%04d", i), e.ID, "items beyond a limit are candidates")
			if e.Role != memory.RoleCandidate {
				records++
			}
		}
		return records
	}
	assert.Equal(t, 5, count(extractor.Limits{}, list))
	assert.Equal(t, 5, count(extractor.Limits{Bytes: math.MaxInt}, list))
	assert.Equal(t, 5, count(extractor.Limits{}, `{"data":`+list+`}`))
	assert.Equal(t, 3, count(extractor.Limits{}, `{"matches":`+list+`}`))
	assert.Equal(t, 50, count(extractor.Limits{}, `{"widgets":`+list+`}`))
	assert.Equal(t, 7, count(extractor.Limits{TopItems: 7}, list))
	assert.Equal(t, 100, count(extractor.Limits{Items: 1000}, `{"widgets":`+list+`}`))
}

func TestDoneContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := extractor.Default(extractor.Limits{}).Extract(ctx, extractor.Input{Tool: "x", Result: "{}"})
	require.ErrorIs(t, err, context.Canceled)
}

// TestOwnIDUnderSecondKey: it takes no room of a candidate.
func TestOwnIDUnderSecondKey(t *testing.T) {
	t.Parallel()
	var result strings.Builder
	for i := range 40 {
		fmt.Fprintf(&result, "- id: btx_%04d\n  transaction_id: btx_%04[1]d\n", i)
	}
	out := extract(t, extractor.Input{Tool: "list_entries", Result: result.String()})
	assert.Len(t, out.Entities, 5+20)
}
