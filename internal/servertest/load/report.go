package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
)

// kind classifies an error for the report.
func kind(err error) string {
	if refused, ok := errors.AsType[*client.Error](err); ok {
		return fmt.Sprintf("status %d", refused.Status)
	}
	switch {
	case errors.Is(err, client.ErrAnswer):
		return "unreadable answer"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "timeout"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	default:
		return "broken connection"
	}
}

// report writes throughput, latencies and errors.
func (r *loadRun) report(w io.Writer) {
	seconds := r.took.Seconds()
	requests := len(r.total.latencies)
	printLine(w, "%d clients, %d sessions, %.1f s: %d messages in %d requests, %.0f requests/s",
		r.clients, r.sessions, seconds, len(r.total.acknowledged), requests, float64(requests)/seconds)
	slices.Sort(r.total.latencies)
	printLine(w, "latency: p50 %v, p99 %v, max %v", quantile(r.total.latencies, 50), quantile(r.total.latencies, 99), quantile(r.total.latencies, 100))
	for _, kind := range slices.Sorted(maps.Keys(r.total.errors)) {
		printLine(w, "errors: %s: %d", kind, r.total.errors[kind])
	}
	if r.total.left > 0 {
		printLine(w, "never acknowledged: %d messages", r.total.left)
	}
}

func printLine(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, format+"\n", args...)
}

// quantile returns the smallest of the sorted durations that the given percentage does not exceed.
func quantile(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max((len(sorted)*percent+99)/100, 1)-1].Round(10 * time.Microsecond)
}
