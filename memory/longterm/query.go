package longterm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

const (
	// DefaultLimit is how many records a search returns.
	DefaultLimit = 10
	// DefaultAlpha is how much the vectors count in a ModeHybrid.
	DefaultAlpha = 0.7
	// maxQuestion is how much of the end of a question is searched for, in bytes, and
	// maxTerms how many of its terms, the last ones.
	maxQuestion = 4 << 10
	maxTerms    = 256
)

// Query says what Memory.Search finds. The zero value lists all records of the scope,
// newest first.
type Query struct {
	// Text is what is searched for: a question, or what was said. Of a text that is
	// longer than 4 KiB the end counts. A blank one means a list of what passes the
	// Filter, in the Order, whatever the Mode.
	Text string
	// Filter says which records may be found.
	Filter RecordFilter
	// Mode is how a Text is searched for. ModeList, the zero value, means ModeHybrid
	// with an Embedder, and ModeKeyword without one or where it fails, which is what
	// ModeSemantic and ModeHybrid mean then, too.
	Mode SearchMode
	// Order is that of a list; with a Text, the best comes first.
	Order Order
	// Alpha is how much the vectors count in a ModeHybrid, from 0 to 1. nil means
	// DefaultAlpha.
	Alpha *float64
	// MaxDistance, if not nil, is how far a vector may be, as 1 − Similarity, in
	// a ModeSemantic: what is farther is not found. It excludes nothing where that became
	// a ModeKeyword, in which nothing has a distance.
	MaxDistance *float64
	// Recency, if not nil, lets fresh records rank higher; see DefaultRecency.
	Recency *Recency
	// Limit is how many records are returned, up to MaxPage; 0 means DefaultLimit.
	// Offset is how many are passed over. That the records of a page were used moves none
	// to a page behind it.
	Limit, Offset int
	// NoTouch says that what is found was not used. A list uses nothing in any case.
	NoTouch bool
}

// Results are a page of what was found.
type Results struct {
	// Hits are in the order of their rank.
	Hits []Hit
	// Total is how many were found in all, Next the Offset of the next page, -1 if this
	// is the last one.
	Total, Next int
	// Mode is how was searched.
	Mode SearchMode
}

// Search finds records, the best first. That they were found is noted as their use,
// see Options.TouchEvery. Errors: ErrFilter, ErrScope, ErrUnavailable, ErrClosed.
func (m *Memory) Search(ctx context.Context, scope Scope, q Query) (*Results, error) {
	results, err := m.search(ctx, scope, q)
	if err != nil {
		return nil, fmt.Errorf("longterm: searching: %w", err)
	}
	if results.Mode != ModeList && !q.NoTouch {
		m.touch(ctx, results.Hits)
	}
	return results, nil
}

func (m *Memory) search(ctx context.Context, scope Scope, q Query) (*Results, error) {
	if err := m.check(scope); err != nil {
		return nil, err
	}
	if q.MaxDistance != nil && q.Mode != ModeSemantic {
		return nil, refused("a distance threshold is for semantic searches")
	}
	s := driver.Search{
		Scope: scope, Filter: q.Filter, Order: q.Order, Limit: q.Limit, Offset: q.Offset,
		Ranking: driver.Ranking{Alpha: DefaultAlpha, Recency: q.Recency, Now: m.now()},
	}
	if s.Limit == 0 {
		s.Limit = DefaultLimit
	}
	if q.Alpha != nil {
		s.Ranking.Alpha = *q.Alpha
	}
	// Before an embedder is paid for, and whatever becomes of the mode.
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := m.prepareSearch(ctx, &s, &q); err != nil {
		return nil, err
	}
	page, err := m.index.Search(ctx, s)
	if err != nil {
		return nil, err
	}
	results := &Results{Hits: page.Hits, Total: page.Total, Next: -1, Mode: s.Mode}
	if next := s.Offset + len(page.Hits); len(page.Hits) > 0 && next < page.Total {
		results.Next = next
	}
	return results, nil
}

// prepareSearch puts into a search what is searched for, and how.
func (m *Memory) prepareSearch(ctx context.Context, s *driver.Search, q *Query) error {
	if q.Mode < ModeList || q.Mode > ModeHybrid {
		return refused("no such mode")
	}
	if q.MaxDistance != nil && !(*q.MaxDistance >= 0) {
		return refused("a distance threshold is not negative")
	}
	question := ending(q.Text, maxQuestion)
	if strings.TrimSpace(question) == "" {
		return nil
	}
	s.Mode = q.Mode
	if s.Mode == ModeList {
		s.Mode = ModeHybrid
	}
	if s.Mode != ModeKeyword {
		if err := m.embedQuestion(ctx, s, question); err != nil {
			return err
		}
	}
	if s.Mode != ModeSemantic {
		s.Terms = driver.QueryTerms(question)
		s.Terms = slices.Clip(s.Terms[max(0, len(s.Terms)-maxTerms):])
	} else {
		s.Ranking.MaxDistance = q.MaxDistance
	}
	return nil
}

// ending is as much of the end of a text as a size allows, in whole runes.
func ending(text string, size int) string {
	if len(text) <= size {
		return text
	}
	begin := len(text) - size
	for begin < len(text) && !utf8.RuneStart(text[begin]) {
		begin++
	}
	return text[begin:]
}

// embedQuestion gives a search its vector, or makes it one by keywords where there is
// none to be had.
func (m *Memory) embedQuestion(ctx context.Context, s *driver.Search, question string) error {
	if m.writer.Embedder != nil {
		vectors, err := m.writer.Embedder.Vectors(ctx, []string{question})
		if err == nil {
			s.Vector, s.Model = vectors[0], m.writer.Embedder.Model
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		m.opts.Logger.WarnContext(ctx, "longterm: searching by keywords alone", "error", callee.Loggable(err))
	}
	s.Mode = ModeKeyword
	return nil
}
