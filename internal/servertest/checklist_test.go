package servertest

import (
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var ulid = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}$`)

// checklistChecks returns the checks of the checklist, in its order.
func checklistChecks() []check {
	return []check{
		{"health", checkHealth},
		{"empty list `[],0`", func(c *caller, _ *store) {
			a := c.get("/v1/working-memory/?namespace=" + c.ns).ok()
			assert.JSONEq(c.t, `{"sessions":[],"total":0}`, string(a.raw))
		}},
		{"limit 0 and 101 → 422", func(c *caller, _ *store) {
			for limit, status := range map[string]int{"0": 422, "101": 422, "-1": 422, "ten": 422, "1": 200, "100": 200} {
				a := c.get("/v1/working-memory/?namespace=" + c.ns + "&limit=" + limit).is(status)
				if status == 422 {
					a.invalid("query", "limit")
				}
			}
		}},
		{"filters by namespace and user", checkListFilters},
		{"expired not listed", func(c *caller, _ *store) {
			c.put(c.wm("gone"), `{"messages":[],"ttl_seconds":1}`).ok()
			c.put(c.wm("here"), `{"messages":[]}`).ok()
			c.eventually(func() bool {
				a := c.get("/v1/working-memory/?namespace=" + c.ns).ok()
				return a.int("total") == 1 && fmt.Sprint(a.list("sessions")) == "[here]"
			})
		}},
		{"deleted → 404", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"messages":`+talk(2)+`}`).ok()
			require.Equal(c.t, "ok", c.delete(c.wm("s")).ok().text("status"))
			c.get(c.wm("s")).fails(http.StatusNotFound, "Session s not found")
			require.Zero(c.t, c.get("/v1/working-memory/?namespace="+c.ns).ok().int("total"))
		}},
		{"missing GET → 404", func(c *caller, _ *store) {
			c.get(c.wm("never")).fails(http.StatusNotFound, "Session never not found")
		}},
		{"missing DELETE → ok", func(c *caller, _ *store) {
			assert.JSONEq(c.t, `{"status":"ok"}`, string(c.delete(c.wm("never")).ok().raw))
		}},
		{"new PUT 200", func(c *caller, _ *store) {
			a := c.put(c.wm("s"), `{"messages":`+talk(2)+`,"data":{"k":"v"},"context":"before"}`).ok()
			require.Equal(c.t, "s", a.text("session_id"))
			require.Equal(c.t, c.ns, a.text("namespace"))
			require.Equal(c.t, ids(0, 2), a.all("id", "messages"))
			require.Equal(c.t, a.raw, c.get(c.wm("s")).ok().raw, "GET answers what PUT did")
		}},
		{"second PUT replaces", checkSecondPut},
		{"server ids", func(c *caller, _ *store) {
			a := c.put(c.wm("s"), `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b","id":null}],
				"memories":[{"text":"zebrafinch one"},{"text":"zebrafinch two","id":null}]}`).ok()
			made := append(a.all("id", "messages"), a.all("id", "memories")...)
			for _, id := range made {
				require.Regexp(c.t, ulid, id)
			}
			require.Len(c.t, made, 4)
			require.NotEqual(c.t, made[0], made[1])
			require.NotEqual(c.t, made[2], made[3])
			require.Equal(c.t, made[:2], c.get(c.wm("s")).ok().all("id", "messages"))
		}},
		{"deprecation header", func(c *caller, _ *store) {
			a := c.put(c.wm("s"), `{"messages":[{"role":"user","content":"a","id":"1"}]}`).ok()
			require.Equal(c.t, "messages[].created_at will become required in the next major version. "+
				"Please provide timestamps for all messages.", a.header.Get("X-Deprecation-Warning"))
			require.WithinDuration(c.t, time.Now(), a.time("messages", 0, "created_at"), time.Minute)
			a = c.put(c.wm("s"), `{"messages":`+talk(1)+`}`).ok()
			require.Empty(c.t, a.header.Values("X-Deprecation-Warning"))
		}},
		{"future created_at", func(c *caller, _ *store) {
			late := message("m", "user", "a", time.Now().Add(400*time.Second))
			a := c.put(c.wm("s"), `{"messages":[`+late+`]}`).is(422)
			require.Regexp(c.t, "created_at cannot be more than 300 seconds in the future", a.text("detail", 0, "msg"))
			require.Equal(c.t, "value_error", a.text("detail", 0, "type"))
			require.Equal(c.t, []any{"body", "messages"}, a.list("detail", 0, "loc")[:2])
			c.get(c.wm("s")).is(404)
			c.put(c.wm("s"), `{"messages":[`+message("m", "user", "a", time.Now().Add(200*time.Second))+`]}`).ok()
		}},
		{"blank content", func(c *caller, _ *store) {
			for _, blank := range []string{``, ` `, ` \n\t`} {
				body := `{"messages":[{"role":"user","content":"` + blank + `","id":"m7","created_at":"2026-01-02T12:00:00Z"}]}`
				c.put(c.wm("s"), body).fails(http.StatusBadRequest, "Message content cannot be empty (message ID: m7)")
				c.get(c.wm("s")).is(404)
			}
		}},
		{"null percentages", func(c *caller, _ *store) {
			a := c.put(c.wm("s"), `{"messages":`+talk(2)+`}`).ok()
			requirePercentages(c, a, nil, nil)
			requirePercentages(c, c.get(c.wm("s")).ok(), nil, nil)
			c.put(c.wm("none"), `{"messages":[]}`).ok()
			a = c.get(c.wm("none", "context_window_max=100")).ok()
			requirePercentages(c, a, 0.0, 0.0)
		}},
		{"window 1 → until = 100", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"messages":`+talk(1)+`}`).ok()
			requirePercentages(c, c.get(c.wm("s", "context_window_max=1")).ok(), 100.0, 100.0)
		}},
		{"window decides over model", func(c *caller, _ *store) {
			a := c.put(c.wm("s", "model_name=gpt-4o", "context_window_max=1000"), `{"messages":`+talk(2)+`}`).ok()
			used := 100 * a.number("tokens") / 1000
			requirePercentages(c, a, used, 100*a.number("tokens")/700)
			a = c.get(c.wm("s", "model_name=gpt-4o")).ok()
			require.InDelta(c.t, 100*a.number("tokens")/128_000, a.number("context_percentage_total_used"), 1e-9)
		}},
		{"caps at 100", func(c *caller, _ *store) {
			a := c.put(c.wm("s", "context_window_max=10"), `{"messages":`+talk(1)+`}`).ok()
			require.Greater(c.t, a.int("tokens"), 10)
			requirePercentages(c, a, 100.0, 100.0)
		}},
		{"summarisation shortens and fills context", checkSummarised},
		{"exactly at threshold → none", checkThreshold},
		{"previous context reaches the next summary", checkProgressive},
		{"giant message unchanged", func(c *caller, _ *store) {
			body := `{"messages":` + talk(1) + `}`
			for range 2 {
				a := c.put(c.wm("s", "context_window_max=5"), body).ok()
				require.Equal(c.t, ids(0, 1), a.all("id", "messages"))
				require.Nil(c.t, a.at("context"))
			}
		}},
		{"over-limit GET leaves the store alone", checkOverLimitGet},
		{"recent 3 of 8", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"messages":`+talk(8)+`}`).ok()
			require.Equal(c.t, ids(5, 8), c.get(c.wm("s", "recent_messages_limit=3")).ok().all("id", "messages"))
			require.Equal(c.t, ids(0, 8), c.get(c.wm("s", "recent_messages_limit=30")).ok().all("id", "messages"))
		}},
		{"recent 0/−1", func(c *caller, _ *store) {
			c.put(c.wm("s"), `{"messages":`+talk(8)+`}`).ok()
			for _, n := range []string{"0", "-1"} {
				require.Equal(c.t, ids(0, 8), c.get(c.wm("s", "recent_messages_limit="+n)).ok().all("id", "messages"))
			}
		}},
		{"by created_at", func(c *caller, _ *store) {
			minute := func(id string, n int) string {
				return message(id, "user", id, noon.Add(time.Duration(n)*time.Minute))
			}
			c.put(c.wm("s"), `{"messages":[`+minute("d", 4)+`,`+minute("a", 1)+`,`+minute("c", 3)+`,`+minute("b", 2)+`]}`).ok()
			require.Equal(c.t, []string{"b", "c", "d"}, c.get(c.wm("s", "recent_messages_limit=3")).ok().all("id", "messages"))
			require.Equal(c.t, []string{"d", "a", "c", "b"}, c.get(c.wm("s")).ok().all("id", "messages"))
			for window, left := range map[string][]string{"1": {"d"}, "100000": {"b", "c", "d"}} {
				a := c.get(c.wm("s", "recent_messages_limit=3", "context_window_max="+window)).ok()
				require.Equal(c.t, left, a.all("id", "messages"), "both apply")
			}
		}},
		{"data null/{}", func(c *caller, _ *store) {
			for _, data := range []string{`null`, `{}`} {
				c.put(c.wm("s"), `{"messages":[],"data":`+data+`}`).ok()
				require.Equal(c.t, map[string]any{}, c.get(c.wm("s")).ok().at("data"))
			}
		}},
		{"ttl 1 → 404 after expiry, renewed by rewrite", checkExpiry},
		{"tenant separation", checkTenants},
		{"pending memory becomes searchable, once", checkPromotion},
		{"same id replaces", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"zebrafinch likes seeds"`)
			before := c.get("/v1/long-term-memory/a?namespace=" + c.ns).ok()
			c.remember(`"id":"a","text":"zebrafinch prefers millet"`)
			a := c.search(``).ok()
			require.Equal(c.t, []string{"zebrafinch prefers millet"}, a.all("text", "memories"))
			require.Equal(c.t, before.at("persisted_at"), a.at("memories", 0, "persisted_at"), "persisted_at stays")
		}},
		{"same text one record", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"zebrafinch likes seeds"`, `"id":"b","text":"zebrafinch likes seeds"`)
			c.remember(`"id":"c","text":"zebrafinch likes seeds"`)
			require.Equal(c.t, 1, c.search(``).ok().int("total"))
		}},
		{"prompt order", checkPromptOrder},
		{"401s", check401s},
		{"tokenizer unavailable → estimate, never 500", func(c *caller, _ *store) {
			// The processes cannot reach the network.
			for _, model := range []string{"gpt-4o", "no-such-model", "claude-sonnet-4"} {
				a := c.put(c.wm("s", "model_name="+model), `{"messages":`+talk(1)+`}`).ok()
				require.Positive(c.t, a.int("tokens"))
			}
		}},
	}
}

// requirePercentages requires both percentages, which are numbers or nil.
func requirePercentages(c *caller, a *answer, total, until any) {
	c.t.Helper()
	for name, want := range map[string]any{"context_percentage_total_used": total, "context_percentage_until_summarization": until} {
		if want == nil {
			require.Nil(c.t, a.at(name), name)
			continue
		}
		require.InDelta(c.t, want, a.number(name), 1e-9, name)
	}
}
