package summary

import (
	"context"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Defaults of Options.
const (
	// DefaultThreshold is the default share of the window that messages may fill.
	DefaultThreshold = 0.7
	// DefaultKeep is the default share of the window that a summary leaves.
	DefaultKeep = 0.4
	// DefaultInputTokens is the default input limit of a model.
	DefaultInputTokens = 16_000
	// DefaultTimeout is the default timeout of a call of a Summarizer.
	DefaultTimeout = time.Minute
	// DefaultRetryAfter is the default wait after a failure.
	DefaultRetryAfter = 10 * time.Second
	// DefaultWorkers is the default number of workers.
	DefaultWorkers = 2
	// DefaultQueueLimit is the default number of sessions that wait for a worker.
	DefaultQueueLimit = 1024
)

// Mode is when summaries are written.
type Mode int

const (
	// Sync summarises in the write that exceeds the threshold. It is the default.
	Sync Mode = iota
	// InBackground lets the write return at once. Workers of the Manager summarise; see
	// session.Manager.Close.
	InBackground
	// Off disables summaries, except by session.Manager.Summarize.
	Off
)

// Options configures when and how a session.Manager summarises. The zero value is useful.
//
// When the messages of a session exceed Threshold of its window, the oldest are summarised
// and leave, so that the others fit within Keep of the window. A tool call never leaves
// without its results, and the last message always stays, together with its calls and
// results. The summary, which includes the previous one, goes into session.Session.Context;
// its last paragraph lists the identifiers that the summary does not mention.
type Options struct {
	// Mode determines when summaries are written. The zero value is Sync.
	Mode Mode
	// Summarizer writes the summaries. If nil, it is Extractive with session.Options.Counter.
	Summarizer Summarizer
	// Threshold is the share of the window that messages may fill, above 0 and up to 1, to
	// the millionth. 0 means DefaultThreshold.
	Threshold float64
	// Keep is the share of the window that stays, above 0 and below Threshold. 0 means
	// DefaultKeep, or half the Threshold if that is smaller.
	Keep float64
	// Tokens is the maximum length of a summary, without the identifiers. 0 means a tenth
	// of the window, at least 64 and at most 2,000. It is limited to a quarter of the
	// window, but at least 16, and to a quarter of InputTokens.
	Tokens int
	// InputTokens is the input limit of the Summarizer, prompt and summary included. Longer
	// input is summarised in several steps, so that no text is lost. 200 tokens are
	// reserved for the prompt, or an eighth of the limit if that is less. 0 means
	// DefaultInputTokens, and no limit for Extractive; otherwise it is at least 256.
	InputTokens int
	// Timeout is the timeout of one call of the Summarizer. It also determines how long a
	// session waits for the summary of a process that died. 0 means DefaultTimeout.
	Timeout time.Duration
	// RetryAfter is how long, after a failure, writes to the session in any process try no
	// summary, so that a model that fails or hangs is not asked by every write.
	// session.Manager.Summarize ignores it. A write whose context was cancelled does not
	// count as a failure. 0 means DefaultRetryAfter.
	RetryAfter time.Duration
	// Workers is the number of sessions summarised at once in the background. 0 means
	// DefaultWorkers.
	Workers int
	// QueueLimit is the number of sessions that may wait for a worker. Further ones are
	// not summarised before their next write. 0 means DefaultQueueLimit.
	QueueLimit int
	// Before is called with the messages that are about to be summarised, oldest first. If
	// it fails or panics, they stay and come again, with more, at a later write. They also
	// come again if the summary fails. Its context has no deadline but that of the write.
	// If nil, it is not called.
	Before func(ctx context.Context, key driver.Key, messages []driver.Message) error
	// OnSummary is called with each outcome except None, in any mode, by the goroutine that
	// produced it. A panic is logged. If nil, it is not called.
	OnSummary func(key driver.Key, outcome Outcome)
}
