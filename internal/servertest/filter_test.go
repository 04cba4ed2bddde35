package servertest

import (
	"fmt"

	"github.com/stretchr/testify/assert"
)

// filterChecks are of what filters let pass.
func filterChecks() []check {
	setup := func(c *caller) {
		c.remember(
			`"id":"1","text":"zebrafinch one","session_id":"s-1","topics":["a","b"],"event_date":"2025-01-01T00:00:00Z"`,
			`"id":"2","text":"zebrafinch two","session_id":"s-2","topics":["b","c"],"event_date":"2025-02-01T00:00:00Z","memory_type":"episodic"`,
			`"id":"3","text":"zebrafinch three","session_id":"t_3%","topics":["A"],"memory_type":"message"`)
	}
	table := func(filters map[string][]string) func(*caller, *store) {
		return func(c *caller, _ *store) {
			setup(c)
			for filter, ids := range filters {
				for _, text := range []string{``, `"text":"zebrafinch",`} {
					a := c.search(`,` + text + filter)
					if assert.Equal(c.t, 200, a.status, "%s: %s", filter, a.raw) {
						assert.ElementsMatch(c.t, ids, a.all("id", "memories"), "%s%s", text, filter)
						assert.Equal(c.t, len(ids), a.int("total"), filter)
					}
				}
			}
		}
	}
	refused := func(filters map[string]string) func(*caller, *store) {
		return func(c *caller, _ *store) {
			for filter, msg := range filters {
				a := c.search(`,` + filter)
				a.invalid()
				if msg != "" {
					assert.Equal(c.t, "Value error, "+msg, a.at("detail", 0, "msg"), filter)
				}
			}
		}
	}
	return []check{
		{"eq, ne, any, all and startswith", table(map[string][]string{
			`"session_id":{"eq":"s-1"}`:                             {"1"},
			`"session_id":{"ne":"s-1"}`:                             {"2", "3"},
			`"session_id":{"any":["s-1","t_3%"]}`:                   {"1", "3"},
			`"session_id":{"startswith":"s-"}`:                      {"1", "2"},
			`"session_id":{"startswith":"t_3%"}`:                    {"3"},
			`"session_id":{"startswith":"t%"}`:                      {}, // literal
			`"session_id":{"startswith":"_"}`:                       {},
			`"topics":{"eq":"b"}`:                                   {"1", "2"}, // contains
			`"topics":{"ne":"b"}`:                                   {"3"},
			`"topics":{"any":["a","c"]}`:                            {"1", "2"},
			`"topics":{"all":["b","c"]}`:                            {"2"},
			`"memory_type":{"eq":"episodic"}`:                       {"2"},
			`"memory_type":{"any":["semantic"]}`:                    {"1"},
			`"memory_type":{"ne":"semantic"}`:                       {"2", "3"},
			`"topics":{"any":["a","b"],"ne":"c"}`:                   {"1"}, // both apply
			`"topics":{"startswith":"c","eq":"b"}`:                  {"2"},
			`"session_id":{"startswith":"s-","ne":"s-1"}`:           {"2"},
			`"session_id":{"startswith":"s-","any":["s-1","t_3%"]}`: {"1"},
			`"session_id":{"any":["x"]}`:                            {},
			`"extraction_strategy":{"eq":"nothing"}`:                {},
		})},
		{"what the official clients call in_, not_eq, not_in and none", table(map[string][]string{
			`"session_id":{"in_":["s-1","s-2"]}`:          {"1", "2"},
			`"session_id":{"not_eq":"s-1"}`:               {"2", "3"},
			`"session_id":{"not_in":["s-1","s-2"]}`:       {"3"},
			`"topics":{"none":["a","c"]}`:                 {"3"},
			`"memory_type":{"in_":["episodic"]}`:          {"2"},
			`"memory_type":{"not_in":["episodic"]}`:       {"1", "3"},
			`"session_id":{"in_":null,"eq":"s-1"}`:        {"1"},
			`"session_id":{"not_in":["s-1","t_3%","no"]}`: {"2"},
		})},
		{"an empty filter object lets everything pass", table(map[string][]string{
			`"session_id":{}`:                        {"1", "2", "3"},
			`"topics":{},"entities":{}`:              {"1", "2", "3"},
			`"created_at":{}`:                        {"1", "2", "3"},
			`"user_id":null`:                         {"1", "2", "3"},
			`"memory_type":{"eq":null,"field":"x"}`:  {"1", "2", "3"},
			`"session_id":{"eq":"s-1"},"user_id":{}`: {"1"},
		})},
		{"times: all operators that are set apply", table(map[string][]string{
			`"event_date":{"eq":"2025-01-01T00:00:00Z"}`:                                     {"1"},
			`"event_date":{"gte":"2025-01-01T00:00:00Z","lt":"2025-02-01"}`:                  {"1"},
			`"event_date":{"gt":"2025-01-01T00:00:00Z"}`:                                     {"2"},
			`"event_date":{"lte":"2025-02-01T00:00:00+00:00"}`:                               {"1", "2"},
			`"event_date":{"between":["2025-01-01","2025-02-01"]}`:                           {"1", "2"},
			`"event_date":{"between":["2025-01-01T00:00:00Z","2025-02-01"]},"created_at":{}`: {"1", "2"},
			`"event_date":{"between":["2025-01-01","2025-02-01"],"gt":"2025-01-01"}`:         {"2"},
			`"event_date":{"gte":1735689600,"lte":"2025-01-31 23:59:59Z"}`:                   {"1"},
			`"created_at":{"gte":"2001-01-01T00:00:00"}`:                                     {"1", "2", "3"},
			`"created_at":{"lte":"2001-01-01T00:00:00.5Z"}`:                                  {},
		})},
		{"each field has a filter of its own", func(c *caller, _ *store) {
			c.remember(
				`"id":"1","text":"zebrafinch one","user_id":"u","entities":["e","f"],"created_at":"2024-01-01T00:00:00Z","last_accessed":"2024-02-01T00:00:00Z","extraction_strategy":"summary"`,
				`"id":"2","text":"zebrafinch two","user_id":"v","entities":["f"],"created_at":"2025-01-01T00:00:00Z","last_accessed":"2025-02-01T00:00:00Z","extraction_strategy":"discrete"`)
			for filter, id := range map[string]string{
				`"user_id":{"eq":"u"}`: "1", `"user_id":{"ne":"u"}`: "2", `"entities":{"all":["e","f"]}`: "1", `"entities":{"ne":"e"}`: "2",
				`"created_at":{"lt":"2025-01-01T00:00:00Z"}`: "1", `"created_at":{"eq":"2025-01-01T00:00:00Z"}`: "2",
				`"last_accessed":{"lte":"2024-02-01T00:00:00Z"}`: "1", `"last_accessed":{"between":["2025-01-01","2025-02-02"]}`: "2",
				`"extraction_strategy":{"eq":"summary"}`: "1", `"extraction_strategy":{"ne":"summary"}`: "2",
			} {
				assert.Equal(c.t, []string{id}, c.search(`,`+filter).ok().all("id", "memories"), filter)
			}
			// What is found by a text has been accessed.
			assert.Equal(c.t, []string{"1"}, c.search(`,"text":"one","last_accessed":{"lt":"2024-03-01"}`).ok().all("id", "memories"))
			c.eventually(func() bool { return c.search(`,"last_accessed":{"lt":"2024-03-01"}`).ok().int("total") == 0 })
		}},
		{"`eq` with `ne`, `any` with `all`, empty `any`, `startswith \"\"` → 422", refused(map[string]string{
			`"topics":{"eq":"a","ne":"b"}`:                        "eq and ne cannot both be set",
			`"topics":{"any":["a"],"all":["b"]}`:                  "any and all cannot both be set",
			`"topics":{"any":[]}`:                                 "any cannot be an empty list",
			`"topics":{"all":[]}`:                                 "all cannot be an empty list",
			`"session_id":{"startswith":""}`:                      "startswith cannot be an empty string",
			`"session_id":{"eq":"a","not_eq":"b"}`:                "",
			`"session_id":{"in_":[]}`:                             "",
			`"topics":{"none":[]}`:                                "none cannot be an empty list",
			`"session_id":{"any":["a"],"in_":["b"]}`:              "",
			`"created_at":{"between":["2025-01-01"]}`:             "between must be a list of two datetimes",
			`"created_at":{"gte":"soon"}`:                         "",
			`"memory_type":{"eq":"procedural"}`:                   "",
			`"session_id":"s-1"`:                                  "",
			`"topics":{"any":"a"}`:                                "",
			`"topics":[]`:                                         "",
			`"created_at":{"between":["2025-01-01","2025-02-x"]}`: "",
		})},
		{"a namespace filter never lets another's pass", func(c *caller, _ *store) {
			setup(c)
			other := call(c.t, c.p)
			other.remember(`"id":"x","text":"zebrafinch elsewhere"`)
			for _, filter := range []string{`{"eq":%q}`, `{"in_":[%q]}`, `{"any":[%q]}`, `{"startswith":%q}`} {
				a := c.post("/v1/long-term-memory/search", `{"text":"zebrafinch","namespace":`+fmt.Sprintf(filter, other.ns)+`}`).ok()
				for i := range a.list("memories") {
					assert.Contains(c.t, a.text("memories", i, "namespace"), other.ns)
				}
				assert.Contains(c.t, a.all("id", "memories"), "x", filter)
			}
		}},
	}
}
