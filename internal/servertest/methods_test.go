package servertest

import (
	"net/http"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// methodChecks send the request of every method of the three official clients (Python, TypeScript
// and Java, of server 0.15), and require what their models read of the answer. Methods without a
// request of their own are made of these: bulk_create_…, search_all_…, hydrate_memory_prompt,
// append_messages_to_…, the tools for models.
func methodChecks() []check {
	return []check{
		{"health_check, healthCheck", func(c *caller, _ *store) {
			require.Positive(c.t, c.get("/v1/health").ok().number("now"))
		}},
		{"put_, get_, delete_working_memory, list_sessions", methodsOfSessions},
		{"create_, search_, get_, edit_, delete_, forget_long_term_memory", methodsOfMemories},
		{"memory_prompt, memoryPrompt", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"messages":`+talk(1)+`}`).ok()
			ask := func(search string) *answer {
				return c.post("/v1/memory/prompt?optimize_query=false", `{"query":"zebrafinch","session":{"session_id":"s","namespace":"`+c.ns+`",`+
					`"user_id":null,"model_name":"gpt-4o","context_window_max":null,"long_term_memory_strategy":{"strategy":"discrete","config":{}}},"long_term_search":`+search+`}`).ok()
			}
			a := ask(`{"text":"zebrafinch","namespace":{"eq":"` + c.ns + `"},"text_scorer":"BM25STD","server_side_recency":null}`)
			require.Nil(c.t, a.at("long_term_memories"), "none is null")
			c.remember(`"id":"m","text":"zebrafinch sings"`)
			a = ask("true")
			require.Equal(c.t, []string{"m"}, a.all("id", "long_term_memories"))
			require.Equal(c.t, []any{"user", "text", "zebrafinch"}, []any{
				a.at("messages", len(a.list("messages"))-1, "role"), a.at("messages", 0, "content", "type"), a.at("messages", len(a.list("messages"))-1, "content", "text"),
			})
		}},
		{"create_, list_, get_, run_, delete_summary_view and get_task", methodsOfViews},
	}
}

func methodsOfSessions(c *caller, _ *store) {
	a := c.put("/v1/working-memory/s?context_window_max=4000", `{"session_id":"s","namespace":"`+c.ns+`","user_id":"u","tokens":12,"messages":[
		{"role":"user","content":"hello","id":"m-1","created_at":"2026-01-02T03:04:05Z","persisted_at":"2026-01-02T03:04:06Z","discrete_memory_extracted":"t"}],
		"memories":[{"id":"k","text":"a zebrafinch","extraction_strategy":"custom","extraction_strategy_config":{"custom_prompt":"p"}}],
		"long_term_memory_strategy":{"strategy":"summary","config":{"max_summary_length":300}}}`).ok()
	require.Equal(c.t, []any{12, "t", "custom", "p", "summary"}, []any{
		a.int("tokens"), a.at("messages", 0, "discrete_memory_extracted"),
		a.at("memories", 0, "extraction_strategy"), a.at("memories", 0, "extraction_strategy_config", "custom_prompt"), a.at("long_term_memory_strategy", "strategy"),
	})
	a = c.get(c.wm("s", "user_id=u", "recent_messages_limit=5")).ok()
	require.Equal(c.t, []any{12, "2026-01-02T03:04:06Z"}, []any{a.int("tokens"), a.at("messages", 0, "persisted_at")})
	a = c.get("/v1/working-memory/?limit=10&offset=0&user_id=u&namespace=" + c.ns).ok()
	require.Equal(c.t, []any{1, []any{"s"}}, []any{a.int("total"), a.at("sessions")})
	require.Equal(c.t, "ok", c.delete(c.wm("s", "user_id=u")).ok().text("status"))
	c.get(c.wm("s")).fails(http.StatusNotFound, "Session s not found")
}

func methodsOfMemories(c *caller, _ *store) {
	create := `{"memories":[{"id":"m","text":"zebrafinch sings","namespace":"` + c.ns + `","user_id":"u","extraction_strategy_config":{"a":1}}],"deduplicate":true}`
	require.Equal(c.t, "ok", c.post("/v1/long-term-memory/", create).ok().text("status"))
	a := c.search(`,"text":"sings","search_mode":"hybrid","hybrid_alpha":0.5,"extraction_strategy":{"eq":"discrete"}`).ok()
	require.Equal(c.t, []any{1, "m", "discrete", nil}, []any{
		a.int("total"), a.at("memories", 0, "id"), a.at("memories", 0, "extraction_strategy"), a.at("next_offset"),
	})
	a.number("memories", 0, "dist")
	a = c.get("/v1/long-term-memory/m?namespace=" + c.ns).ok()
	require.Equal(c.t, []any{1, map[string]any{}}, []any{a.int("extraction_strategy_config", "a"), a.at("metadata")})
	moved := c.send(http.MethodPatch, "/v1/long-term-memory/m?namespace="+c.ns, `{"text":"it eats","user_id":"v"}`).ok()
	require.Equal(c.t, []any{"it eats", "v"}, []any{moved.at("text"), moved.at("user_id")})
	c.send(http.MethodPatch, "/v1/long-term-memory/m?namespace="+c.ns, `{}`).fails(http.StatusBadRequest, "No fields provided for update")
	a = c.post("/v1/long-term-memory/forget?limit=1000&dry_run=true&namespace="+c.ns, `{"policy":{"budget":0},"pinned_ids":null}`).ok()
	require.Equal(c.t, []any{1, 1, true, []any{"m"}}, []any{a.int("scanned"), a.int("deleted"), a.at("dry_run"), a.at("deleted_ids")})
	require.Equal(c.t, "ok, deleted 1 memories", c.delete("/v1/long-term-memory?memory_ids=m&memory_ids=none&namespace="+c.ns).ok().text("status"))
	c.get("/v1/long-term-memory/m?namespace="+c.ns).fails(http.StatusNotFound, "Memory with ID m not found")
}

func methodsOfViews(c *caller, _ *store) {
	const path = "/v1/summary-views"
	c.remember(`"id":"1","text":"the zebrafinch sings","user_id":"u"`, `"id":"2","text":"the zebrafinch eats","user_id":"u"`, `"id":"3","text":"an owl hoots","user_id":"v"`)
	view := c.post(path, `{"name":"birds","source":"long_term","group_by":["user_id"],"filters":{"namespace":"`+c.ns+`"},`+
		`"time_window_days":null,"continuous":false,"prompt":null,"model_name":null}`).ok()
	id := view.text("id")
	require.Equal(c.t, []any{"birds", "long_term", []any{"user_id"}, false, nil}, []any{
		view.at("name"), view.at("source"), view.at("group_by"), view.at("continuous"), view.at("time_window_days"),
	})
	require.Equal(c.t, string(view.raw), string(c.get(path+"/"+id).ok().raw))
	listed := c.get(path).ok()
	require.Contains(c.t, listed.all("id"), id)

	a := c.post(path+"/"+id+"/partitions/run", `{"group":{"user_id":"u"}}`).ok()
	require.Equal(c.t, []any{id, "u", 2, false, nil}, []any{a.at("view_id"), a.at("group", "user_id"), a.int("memory_count"), a.at("empty"), a.at("empty_reason")})
	require.Contains(c.t, a.text("summary"), "zebrafinch")
	a.text("computed_at")
	a = c.post(path+"/"+id+"/partitions/run", `{"group":{"user_id":"none"}}`).ok()
	require.Equal(c.t, []any{"", 0, true, "no_matching_memories"}, []any{a.at("summary"), a.int("memory_count"), a.at("empty"), a.at("empty_reason")})
	c.post(path+"/"+id+"/partitions/run", `{"group":{"namespace":"x"}}`).
		fails(http.StatusBadRequest, "group keys ['namespace'] must exactly match view.group_by ['user_id']")

	task := c.post(path+"/"+id+"/run", `{}`).ok()
	require.Equal(c.t, []any{"summary_view_full_run", id}, []any{task.at("type"), task.at("view_id")})
	var done *answer
	c.eventually(func() bool {
		done = c.get("/v1/tasks/" + task.text("id")).ok()
		return done.text("status") != "pending" && done.text("status") != "running"
	})
	require.Equal(c.t, []any{"success", nil}, []any{done.at("status"), done.at("error_message")}, "%s", done.raw)
	for _, time := range []string{"created_at", "started_at", "completed_at"} {
		done.text(time)
	}
	stored := c.get(path + "/" + id + "/partitions?user_id=v").ok()
	require.Len(c.t, stored.list(), 1)
	require.Contains(c.t, stored.text(0, "summary"), "owl")
	require.GreaterOrEqual(c.t, len(c.get(path+"/"+id+"/partitions").ok().list()), 2)

	for body, detail := range map[string]string{
		`{"source":"working_memory","group_by":[]}`:                                  "SummaryView.source must be 'long_term' for now; 'working_memory' is not yet supported.",
		`{"source":"long_term","group_by":["topics","a"]}`:                           "Unsupported group_by fields: a, topics",
		`{"source":"long_term","group_by":["user_id"],"filters":{"text":"x","b":1}}`: "Unsupported filter fields: b, text",
	} {
		c.post(path, body).fails(http.StatusBadRequest, detail)
	}
	require.Equal(c.t, "ok", c.delete(path+"/"+id).ok().text("status"))
	for _, gone := range []string{"/" + id, "/" + id + "/partitions"} {
		c.get(path+gone).fails(http.StatusNotFound, "SummaryView "+id+" not found")
	}
	c.get("/v1/tasks/none").fails(http.StatusNotFound, "Task none not found")
	assert.NotContains(c.t, strings.Join(c.get(path).ok().all("id"), " "), id)
}
