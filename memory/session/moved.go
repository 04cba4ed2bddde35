package session

import (
	"time"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/promotion"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// What moved to other packages.
type (
	Append             = driver.Append
	Condition          = driver.Condition
	Extraction         = driver.ExtractRequest
	Extractive         = summary.Extractive
	Filter             = driver.ListOptions
	LongTerm           = driver.LongTerm
	Memory             = driver.Record
	MemoryStore        = memstore.Store
	MemoryStoreOptions = memstore.Options
	MemoryType         = driver.RecordType
	Page               = driver.Listing
	Position           = driver.Position
	Promoted           = driver.PromoteResult
	Promotion          = driver.PromoteRequest
	PromotionOutcome   = promotion.Outcome
	Promotions         = promotion.Options
	Record             = driver.StoredSession
	Store              = driver.Store
	StoredMessage      = driver.StoredMessage
	Summaries          = summary.Options
	Summarizer         = summary.Summarizer
	SummaryMode        = summary.Mode
	SummaryOutcome     = summary.Outcome
	SummaryRequest     = summary.Request
	SummaryStatus      = summary.Status
	Wants              = driver.Wants
	Write              = driver.Write
)

const (
	Format        = driver.Format
	RememberedIDs = driver.RememberedIDs

	MemorySemantic = driver.RecordSemantic
	MemoryEpisodic = driver.RecordEpisodic
	MemoryMessage  = driver.RecordMessage

	SummarizeSync         = summary.Sync
	SummarizeInBackground = summary.InBackground
	SummarizeOff          = summary.Off

	SummaryNone      = summary.None
	SummaryDone      = summary.Done
	SummaryQueued    = summary.Queued
	SummaryLeased    = summary.Leased
	SummaryPostponed = summary.Postponed
	SummaryOutrun    = summary.Outrun
	SummaryNotQueued = summary.NotQueued
	SummaryFailed    = summary.Failed

	DefaultThreshold   = summary.DefaultThreshold
	DefaultKeep        = summary.DefaultKeep
	DefaultInputTokens = summary.DefaultInputTokens
	DefaultTimeout     = summary.DefaultTimeout
	DefaultRetryAfter  = summary.DefaultRetryAfter
	DefaultWorkers     = summary.DefaultWorkers
	DefaultQueueLimit  = summary.DefaultQueueLimit

	DefaultPromotionWorkers = promotion.DefaultWorkers
	DefaultDelay            = promotion.DefaultDelay
	DefaultPoll             = promotion.DefaultPoll
	DefaultLease            = promotion.DefaultLease
	DefaultPromotionRetry   = promotion.DefaultRetryAfter
	DefaultBatch            = promotion.DefaultBatch
)

var (
	ErrBusy      = promotion.ErrBusy
	ErrNoSummary = summary.ErrEmpty
	ErrRefused   = summary.ErrRefused
)

func NewMemoryStore(opts *memstore.Options) *memstore.Store { return memstore.New(opts) }

func NewRevision() uint64 { return driver.NewRevision() }

func TTLMillis(ttl time.Duration) (int64, error) { return driver.TTLMillis(ttl) }
