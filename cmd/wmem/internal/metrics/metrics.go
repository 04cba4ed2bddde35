// Package metrics counts what a server does, for Prometheus.
//
// Labels are names of the server's own: patterns of routes, methods, status codes, outcomes.
// Nothing that clients send becomes a label, so they cannot make the number of series grow, and
// no contents are revealed.
//
// Alert on answers with status 5xx (503 means that a store does not answer), and on promotions,
// summaries or model calls that only fail. While these fail, sessions keep their messages and
// grow; nothing is lost. A rising wmem_http_refused_total means unauthorised attempts.
package metrics

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/go-workingmemory/workingmemory/adapters/langchain/endpoint"
	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
)

// Metrics are the metrics of one server, in their own registry. They are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	requests         *prometheus.HistogramVec
	received, sent   *prometheus.CounterVec
	refused          *prometheus.CounterVec
	inFlight         prometheus.Gauge
	mcpMessages      *prometheus.HistogramVec
	summaries        *prometheus.CounterVec
	summarised       prometheus.Counter
	promotions       *prometheus.CounterVec
	promoted         *prometheus.CounterVec
	modelCalls       *prometheus.HistogramVec
	toolCalls        *prometheus.CounterVec
	recordedEntities prometheus.Counter
	recordedRemovals prometheus.Counter
}

// New returns metrics that are all zero.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "wmem_http_request_duration_seconds", Help: "Requests that were answered, and how long they took.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120},
		}, []string{"route", "method", "status"}),
		received: counters("wmem_http_request_bytes_total", "Bytes of the bodies of requests.", "route"),
		sent:     counters("wmem_http_response_bytes_total", "Bytes of the bodies of answers.", "route"),
		refused:  counters("wmem_http_refused_total", "Requests that were refused: unauthorized (no valid token), forbidden (another tenant's, or from elsewhere), limited (too many).", "reason"),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "wmem_http_requests_in_flight", Help: "Requests that are being served."}),
		mcpMessages: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "wmem_mcp_message_duration_seconds", Help: "Messages of MCP that were served, by method, tool and outcome, and how long they took.",
			Buckets: []float64{.001, .005, .025, .1, .5, 2.5, 10, 60},
		}, []string{"method", "tool", "outcome"}),
		summaries:  counters("wmem_summaries_total", "Summaries of sessions, by outcome.", "outcome"),
		summarised: counter("wmem_summarized_messages_total", "Messages that were summarised and removed from their sessions."),
		promotions: counters("wmem_promotions_total", "Promotions of sessions to long-term memory, by outcome.", "outcome"),
		promoted:   counters("wmem_promoted_total", "Memories extracted, stored and refused by promotions, and messages kept.", "kind"),
		modelCalls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "wmem_model_call_duration_seconds", Help: "Calls of models, by kind and outcome, and how long they took.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"kind", "outcome"}),
		toolCalls:        counters("wmem_tool_calls_total", "Recorded tool calls, by outcome.", "outcome"),
		recordedEntities: counter("wmem_recorded_entities_total", "Entities that were found in tool calls."),
		recordedRemovals: counter("wmem_recorded_removals_total", "Entities that tool calls removed."),
	}
	m.registry.MustRegister(m.requests, m.received, m.sent, m.refused, m.inFlight, m.mcpMessages, m.summaries, m.summarised,
		m.promotions, m.promoted, m.modelCalls, m.toolCalls, m.recordedEntities, m.recordedRemovals,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	for vec, labels := range map[*prometheus.CounterVec][]string{
		m.refused: {"unauthorized", "forbidden", "limited"}, m.summaries: {"done", "failed"},
		m.promotions: {"done", "failed"}, m.toolCalls: {"done", "failed"},
		m.promoted: {"extracted", "stored", "refused", "messages"},
	} {
		for _, label := range labels {
			vec.WithLabelValues(label) // present from the start, so that the first increase is visible
		}
	}
	for _, kind := range []string{endpoint.Chat, endpoint.Embeddings} {
		for _, outcome := range []string{"done", "failed"} {
			m.modelCalls.WithLabelValues(kind, outcome)
		}
	}
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
}

// Handler serves the metrics in Prometheus' formats.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// Track counts the requests in flight.
func (m *Metrics) Track(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.inFlight.Inc()
		defer m.inFlight.Dec()
		next.ServeHTTP(w, r)
	})
}

// unmatched is the label of requests that match no route.
const unmatched = "none"

// Observe counts an answer. It is for rest.Options.Observe.
func (m *Metrics) Observe(o rest.Observation) {
	if o.Route == "" {
		o.Route = unmatched
	}
	m.requests.WithLabelValues(o.Route, o.Method, strconv.Itoa(o.Status)).Observe(o.Duration.Seconds())
	m.received.WithLabelValues(o.Route).Add(float64(o.BytesIn))
	m.sent.WithLabelValues(o.Route).Add(float64(o.BytesOut))
	m.Refused(o.Status)
}

// ObserveMCP counts a message. It is for mcpserver.Options.Observe.
func (m *Metrics) ObserveMCP(o mcpserver.Observation) {
	outcome := "done"
	if o.Failed {
		outcome = "failed"
	}
	m.mcpMessages.WithLabelValues(o.Method, o.Tool, outcome).Observe(o.Duration.Seconds())
}

// Refused counts an answer with status 401, 403 or 429, and ignores others.
func (m *Metrics) Refused(status int) {
	switch status {
	case http.StatusUnauthorized:
		m.refused.WithLabelValues("unauthorized").Inc()
	case http.StatusForbidden:
		m.refused.WithLabelValues("forbidden").Inc()
	case http.StatusTooManyRequests:
		m.refused.WithLabelValues("limited").Inc()
	}
}
