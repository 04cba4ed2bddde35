package summarize

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// Bounds of the length of a summary, in tokens.
const (
	minInputTokens   = 256
	minSummaryTokens = 64
	maxSummaryTokens = 2000
	// tinySummaryTokens applies if a quarter of the window is less.
	tinySummaryTokens = 16
)

// fractionUnit is the precision of fractions of a window: millionths.
const fractionUnit = 1_000_000

// settings are validated options.
type settings struct{ summary.Options }

// withDefaults returns the options with defaults filled in. The error names the invalid one.
func withDefaults(s summary.Options, counter memory.TokenCounter) (settings, error) {
	if s.Threshold == 0 {
		s.Threshold = summary.DefaultThreshold
	}
	if s.Keep == 0 {
		if s.Keep = summary.DefaultKeep; s.Keep >= s.Threshold {
			s.Keep = s.Threshold / 2
		}
	}
	if s.Summarizer == nil {
		s.Summarizer = summary.Extractive{Counter: counter}
	}
	if s.InputTokens == 0 && !extracts(s.Summarizer) {
		s.InputTokens = summary.DefaultInputTokens
	}
	if s.Workers == 0 {
		s.Workers = summary.DefaultWorkers
	}
	if s.QueueLimit == 0 {
		s.QueueLimit = summary.DefaultQueueLimit
	}
	if s.Timeout == 0 {
		s.Timeout = summary.DefaultTimeout
	}
	if s.RetryAfter == 0 {
		s.RetryAfter = summary.DefaultRetryAfter
	}
	return settings{s}, settings{s}.check()
}

// extracts reports whether a summarizer works without a model.
func extracts(s summary.Summarizer) bool {
	switch s.(type) {
	case summary.Extractive, *summary.Extractive:
		return true
	default:
		return false
	}
}

// check validates options with defaults.
func (s settings) check() error {
	switch {
	case s.Mode < summary.Sync || s.Mode > summary.Off:
		return fmt.Errorf("session: Summaries.Mode %d is unknown", s.Mode)
	case !(s.Threshold > 0 && s.Threshold <= 1) || ratio(s.Threshold) == 0:
		return fmt.Errorf("session: Summaries.Threshold must be above 0 and at most 1, got %v", s.Threshold)
	case !(s.Keep > 0 && s.Keep < s.Threshold):
		return fmt.Errorf("session: Summaries.Keep must be above 0 and below the threshold of %v, got %v", s.Threshold, s.Keep)
	case s.InputTokens != 0 && s.InputTokens < minInputTokens:
		return fmt.Errorf("session: Summaries.InputTokens must be at least %d, got %d", minInputTokens, s.InputTokens)
	case s.Tokens < 0 || s.Timeout < 0 || s.RetryAfter < 0 || s.Workers < 0 || s.QueueLimit < 0:
		return errors.New("session: Summaries has a negative option")
	}
	return nil
}

// ratio returns a fraction in millionths, so that the share of 0.7 in 90 is 63: the product of
// the floats is less.
func ratio(fraction float64) int { return int(math.Round(fraction * fractionUnit)) }

// share returns floor(window × fraction), exactly.
func share(window int, fraction float64) int {
	r := ratio(fraction)
	return window/fractionUnit*r + window%fractionUnit*r/fractionUnit
}

// Limit returns the maximum number of tokens of messages in a window.
func (s settings) Limit(window int) int { return share(window, s.Threshold) }

// keptTokens returns the number of tokens of messages that a summary leaves in a window.
func (s settings) keptTokens(window int) int { return share(window, s.Keep) }

// maxTokens returns the maximum length of a summary in a window.
func (s settings) maxTokens(window int) int {
	limit := s.Tokens
	if limit == 0 {
		limit = min(max(window/10, minSummaryTokens), maxSummaryTokens)
	}
	limit = min(limit, max(window/4, tinySummaryTokens))
	if s.InputTokens > 0 {
		limit = min(limit, s.InputTokens/4)
	}
	return limit
}
