package inspector

import (
	"context"
	"net/url"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// source has the runs that an Inspector shows.
type source interface {
	// list returns the page with the runs that match a query. The tenant sees its own only.
	list(ctx context.Context, t auth.Tenant, query url.Values) (listing, error)
	// open returns the run that a query names. Errors: errNotFound, and those of the store.
	open(ctx context.Context, t auth.Tenant, query url.Values) (run, error)
}

// listing is a page of runs, with its heading and its links to other pages.
type listing struct {
	title   string
	search  part // a form
	summary part
	head    []string
	rows    []row
	none    string // shown without rows
	pages   part
}

// row is a run in a listing: the query that opens it, and its cells.
type row struct {
	query url.Values
	cells []part // the first is the text of the link
}

// run is a session or an episode.
type run interface {
	about() about
	steps() []step
	// block returns the block after a step, or before the first for -1. A budget of 0 means that of
	// the run.
	block(ctx context.Context, n, budget int) (*block, error)
	// texts returns the texts of a call.
	texts(ctx context.Context, n int) (texts, error)
	// idOf returns the id of a handle, or else its argument.
	idOf(handle string) string
	// story returns what happened to an id.
	story(ctx context.Context, id string, budget int) ([]event, error)
	// more returns sections about the run as a whole.
	more(ctx context.Context) []part
}

// about describes a run.
type about struct {
	title string
	query url.Values // names the run
	facts []fact
	// lost is set if calls before the first step, or all, are not known.
	lost bool
}

type fact struct{ name, value string }

// The kinds of steps that are not messages of a role.
const (
	kindCall = "call"
	kindNow  = "now"
)

// step is a message, a call, or the present, which is the last step of a session.
type step struct {
	kind   string // the role of a message, kindCall or kindNow
	at     time.Time
	text   string // of a message
	tool   string // of a call
	source string // of its tool
	failed bool
	tokens int
	calls  []string // that a message requests
	came   int      // entities that are new to memory
	left   int      // those that left it
	needs  []evaluation.Need
	known  bool // whether the block after it is known
}

// block is a block and what was considered for it.
type block struct {
	text     string
	tokens   int
	budget   int // 0 without one
	entities []judged
	limit    string // what bounds a block without a budget
}

// judged is an entity in memory.
type judged struct {
	typ, id, handle, label string
	aliases                []string
	candidate              bool
	verdict                prompt.Verdict
	from                   string // tool and path
	uses                   int
}

// texts are those of a call.
type texts struct {
	arguments, result, failure text
	stored                     string // handle of the result
	format, reason             string
	judgements                 []extractor.Judgement
}

// text is the beginning of a text of so many bytes.
type text struct {
	text string
	size int
}

// event is something that happened to an id.
type event struct {
	step int // -1 if it is not known
	what string
	typ  string
	kind string // of a middleware.Decision, or one of evaluation
}
