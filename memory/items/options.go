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

// Options configures a Store. The zero value is useful. Its
// functions are called outside any lock and must be safe for concurrent use.
type Options struct {
	// MaxItems is how many items the store holds. 0 or less means
	// DefaultMaxItems, more than 1<<30 means 1<<30. Memory is taken as items
	// arrive, not ahead.
	MaxItems int
	// MaxTokens is how many tokens the items hold together. 0 or less means
	// 4000, more than math.MaxInt/2 means that.
	MaxTokens int
	// StepTTL is after how many steps an item expires: in step 25 one of step 4
	// has, with a StepTTL of 20. 0 means 20, less means never.
	StepTTL int
	// WallTTL is after how long an item expires. 0 means one hour, less
	// means never.
	WallTTL time.Duration
	// LowImportance is the importance below which an item is evicted before
	// others. 0 means 0.3; less says that there are no such items.
	LowImportance float64
	// HighImportance is the importance from which on an item is protected, up to
	// 1. 0 means 0.7. It must not be below LowImportance.
	HighImportance float64
	// RecencyWindow is how many steps an item counts as recent, that in which it
	// came about included. 0 means 5, less means none.
	RecencyWindow int
	// KeepProtected lets Memorize fail with ErrCapacity where protected items
	// would have to leave; else they leave last.
	KeepProtected bool
	// Counter counts the tokens of texts. nil means an estimate, as
	// prompt.Estimator documents it.
	Counter memory.TokenCounter
	// Scorer says what is relevant to a prompt. nil means that words decide; see
	// Remember.
	Scorer Scorer
	// Summarizer writes summaries. nil means that they are made of what the items
	// say; see Summarize.
	Summarizer TextSummarizer
	// Now is the clock. A time before one that the store has seen counts as that
	// one. nil means time.Now.
	Now func() time.Time
	// Step is the current step. A step below 0, or below one that the store has
	// seen, counts as that one, and one beyond math.MaxInt/2 as that bound. nil means a
	// counter of the store's own, which begins at 0 and AdvanceStep moves.
	Step func() int
	// NewID makes the ids of items that come without one. nil means random UUIDs.
	NewID func() string
	// Audit is told of each operation and of each eviction, after it, the
	// evictions of an operation before the operation itself; it may call the
	// store. Operations that take place at the same time may tell it at the same
	// time. nil means nobody is told.
	Audit func(AuditRecord)
}

// maxStep is the latest step. It leaves room to add a TTL.
const maxStep = math.MaxInt / 2

// itemPolicy is Options with the defaults filled in. It never changes.
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
	// Written so that NaN fails.
	if !(o.LowImportance <= o.HighImportance && o.HighImportance > 0 && o.HighImportance <= 1) {
		return nil, errors.New("items: HighImportance is not from LowImportance to 1")
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

// moment is when an operation takes place.
type moment struct {
	time time.Time
	step int // math.MinInt where the store counts the steps
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
