package metrics_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/langchain/endpoint"
	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/metrics"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func scrape(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, w.Code)
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	m := metrics.New()
	for _, want := range []string{`wmem_http_refused_total{reason="unauthorized"} 0`, `wmem_promoted_total{kind="stored"} 0`} {
		assert.Contains(t, scrape(t, m), want, "present from the start")
	}

	hooks := m.Hooks()
	key := session.Key{Namespace: "hunter2", UserID: "hunter2", SessionID: "hunter2"}
	m.Observe(rest.Observation{Method: "PUT", Route: "/v1/working-memory/{sid}", Status: 200, Duration: 3 * time.Millisecond, BytesIn: 10, BytesOut: 20})
	m.Observe(rest.Observation{Method: "GET", Status: 404})
	m.Observe(rest.Observation{Method: "GET", Route: "/v1/working-memory", Status: 401})
	m.Refused(http.StatusForbidden)
	m.ObserveMCP(mcpserver.Observation{Method: "tools/call", Tool: "remember", Duration: 3 * time.Millisecond})
	m.ObserveMCP(mcpserver.Observation{Method: "ping", Failed: true})
	hooks.OnSummary(key, summary.Outcome{Status: summary.Done, Messages: 7})
	hooks.OnSummary(key, summary.Outcome{Status: summary.Failed, Err: errors.New("hunter2")})
	hooks.OnPromoted(key, promotion.Outcome{Memories: 2, Messages: 3})
	hooks.OnPromoted(key, promotion.Outcome{Err: errors.New("hunter2")})
	hooks.OnCall(context.Background(), key, middleware.ToolCall{Name: "hunter2", Result: "hunter2"},
		extractor.Extraction{Entities: make([]memory.Entity, 3), Removed: make([]memory.Ref, 1)}, nil)
	hooks.OnCall(context.Background(), key, middleware.ToolCall{Name: "hunter2"}, extractor.Extraction{}, errors.New("hunter2"))

	hooks.OnModel(endpoint.Chat, time.Second, nil)
	hooks.OnModel(endpoint.Embeddings, 7*time.Second, errors.New("hunter2"))

	text := scrape(t, m)
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	require.NoError(t, err)
	assert.Empty(t, problems, "the conventions of Prometheus")
	for _, want := range []string{
		`wmem_http_request_duration_seconds_count{method="PUT",route="/v1/working-memory/{sid}",status="200"} 1`,
		`wmem_http_request_duration_seconds_bucket{method="PUT",route="/v1/working-memory/{sid}",status="200",le="0.005"} 1`,
		`wmem_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1`,
		`wmem_http_request_bytes_total{route="/v1/working-memory/{sid}"} 10`,
		`wmem_http_response_bytes_total{route="/v1/working-memory/{sid}"} 20`,
		`wmem_http_refused_total{reason="unauthorized"} 1`,
		`wmem_http_refused_total{reason="forbidden"} 1`,
		`wmem_http_requests_in_flight 0`,
		`wmem_mcp_message_duration_seconds_bucket{method="tools/call",outcome="done",tool="remember",le="0.005"} 1`,
		`wmem_mcp_message_duration_seconds_count{method="ping",outcome="failed",tool=""} 1`,
		`wmem_summaries_total{outcome="done"} 1`,
		`wmem_summaries_total{outcome="failed"} 1`,
		`wmem_summarized_messages_total 7`,
		`wmem_promotions_total{outcome="done"} 1`,
		`wmem_promotions_total{outcome="failed"} 1`,
		`wmem_promoted_total{kind="stored"} 2`,
		`wmem_promoted_total{kind="messages"} 3`,
		`wmem_tool_calls_total{outcome="done"} 1`,
		`wmem_tool_calls_total{outcome="failed"} 1`,
		`wmem_model_call_duration_seconds_count{kind="chat",outcome="done"} 1`,
		`wmem_model_call_duration_seconds_count{kind="chat",outcome="failed"} 0`,
		`wmem_model_call_duration_seconds_bucket{kind="embeddings",outcome="failed",le="5"} 0`,
		`wmem_model_call_duration_seconds_bucket{kind="embeddings",outcome="failed",le="10"} 1`,
		`wmem_recorded_entities_total 3`,
		`wmem_recorded_removals_total 1`,
		"go_goroutines", "process_open_fds", "go_build_info",
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "hunter2")
}

func TestTrack(t *testing.T) {
	t.Parallel()
	m := metrics.New()
	h := m.Track(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		assert.Contains(t, scrape(t, m), "wmem_http_requests_in_flight 1")
		panic(http.ErrAbortHandler)
	}))
	assert.Panics(t, func() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/"+strings.Repeat("a", 9), nil))
	})
	assert.Contains(t, scrape(t, m), "wmem_http_requests_in_flight 0")
}

// docs/server.md names exactly the existing metrics.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	m := metrics.New()
	m.Observe(rest.Observation{Method: "GET", Route: "/v1/health", Status: 200})
	m.ObserveMCP(mcpserver.Observation{Method: "ping"})
	var there []string
	for _, found := range regexp.MustCompile(`(?m)^# TYPE (wmem_\w+) `).FindAllStringSubmatch(scrape(t, m), -1) {
		there = append(there, found[1])
	}
	guide, err := os.ReadFile("../../../../docs/server.md")
	require.NoError(t, err)
	named := regexp.MustCompile(`wmem_[a-z_]+`).FindAllString(string(guide), -1)
	for i, name := range named {
		named[i] = strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count")
	}
	slices.Sort(named)
	assert.ElementsMatch(t, there, slices.Compact(named))
}
