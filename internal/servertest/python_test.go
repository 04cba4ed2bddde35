package servertest

import (
	"encoding/json"
	"net/http"

	"github.com/stretchr/testify/require"
)

// pythonChecks replay the requests of the official Python client.
func pythonChecks() []check {
	send := func(c *caller, method, path, body string) *answer {
		return c.send(method, path, body, "User-Agent", "agent-memory-client/0.15.0", "X-Client-Version", "0.15.0", "Accept", "*/*")
	}
	// reread returns a session's body after the client's model, which drops fields that it does
	// not know and nulls.
	reread := func(c *caller, a *answer, extra string) string {
		kept := map[string]any{"session_id": a.at("session_id"), "tokens": 0, "long_term_memory_strategy": map[string]any{"strategy": "discrete", "config": map[string]any{}}}
		for _, name := range []string{"data", "context", "user_id", "namespace", "last_accessed"} {
			if v := a.at(name); v != nil {
				kept[name] = v
			}
		}
		messages := []any{}
		for i := range a.list("messages") {
			m := map[string]any{"discrete_memory_extracted": "f"}
			for _, name := range []string{"role", "content", "id", "persisted_at"} {
				if v := a.at("messages", i, name); v != nil {
					m[name] = v
				}
			}
			m["created_at"] = "2026-02-03T04:05:06.789012Z" // the client sets its own
			messages = append(messages, m)
		}
		var more []any
		require.NoError(c.t, json.Unmarshal([]byte(extra), &more))
		kept["messages"], kept["memories"] = append(messages, more...), a.at("memories")
		body, err := json.Marshal(kept)
		require.NoError(c.t, err)
		return string(body)
	}
	return []check{
		{"get_or_create through 404", func(c *caller, _ *store) {
			query := "?user_id=u&namespace=" + c.ns + "&model_name=gpt-4o&context_window_max=4000"
			send(c, http.MethodGet, "/v1/working-memory/s"+query, "").is(http.StatusNotFound)
			a := send(c, http.MethodPut, "/v1/working-memory/s?user_id=u&model_name=gpt-4o&context_window_max=4000",
				`{"messages":[],"memories":[],"data":{},"user_id":"u","tokens":0,"session_id":"s","namespace":"`+c.ns+`",`+
					`"long_term_memory_strategy":{"strategy":"discrete","config":{}},"last_accessed":"2026-01-02T03:04:05.123456Z"}`).ok()
			require.Zero(c.t, a.number("context_percentage_total_used"))
			send(c, http.MethodGet, "/v1/working-memory/s"+query, "").ok()
		}},
		{"append_messages by GET and PUT, with the fields it loses", func(c *caller, _ *store) {
			c.put(c.wm("s", "user_id=u"), `{"messages":`+talk(2)+`,"data":{"k":"v"},"context":"before","created_at":"2025-01-01T00:00:00Z",
				"memories":[{"id":"m","text":"zebrafinch","pinned":true,"persisted_at":"2026-01-01T00:00:00Z"}],"ttl_seconds":1000}`).ok()
			c.post(c.of("s", "tool-calls", "user_id=u"), `{"name":"get_page","arguments":{},"result":{"id":"p-1","title":"zebrafinch"}}`).ok()
			before := send(c, http.MethodGet, c.wm("s", "user_id=u"), "").ok()
			a := send(c, http.MethodPut, "/v1/working-memory/s", reread(c, before, talkFrom(2, 3))).ok()
			require.Equal(c.t, ids(0, 3), a.all("id", "messages"))
			require.Equal(c.t, []any{"v", "before", "2025-01-01T00:00:00Z"}, []any{a.at("data", "k"), a.at("context"), a.at("created_at")})
			require.Contains(c.t, a.all("id", "memories"), "m") // beside one of the page
			require.Len(c.t, a.list("entities"), 1, "the client does not know of them")
			require.Equal(c.t, before.at("user_id"), a.at("user_id"))
			require.Equal(c.t, 1, c.get("/v1/working-memory/?namespace="+c.ns).ok().int("total"), "it is the same session")
		}},
		{"add_memories_to_working_memory by GET and PUT, while the first ones are promoted", func(c *caller, _ *store) {
			more := func(a *answer, text string) {
				memories := append(a.list("memories"), map[string]any{"id": text, "text": "zebrafinch " + text, "memory_type": "semantic", "discrete_memory_extracted": "f"})
				body, err := json.Marshal(map[string]any{"session_id": "s", "namespace": c.ns, "messages": a.at("messages"), "memories": memories, "data": a.at("data"), "tokens": 0})
				require.NoError(c.t, err)
				send(c, http.MethodPut, "/v1/working-memory/s", string(body)).ok()
			}
			c.put(c.wm("s"), `{"messages":`+talk(1)+`,"data":{"k":"v"},"ttl_seconds":1000}`).ok()
			for _, text := range []string{"sings", "eats", "flies"} { // at once: nothing may be there yet
				more(send(c, http.MethodGet, c.wm("s"), "").ok(), text)
			}
			c.eventually(func() bool { return c.search(``).ok().int("total") == 3 })
			c.eventually(func() bool {
				a := c.get(c.wm("s")).ok()
				return a.at("memories", 0, "persisted_at") != nil && a.at("memories", 1, "persisted_at") != nil && a.at("memories", 2, "persisted_at") != nil
			})
			a := c.get(c.wm("s")).ok()
			require.Equal(c.t, []string{"sings", "eats", "flies"}, a.all("id", "memories"))
			require.Equal(c.t, 3, c.search(``).ok().int("total"), "each once")
			require.Equal(c.t, []any{"v", 1000}, []any{a.at("data", "k"), a.int("ttl_seconds")})
		}},
		{"promote_working_memories sends persisted ones too", func(c *caller, _ *store) {
			a := send(c, http.MethodPost, "/v1/long-term-memory/", `{"memories":[{"id":"m","text":"zebrafinch","namespace":"`+c.ns+`",`+
				`"last_accessed":"2026-01-02T03:04:05.123456Z","created_at":"2026-01-02T03:04:05","updated_at":"2026-01-02T03:04:05+02:00",`+
				`"discrete_memory_extracted":"t","memory_type":"semantic","persisted_at":"2026-01-01T00:00:00Z"}],"deduplicate":true}`).ok()
			require.Equal(c.t, "ok", a.text("status"))
			require.Equal(c.t, 1, c.search(``).ok().int("total"))
		}},
		{"search_long_term_memory", func(c *caller, _ *store) {
			c.remember(`"id":"m","text":"zebrafinch sings","session_id":"s","user_id":"u","topics":["birds"]`)
			for filters, found := range map[string]int{
				`,"session_id":{"in_":["x","s"]},"topics":{},"user_id":{"eq":"u"}`: 1, `,"user_id":{"not_in":["u"]}`: 0,
				`,"recency_boost":true,"recency_semantic_weight":0.8,"recency_recency_weight":0.2,"recency_freshness_weight":0.6,"recency_novelty_weight":0.4,` +
					`"recency_half_life_last_access_days":7.0,"recency_half_life_created_days":30.0,"server_side_recency":true`: 1,
			} {
				a := send(c, http.MethodPost, "/v1/long-term-memory/search?optimize_query=true",
					`{"text":"sings","limit":10,"offset":0,"search_mode":"semantic","namespace":{"eq":"`+c.ns+`"}`+filters+`}`).ok()
				require.Equal(c.t, found, a.int("total"), filters)
			}
		}},
		{"what a program calls something may have commas, which its model refuses", func(c *caller, _ *store) {
			c.post(c.of("s", "tool-calls"), `{"name":"get_customer","arguments":{},"result":{"id":"cust-7","name":"Finch, Zebra"}}`).ok()
			c.eventually(func() bool { return c.search(``).ok().int("total") == 1 }) // each answer is checked
			found := c.search(``).ok()
			require.Contains(c.t, found.list("memories", 0, "entities"), any("Finch Zebra"))
			require.Equal(c.t, []string{"Finch, Zebra"}, c.get(c.of("s", "entities")).ok().all("name", "entities"))
		}},
	}
}
