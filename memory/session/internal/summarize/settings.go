package summarize

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// The bounds of a summary's length, in tokens.
const (
	minInputTokens   = 256
	minSummaryTokens = 64
	maxSummaryTokens = 2000
	// tinySummaryTokens is the limit where a quarter of the window is less.
	tinySummaryTokens = 16
)

// fractionUnit is what fractions of a window are counted in: millionths.
const fractionUnit = 1_000_000

// settings are options with defaults.
type settings struct{ summary.Options }

// withDefaults returns the options with the defaults filled in, or what is wrong
// with them.
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

// extracts reports whether a summarizer writes summaries without a model.
func extracts(s summary.Summarizer) bool {
	switch s.(type) {
	case summary.Extractive, *summary.Extractive:
		return true
	default:
		return false
	}
}

// check is of options with defaults.
func (s settings) check() error {
	switch {
	case s.Mode < summary.Sync || s.Mode > summary.Off:
		return fmt.Errorf("session: Summaries.Mode %d is none", s.Mode)
	case !(s.Threshold > 0 && s.Threshold <= 1) || ratio(s.Threshold) == 0:
		return fmt.Errorf("session: Summaries.Threshold %v is not above 0 and up to 1", s.Threshold)
	case !(s.Keep > 0 && s.Keep < s.Threshold):
		return fmt.Errorf("session: Summaries.Keep %v is not above 0 and below the threshold of %v", s.Keep, s.Threshold)
	case s.InputTokens != 0 && s.InputTokens < minInputTokens:
		return fmt.Errorf("session: Summaries.InputTokens %d is less than %d", s.InputTokens, minInputTokens)
	case s.Tokens < 0 || s.Timeout < 0 || s.RetryAfter < 0 || s.Workers < 0 || s.QueueLimit < 0:
		return errors.New("session: Summaries has a negative option")
	}
	return nil
}

// ratio is a fraction in millionths, so that floor(90 × 0.7) is 63: the product of
// the two floats is less.
func ratio(fraction float64) int { return int(math.Round(fraction * fractionUnit)) }

// share is floor(window × fraction), exactly.
func share(window int, fraction float64) int {
	r := ratio(fraction)
	return window/fractionUnit*r + window%fractionUnit*r/fractionUnit
}

// Limit is how many tokens the messages may have in a window.
func (s settings) Limit(window int) int { return share(window, s.Threshold) }

// keptTokens is how many tokens of messages stay in a window.
func (s settings) keptTokens(window int) int { return share(window, s.Keep) }

// maxTokens is the limit of a summary in a window.
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
