package servertest

import (
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// searchChecks are of what searches answer.
func searchChecks() []check {
	return []check{
		{"empty text → the filtered list, dist 0", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"zebrafinch a"`, `"id":"b","text":"zebrafinch b"`)
			for _, text := range []string{``, `,"text":""`, `,"text":null`, `,"text":"  "`} {
				a := c.search(text).ok()
				require.Equal(c.t, 2, a.int("total"))
				for i := range 2 {
					require.Zero(c.t, a.number("memories", i, "dist"))
					require.Nil(c.t, a.at("memories", i, "score"))
					require.Nil(c.t, a.at("memories", i, "score_type"))
				}
			}
		}},
		{"`total` is the true count and `next_offset` works", func(c *caller, _ *store) {
			var records []string
			for i := range 25 {
				records = append(records, fmt.Sprintf(`"id":"r%d","text":"zebrafinch number %d"`, i, i))
			}
			c.remember(records...)
			for _, text := range []string{``, `,"text":"zebrafinch","search_mode":"keyword"`} {
				seen, offset := map[string]bool{}, 0
				for _, size := range []int{10, 10, 5} {
					a := c.search(fmt.Sprintf(`%s,"offset":%d`, text, offset)).ok()
					require.Equal(c.t, 25, a.int("total"))
					require.Len(c.t, a.list("memories"), size, "10 by default")
					for _, id := range a.all("id", "memories") {
						seen[id] = true
					}
					if size < 10 {
						require.Nil(c.t, a.at("next_offset"))
						break
					}
					offset = a.int("next_offset")
				}
				require.Len(c.t, seen, 25)
			}
			require.Len(c.t, c.search(`,"limit":100`).ok().list("memories"), 25)
			require.Empty(c.t, c.search(`,"offset":25`).ok().list("memories"))
		}},
		{"limits of a search → 422", func(c *caller, _ *store) {
			for field, values := range map[string][]string{
				"limit": {`0`, `101`, `"x"`, `1.5`}, "offset": {`-1`}, "search_mode": {`"psychic"`, `1`},
				"hybrid_alpha": {`-0.1`, `1.1`, `"x"`}, "recency_semantic_weight": {`-1`}, "text": {`7`},
			} {
				for _, value := range values {
					c.search(fmt.Sprintf(`,%q:%s`, field, value)).invalid("body", field)
				}
			}
		}},
		{"a negative offset in a list → 422", func(c *caller, _ *store) {
			c.get("/v1/working-memory/?offset=-1").invalid("query", "offset")
		}},
		{"distance_threshold is for semantic searches alone", func(c *caller, _ *store) {
			for _, mode := range []string{"keyword", "hybrid"} {
				c.search(`,"text":"zebrafinch","distance_threshold":0.5,"search_mode":"`+mode+`"`).
					fails(http.StatusBadRequest, "distance_threshold is only supported for semantic search mode")
			}
			c.search(`,"text":"zebrafinch","distance_threshold":0.5`).ok()
			c.search(`,"text":"zebrafinch","distance_threshold":"0"`).ok()
		}},
		{"no embedder: semantic and hybrid answer from the keyword index, and say so", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"the zebrafinch sings at dawn"`, `"id":"b","text":"bread is baked in ovens"`)
			for _, mode := range []string{"semantic", "hybrid", "keyword"} {
				a := c.search(`,"text":"who sings?","search_mode":"` + mode + `"`).ok()
				require.Equal(c.t, []string{"a"}, a.all("id", "memories"), mode)
				require.Equal(c.t, "keyword", a.text("memories", 0, "score_type"), mode)
				score, dist := a.number("memories", 0, "score"), a.number("memories", 0, "dist")
				require.True(c.t, score > 0 && score <= 1, "%v", score)
				require.InDelta(c.t, 1-score, dist, 1e-9)
			}
			near := c.search(`,"text":"who sings?","search_mode":"semantic","distance_threshold":0`).ok()
			require.Equal(c.t, []string{"a"}, near.all("id", "memories"), "what has no distance is not too far away")
		}},
		{"any text can be searched for", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"zebrafinch says \"hello\" AND (goodbye)"`)
			for _, text := range []string{`\"`, `zebrafinch AND`, `NEAR(a b)`, `col:x`, `*`, `hello\u0000`, `' OR 1=1 --`, `日本語`, `(((`, `a-b^c`, `%_\\`} {
				c.search(`,"text":"` + text + `"`).ok()
			}
			require.Equal(c.t, 1, c.search(`,"text":"hello OR goodbye ("`).ok().int("total"))
		}},
		{"recency lifts what is fresh, and can be switched off", func(c *caller, _ *store) {
			fresh := time.Now().UTC().Format(time.RFC3339)
			c.remember(`"id":"old","text":"zebrafinch zebrafinch song","created_at":"2020-01-01T00:00:00Z","last_accessed":"2020-01-01T00:00:00Z"`,
				`"id":"new","text":"a zebrafinch, and some other words beside it","created_at":"`+fresh+`","last_accessed":"`+fresh+`"`)
			off := c.search(`,"text":"zebrafinch","recency_boost":false`).ok()
			require.Equal(c.t, []string{"old", "new"}, off.all("id", "memories"))
			on := c.search(`,"text":"zebrafinch","recency_semantic_weight":0.0,"recency_recency_weight":"1"`).ok()
			require.Equal(c.t, []string{"new", "old"}, on.all("id", "memories"))
			require.InDelta(c.t, off.number("memories", 0, "dist"), on.number("memories", 1, "dist"), 1e-9, "dist is of the match")
			require.False(c.t, math.IsNaN(on.number("memories", 0, "score")))
		}},
		{"recency's weights and half-lives", func(c *caller, _ *store) {
			ago := func(days int) string { return time.Now().AddDate(0, 0, -days).UTC().Format(time.RFC3339) }
			for more, first := range map[string]string{
				`,"recency_freshness_weight":1,"recency_novelty_weight":0`:             "used lately",
				`,"recency_freshness_weight":0,"recency_novelty_weight":1`:             "made lately",
				`,"recency_half_life_last_access_days":36500`:                          "made lately",
				`,"recency_half_life_created_days":"36500","server_side_recency":true`: "used lately",
			} {
				d := call(c.t, c.p) // who is found has been used: each has its own
				d.remember(fmt.Sprintf(`"id":"made lately","text":"zebrafinch one","created_at":%q,"last_accessed":%[1]q`, ago(20)),
					fmt.Sprintf(`"id":"used lately","text":"zebrafinch two","created_at":%q,"last_accessed":%q`, ago(60), ago(1)))
				found := d.search(`,"text":"zebrafinch","recency_semantic_weight":0,"recency_recency_weight":1` + more).ok()
				require.Len(c.t, found.list("memories"), 2)
				require.Equal(c.t, first, found.text("memories", 0, "id"), more)
			}
		}},
		{"a filter is never dropped: no hit means an empty list", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"zebrafinch","topics":["birds"]`)
			for _, text := range []string{``, `,"text":"zebrafinch"`} {
				a := c.search(text + `,"topics":{"any":["fish"]}`).ok()
				assert.JSONEq(c.t, `{"memories":[],"total":0,"next_offset":null}`, string(a.raw))
			}
		}},
		{"a filter on all fields at once", func(c *caller, _ *store) {
			c.remember(`"id":"a","text":"zebrafinch","user_id":"u","session_id":"s","topics":["t"],"entities":["e"],"memory_type":"episodic","created_at":"2025-01-01T00:00:00Z","event_date":"2024-01-01T00:00:00Z"`)
			require.Equal(c.t, 1, c.search(`,"user_id":{"eq":"u"},"session_id":{"eq":"s"},"topics":{"any":["t"]},"entities":{"all":["e"]},
				"memory_type":{"eq":"episodic"},"created_at":{"gte":"2025-01-01T00:00:00Z","lt":"2025-01-02T00:00:00Z"},
				"last_accessed":{"gt":"2000-01-01"},"event_date":{"between":["2023-12-31","2024-01-01"]},"extraction_strategy":{"ne":"summary"}`).ok().int("total"))
		}},
	}
}
