package metrics

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/engine"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// Hooks returns hooks that count the work of an engine.
func (m *Metrics) Hooks() engine.Hooks {
	return engine.Hooks{OnSummary: m.onSummary, OnPromoted: m.onPromoted, OnCall: m.onCall, OnModel: m.onModel}
}

func (m *Metrics) onSummary(_ session.Key, o summary.Outcome) {
	m.summaries.WithLabelValues(o.Status.String()).Inc()
	m.summarised.Add(float64(o.Messages))
}

func (m *Metrics) onPromoted(_ session.Key, o promotion.Outcome) {
	m.promotions.WithLabelValues(outcome(o.Err)).Inc()
	for kind, n := range map[string]int{
		"extracted": o.Extracted, "stored": o.Memories, "refused": o.Refused, "messages": o.Messages,
	} {
		m.promoted.WithLabelValues(kind).Add(float64(n))
	}
}

func (m *Metrics) onCall(_ context.Context, _ session.Key, _ middleware.ToolCall, found extractor.Extraction, err error) {
	m.toolCalls.WithLabelValues(outcome(err)).Inc()
	m.recordedEntities.Add(float64(len(found.Entities)))
	m.recordedRemovals.Add(float64(len(found.Removed)))
}

func (m *Metrics) onModel(kind string, took time.Duration, err error) {
	m.modelCalls.WithLabelValues(kind, outcome(err)).Observe(took.Seconds())
}

func outcome(err error) string {
	if err != nil {
		return "failed"
	}
	return "done"
}
