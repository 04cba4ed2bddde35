package summary

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Defaults of Options.
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

// Mode is when summaries are written.
type Mode int

const (
	// Sync summarises in the write that went over the threshold, which
	// returns afterwards. The default.
	Sync Mode = iota
	// InBackground lets the write return at once. Workers of the Manager
	// summarise; see session.Manager.Close.
	InBackground
	// Off never summarises, but for session.Manager.Summarize.
	Off
)

// Options configure when and how a session.Manager summarises. The zero value is useful.
//
// When the messages of a session have more tokens than Threshold of its window, the
// oldest are summarised and leave, so that what stays is within Keep of the window.
// A tool call never leaves without its results, and the last message always stays
// with what belongs to it. The summary goes into session.Session.Context, the previous one
// in it; behind it, as a last paragraph, stand the identifiers that the summary
// left out.
type Options struct {
	// Mode says when. The zero value is Sync.
	Mode Mode
	// Summarizer writes the summaries. nil means Extractive with session.Options.Counter.
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
	// session.Manager.Summarize at any time. A write whose context was cancelled is no
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
	Before func(ctx context.Context, key driver.Key, messages []driver.Message) error
	// OnSummary is told of each outcome but None, in whichever mode, by the
	// goroutine that it came about in. If it panics, the Logger is told. nil means
	// that nobody is told.
	OnSummary func(key driver.Key, outcome Outcome)
}
