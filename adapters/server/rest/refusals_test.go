package rest_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

// mistaken are requests, most with mistakes in what they say: method, target and body, and headers behind the body.
// {long} is an id that is too long, {text} a text that is, {many} a query of too many ids.
const mistaken = `
PUT /v1/working-memory/s {"messages":[{"role":"","content":"c"},{"role":"u","content":"c","id":"{long}","name":"{long}","tool_call_id":"{long}"}]}
PUT /v1/working-memory/s {"messages":[{"role":"u","content":"c","tool_calls":[{"id":"{long}","name":"{long}"}]}]}
PUT /v1/working-memory/s {"messages":[{"role":"u","content":"c","created_at":"2026-01-02T15:10:05Z"}]}
PUT /v1/working-memory/s {"messages":[{"role":"u","content":" "}]}
PUT /v1/working-memory/s {"messages":[{"id":"m","role":"u","content":""}]}
PUT /v1/working-memory/s {"messages":[{"id":"m","role":"u","content":"a"},{"id":"m","role":"u","content":"b"}]}
PUT /v1/working-memory/s {"namespace":"{long}","user_id":"{long}","ttl_seconds":0,"long_term_memory_strategy":{"strategy":"guess"},"messages":[{"role":"","content":"c"}],"memories":[{"text":"","id":"a"}],"entities":[{"id":""}]}
PUT /v1/working-memory/s {"ttl_seconds":3153600001}
PUT /v1/working-memory/s?ttl_seconds=0 {}
PUT /v1/working-memory/s?namespace={long} {}
PUT /v1/working-memory/{long} {}
PUT /v1/working-memory/{long} {"namespace":"{long}"}
PUT /v1/working-memory/s {"memories":[{"id":"{long}","text":"{text}","memory_type":"fact","topics":["a","b,c","{long}"],"entities":["a,b"],"extracted_from":["a,b"],"namespace":"{long}","user_id":"{long}","session_id":"{long}","extraction_strategy":"{long}","access_count":-1}]}
PUT /v1/working-memory/s {"memories":[{"id":"a","text":"x","namespace":"\u0000"}]}
PUT /v1/working-memory/s {"memories":[{"id":"a","text":"x","user_id":"u"},{"id":"b","text":"x\u0000","user_id":"u"}]}
PUT /v1/working-memory/s {"long_term_memory_strategy":{"strategy":"custom"}}
PUT /v1/working-memory/s {"entities":[{"id":"e","uses":-1},{"id":"{long}{long}{long}{long}{long}"}]}
PUT /v1/working-memory/s {"entities":[{"id":"e","type":"page"},{"id":"{long}{long}{long}{long}{long}","type":"page"}]}
PUT /v1/working-memory/s {"entities":[{"id":"e"}],"messages":1,"memories":[{}],"ttl_seconds":"x"}
PUT /v1/working-memory/s {} If-Match: "1"
PUT /v1/working-memory/s {} If-Match: *
PUT /v1/working-memory/there {} If-None-Match: *
PUT /v1/working-memory/there {} If-None-Match: W/"1", *
POST /v1/working-memory/s/messages {"messages":[{"role":"","content":"c"}]}
POST /v1/working-memory/s/messages {"messages":[{"role":"u","content":""}]}
POST /v1/working-memory/{long}/messages {"messages":[]}
POST /v1/working-memory/s/messages?ttl_seconds=-1 {"messages":[]}
POST /v1/working-memory/s/messages {}
POST /v1/working-memory/s/tool-calls {"name":"","id":"{long}"}
POST /v1/working-memory/{long}/tool-calls {"name":"x"}
POST /v1/working-memory/s/tool-calls {}
POST /v1/working-memory/s/summarize
GET /v1/working-memory/s
GET /v1/working-memory/{long}
GET /v1/working-memory/s?context_window_max=-1&recent_messages_limit=x
GET /v1/working-memory/s/entities
GET /v1/working-memory/s/decisions
GET /v1/working-memory/s/block?budget=-1
GET /v1/working-memory?limit=0&offset=-1&namespace={long}
DELETE /v1/working-memory/s - If-Match: "1"
DELETE /v1/working-memory/there - If-Match: "nothing"
POST /v1/long-term-memory {"memories":[{"id":"{long}","text":"{text}","memory_type":"fact","topics":["a","b,c"],"access_count":-1},{"id":"b","text":"t","namespace":"{long}"}]}
POST /v1/long-term-memory {"memories":[{"id":"","text":""}]}
POST /v1/long-term-memory {"memories":[{"text":"t"}]}
POST /v1/long-term-memory {"memories":[{"id":"a","text":" "}]}
POST /v1/long-term-memory {"memories":[{"id":"a","text":"t"},{"id":"b\u0000","text":"x"}]}
POST /v1/long-term-memory {"memories":[{"id":"a","text":"x\u0000","metadata":{"a":"\u0000"}}]}
POST /v1/long-term-memory?namespace={long} {"memories":[]}
POST /v1/long-term-memory/search {"limit":0,"offset":-1,"hybrid_alpha":1.1,"distance_threshold":-0.1,"search_mode":"fast","text":"{text}"}
POST /v1/long-term-memory/search {"limit":101,"recency_semantic_weight":-1,"recency_recency_weight":-1,"recency_freshness_weight":-1,"recency_novelty_weight":-1}
POST /v1/long-term-memory/search {"text":"x","distance_threshold":0.5,"search_mode":"keyword"}
POST /v1/long-term-memory/search {"session_id":{"eq":"a","ne":"b"},"namespace":{"any":[]},"user_id":{"startswith":""},"entities":{"all":[]},"extraction_strategy":{"eq":"a","not_eq":"b"},"last_accessed":{"between":[]},"created_at":{"eq":"2024-01-01","ne":"2024-01-02"}}
POST /v1/long-term-memory/search {"topics":{"any":["a"],"in_":["b"],"all":["c"],"none":["d"],"not_in":["e"],"ne":"f","not_eq":"g"}}
POST /v1/long-term-memory/search {"memory_type":{"eq":"fact","any":["poem","song"],"not_in":["poem"]}}
POST /v1/long-term-memory/search {"created_at":{"between":["2026-01-02","2026-01-01"]}}
POST /v1/long-term-memory/search {"limit":0,"offset":-1,"topics":{"any":[]},"created_at":{"between":[]}}
POST /v1/long-term-memory/search {"created_at":{"gt":"yesterday"},"topics":[]}
GET /v1/long-term-memory/none
GET /v1/long-term-memory/{long}
PATCH /v1/long-term-memory/m {"text":"","topics":[","],"entities":[","],"memory_type":"","namespace":"{long}","user_id":"{long}","session_id":"{long}"}
PATCH /v1/long-term-memory/m {}
PATCH /v1/long-term-memory/m {"text":" "}
PATCH /v1/long-term-memory/m {"text":"\u0000"}
PATCH /v1/long-term-memory/m {"user_id":"another"}
PATCH /v1/long-term-memory/none {"text":"x"}
DELETE /v1/long-term-memory{many}
POST /v1/long-term-memory/forget?limit=0&dry_run=maybe {"policy":{}}
POST /v1/long-term-memory/forget {"policy":{"max_age_days":-1,"max_inactive_days":-1,"budget":-1,"hard_age_multiplier":0.5,"memory_type_allowlist":["x","semantic","y"]}}
POST /v1/long-term-memory/forget {"policy":null}
POST /v1/long-term-memory/forget {}
POST /v1/memory/prompt {"query":"x"}
POST /v1/memory/prompt {"query":"x","session":{"session_id":"","namespace":"{long}","user_id":"{long}","context_window_max":-1}}
POST /v1/memory/prompt {"query":"x","session":{"session_id":""},"long_term_search":{"limit":0,"text":"{text}"}}
POST /v1/memory/prompt {"query":"x","session":{"session_id":""},"long_term_search":{"limit":0,"topics":{"in_":[]}}}
POST /v1/memory/prompt {"query":"x","long_term_search":{"topics":{"eq":"a","ne":"b"},"memory_type":{"eq":"poem"}}}
POST /v1/memory/prompt {"query":"x","long_term_search":{"text":"x","distance_threshold":0.5,"search_mode":"hybrid"}}
POST /v1/memory/prompt {"query":"x","long_term_search":"maybe"}
`

// version is a version in an answer: it differs from run to run.
var version = regexp.MustCompile(`"version":\d+`)

// TestRefusalsStayAsTheyAre compares whole answers: clients read the places and kinds of mistakes.
func TestRefusalsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	s := start(t, withLongTerm)
	s.do("PUT", "/v1/working-memory/there", oneMessage).is(200)
	s.do("POST", "/v1/long-term-memory", `{"memories":[{"id":"m","text":"tea","user_id":"anna"}]}`).is(200)
	var many strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&many, "%cmemory_ids=%d", "?&"[min(i, 1)], i)
	}
	fill := strings.NewReplacer("{long}", strings.Repeat("x", 1025), "{text}", strings.Repeat("x", 1<<20+1), "{many}", many.String())
	var got strings.Builder
	for request := range strings.SplitSeq(strings.TrimSpace(mistaken), "\n") {
		method, rest, _ := strings.Cut(request, " ")
		target, rest, _ := strings.Cut(rest, " ")
		body, headers := rest, []string(nil)
		if i := strings.LastIndex(rest, " If-"); i >= 0 {
			body, headers = rest[:i], []string{rest[i+1:]}
		}
		r := s.do(method, fill.Replace(target), strings.TrimPrefix(fill.Replace(body), "-"), headers...)
		fmt.Fprintf(&got, "%s\n%d %s\n", request, r.Code, version.ReplaceAllString(strings.ReplaceAll(r.Body.String(), "xxxxxxxxxxxxxxxxxxxx", "20x,"), `"version":0`))
	}
	const golden = "testdata/refusals.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}
