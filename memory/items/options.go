package items

import (
	"errors"
	"math"
	"time"

	guuid "github.com/google/uuid"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/internal/slab"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/internal/state"
)

// The defaults of a Store (seed 002).
const (
	DefaultMaxItems       = 64
	defaultMaxTokens      = 4000
	defaultStepTTL        = 20
	defaultWallTTL        = time.Hour
	defaultLowImportance  = 0.3
	defaultHighImportance = 0.7
	defaultRecencyWindow  = 5
)

// Options configures a Store. The zero value is useful. The functions and interfaces
// are called without holding a lock and must be safe for concurrent use.
type Options struct {
	// MaxItems is the maximum number of items. 0 or less means DefaultMaxItems; values
	// above 1<<30 mean 1<<30. Memory is allocated as items arrive.
	MaxItems int
	// MaxTokens is the maximum number of tokens of all items. 0 or less means 4000;
	// values above math.MaxInt/2 mean math.MaxInt/2.
	MaxTokens int
	// StepTTL is the number of steps that an item outlives: with a StepTTL of 20, an
	// item of step 4 expires in step 25. 0 means 20; negative values mean that items do
	// not expire by steps.
	StepTTL int
	// WallTTL is the age that an item outlives. 0 means one hour; negative values mean
	// that items do not expire by time.
	WallTTL time.Duration
	// LowImportance is the importance below which items are evicted before others. 0
	// means 0.3; negative values mean that no item is of low importance.
	LowImportance float64
	// HighImportance is the importance from which items are protected, up to 1. 0 means
	// 0.7. It must not be below LowImportance.
	HighImportance float64
	// RecencyWindow is the number of steps during which an item is recent, including
	// its own. 0 means 5; negative values mean that no item is recent.
	RecencyWindow int
	// KeepProtected makes Memorize fail with ErrCapacity if protected items would have
	// to be evicted. Otherwise they are evicted last.
	KeepProtected bool
	// Counter counts the tokens of texts. If nil, they are estimated as documented for
	// prompt.Estimator.
	Counter memory.TokenCounter
	// Scorer decides which items are relevant to a prompt. If nil, items are matched by
	// words; see Remember.
	Scorer Scorer
	// Summarizer writes summaries. If nil, they are extracted from the items; see
	// Summarize.
	Summarizer TextSummarizer
	// Now returns the current time. The time of a store does not go back: earlier times
	// count as the latest one seen. If nil, time.Now is used.
	Now func() time.Time
	// Step returns the current step. The step of a store does not go back: lower steps
	// count as the highest one seen, and those above math.MaxInt/2 as math.MaxInt/2. If
	// nil, the store has a counter that starts at 0 and is incremented by AdvanceStep.
	Step func() int
	// NewID generates the ids of items that have none. If nil, random UUIDs are used.
	NewID func() string
	// Audit is called after each operation and eviction, and for the evictions of an
	// operation before the operation itself. It may call the store. Concurrent
	// operations may call it concurrently. If nil, nothing is audited.
	Audit func(AuditRecord)
}

// maxStep is the latest step. A TTL can be added to it without overflow.
const maxStep = math.MaxInt / 2

// itemPolicy is Options with the defaults filled in. It is immutable.
type itemPolicy struct {
	Options
}

func newItemPolicy(opts *Options) (*itemPolicy, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.MaxItems <= 0 {
		o.MaxItems = DefaultMaxItems
	}
	o.MaxItems = min(o.MaxItems, slab.MaxLen)
	if o.MaxTokens <= 0 {
		o.MaxTokens = defaultMaxTokens
	}
	o.MaxTokens = min(o.MaxTokens, math.MaxInt/2) // one item more cannot overflow
	setDefault(&o.StepTTL, defaultStepTTL)
	setDefault(&o.WallTTL, defaultWallTTL)
	setDefault(&o.LowImportance, defaultLowImportance)
	setDefault(&o.HighImportance, defaultHighImportance)
	setDefault(&o.RecencyWindow, defaultRecencyWindow)
	o.StepTTL, o.RecencyWindow = min(o.StepTTL, maxStep), min(o.RecencyWindow, maxStep)
	// The condition is false for NaN.
	if !(o.LowImportance <= o.HighImportance && o.HighImportance > 0 && o.HighImportance <= 1) {
		return nil, errors.New("items: HighImportance must be from LowImportance to 1, and more than 0")
	}
	o.setFunctions()
	return &itemPolicy{o}, nil
}

func setDefault[T int | float64 | time.Duration](option *T, value T) {
	if *option == 0 {
		*option = value
	}
}

func (o *Options) setFunctions() {
	if o.Counter == nil {
		o.Counter = plaintext.Estimator{}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = guuid.NewString
	}
}

// moment is the time and the step of an operation.
type moment struct {
	time time.Time
	step int // math.MinInt if the store counts the steps
}

func (p *itemPolicy) now() moment {
	m := moment{time: p.Now().UTC().Round(0), step: math.MinInt}
	if m.time.Unix() > state.MaxUnix { // beyond what JSON can express
		m.time = time.Unix(state.MaxUnix, 0).UTC()
	}
	if p.Step != nil {
		m.step = clampStep(p.Step())
	}
	return m
}

func clampStep(step int) int { return min(max(step, -maxStep), maxStep) }
