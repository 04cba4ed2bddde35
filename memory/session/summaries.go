package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Defaults of Summaries.
const (
	// DefaultThreshold is the part of the window that messages may take.
	DefaultThreshold = 0.7
	// DefaultKeep is the part of the window that stays when they take more.
	DefaultKeep = 0.4
	// DefaultInputTokens is what a summarising model takes at once.
	DefaultInputTokens = 16_000
	// DefaultTimeout is how long a summary may take.
	DefaultTimeout = time.Minute
	// DefaultRetryAfter is how long no summary is tried after one that failed.
	DefaultRetryAfter = 10 * time.Second
	// DefaultWorkers is how many sessions are summarised at once.
	DefaultWorkers = 2
	// DefaultQueueLimit is how many sessions may wait for a worker.
	DefaultQueueLimit = 1024
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

// SummaryMode says when summaries are written.
type SummaryMode int

const (
	// SummarizeSync summarises in the write that went over the threshold, which
	// returns afterwards. The default.
	SummarizeSync SummaryMode = iota
	// SummarizeInBackground lets the write return at once. Workers of the Manager
	// summarise; see Manager.Close.
	SummarizeInBackground
	// SummarizeOff never summarises, but for Manager.Summarize.
	SummarizeOff
)

// Summaries says when and how a Manager summarises. The zero value is useful.
//
// When the messages of a session have more tokens than Threshold of its window, the
// oldest are summarised and leave, so that what stays is within Keep of the window.
// A tool call never leaves without its results, and the last message always stays
// with what belongs to it. The summary goes into Session.Context, the previous one
// in it; behind it, as a last paragraph, stand the identifiers that the summary
// left out.
type Summaries struct {
	// Mode says when. The zero value is SummarizeSync.
	Mode SummaryMode
	// Summarizer writes the summaries. nil means Extractive with Options.Counter.
	Summarizer Summarizer
	// Threshold is the part of the window that messages may take, more than 0 and up
	// to 1; to the millionth. 0 means DefaultThreshold.
	Threshold float64
	// Keep is the part of the window that stays, more than 0 and less than Threshold.
	// 0 means DefaultKeep, or half the Threshold if that is not less.
	Keep float64
	// Tokens is the largest length of a summary, without the identifiers behind it.
	// 0 means a tenth of the window, at least 64 and at most 2,000. It is never more
	// than a quarter of the window or of InputTokens, but 16 in the tiniest window.
	Tokens int
	// InputTokens is what the Summarizer takes at once: its prompt and the summary
	// together. What is more is summarised step by step, so that it sees all of every
	// message. 200 of them are the prompt's, or an eighth where that is less. 0 means
	// DefaultInputTokens, for Extractive no limit; else it is at least 256.
	InputTokens int
	// Timeout is how long one call of the Summarizer may take. It is also how long a
	// session waits for a summary of a process that died. 0 means DefaultTimeout.
	Timeout time.Duration
	// RetryAfter is for how long, after a summary that failed, writes to this session
	// try none, in whichever process: a model that fails, or hangs, is not asked by
	// every write. The first write after it tries again, and so does
	// Manager.Summarize at any time. A write whose context was cancelled is no
	// failure. 0 means DefaultRetryAfter.
	RetryAfter time.Duration
	// Workers is how many sessions are summarised at once in the background. 0 means
	// DefaultWorkers.
	Workers int
	// QueueLimit is how many sessions may wait for a worker. One more is not
	// summarised until its next write asks again. 0 means DefaultQueueLimit.
	QueueLimit int
	// Before is called with the messages that are about to be summarised, oldest
	// first. An error, or a panic, keeps them: they come again, with more, at a later
	// write. They also come again if their summary fails. Its context has no deadline
	// but that of the write. nil means that nobody is called.
	Before func(ctx context.Context, key Key, messages []Message) error
	// OnSummary is told of each outcome but SummaryNone, in whichever mode, by the
	// goroutine that it came about in. If it panics, the Logger is told. nil means
	// that nobody is told.
	OnSummary func(key Key, outcome SummaryOutcome)
}

// withDefaults returns the options with the defaults filled in, or what is wrong
// with them.
func (s Summaries) withDefaults(counter memory.TokenCounter) (Summaries, error) {
	if s.Threshold == 0 {
		s.Threshold = DefaultThreshold
	}
	if s.Keep == 0 {
		if s.Keep = DefaultKeep; s.Keep >= s.Threshold {
			s.Keep = s.Threshold / 2
		}
	}
	if s.Summarizer == nil {
		s.Summarizer = Extractive{Counter: counter}
	}
	if s.InputTokens == 0 && !s.extracts() {
		s.InputTokens = DefaultInputTokens
	}
	if s.Workers == 0 {
		s.Workers = DefaultWorkers
	}
	if s.QueueLimit == 0 {
		s.QueueLimit = DefaultQueueLimit
	}
	if s.Timeout == 0 {
		s.Timeout = DefaultTimeout
	}
	if s.RetryAfter == 0 {
		s.RetryAfter = DefaultRetryAfter
	}
	return s, s.check()
}

// extracts reports whether summaries are written without a model.
func (s *Summaries) extracts() bool {
	switch s.Summarizer.(type) {
	case Extractive, *Extractive:
		return true
	default:
		return false
	}
}

// check is of options with defaults.
func (s *Summaries) check() error {
	switch {
	case s.Mode < SummarizeSync || s.Mode > SummarizeOff:
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

// threshold is how many tokens the messages may have in a window.
func (s *Summaries) threshold(window int) int { return share(window, s.Threshold) }

// keep is how many tokens of messages stay in a window.
func (s *Summaries) keep(window int) int { return share(window, s.Keep) }

// maxTokens is the limit of a summary in a window.
func (s *Summaries) maxTokens(window int) int {
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
