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
	// DefaultLimit is the number of records that a search returns.
	DefaultLimit = 10
	// DefaultAlpha is the weight of the vectors in a ModeHybrid, unless a TunedEmbedder knows a better
	// one.
	DefaultAlpha = 0.7
	// maxQuestion limits a question in bytes, maxTerms its terms. Both keep the end of
	// the question.
	maxQuestion = 4 << 10
	maxTerms    = 256
)

// Query describes what Memory.Search finds. The zero value lists all records of the scope,
// newest first.
type Query struct {
	// Text is the question, or what was said. Only the last 4 KiB of a longer text count.
	// If blank, the search lists the records that pass the Filter, in the given Order,
	// whatever the Mode.
	Text string
	// Filter selects the records that may be found.
	Filter RecordFilter
	// Mode is how a Text is matched. ModeList, the zero value, means ModeHybrid with an
	// Embedder. Without an Embedder, if it fails, or if it knows nothing of the Text, every mode
	// means ModeKeyword.
	Mode SearchMode
	// Order applies to lists. With a Text, the best match comes first.
	Order Order
	// Alpha is the weight of the vectors in a ModeHybrid, from 0 to 1. If nil, that of a
	// TunedEmbedder applies, otherwise DefaultAlpha.
	Alpha *float64
	// MaxDistance, if not nil, is the largest distance, 1 − Similarity, of a record found
	// by a ModeSemantic. It has no effect if the search falls back to ModeKeyword, which
	// compares no vectors.
	MaxDistance *float64
	// Recency, if not nil, ranks fresh records higher; see DefaultRecency.
	Recency *Recency
	// Limit is the number of records to return, up to MaxPage; 0 means DefaultLimit.
	// Offset is the number of records to skip. Noting the uses of one page does not move
	// records to a later page.
	Limit, Offset int
	// NoTouch prevents the results from being noted as used. Lists never note uses.
	NoTouch bool
	// noTotal leaves Results.Total and Next undetermined.
	noTotal bool
}

// Results is a page of the records that a search found.
type Results struct {
	// Hits are ordered by rank. With a Text, the Score of a message among the first 100 includes
	// 0.3 of what the messages before and after it in its session score above the last of these,
	// so it may exceed 1.
	Hits []Hit
	// Total is the number of records found in all. Next is the Offset of the next page,
	// or -1 if this is the last one.
	Total, Next int
	// Mode is the mode that was applied.
	Mode SearchMode
}

// Search finds records, the best first, and notes their use; see Options.TouchEvery.
// Errors: ErrFilter, ErrScope, ErrUnavailable, ErrClosed.
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
		return nil, refused("a distance threshold requires a semantic search")
	}
	s := driver.Search{
		Scope: scope, Filter: q.Filter, Order: q.Order, Limit: q.Limit, Offset: q.Offset, NoTotal: q.noTotal,
		Ranking: driver.Ranking{Alpha: m.Tuning().Alpha, Recency: q.Recency, Now: m.now()},
	}
	if s.Limit == 0 {
		s.Limit = DefaultLimit
	}
	if q.Alpha != nil {
		s.Ranking.Alpha = *q.Alpha
	}
	// Check before paying for an embedding, whatever the mode becomes.
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := m.prepareSearch(ctx, &s, &q); err != nil {
		return nil, err
	}
	page, err := m.page(ctx, &s)
	if err != nil {
		return nil, err
	}
	results := &Results{Hits: page.Hits, Total: page.Total, Next: -1, Mode: s.Mode}
	if next := s.Offset + len(page.Hits); len(page.Hits) > 0 && next < page.Total {
		results.Next = next
	}
	return results, nil
}

// prepareSearch fills in the mode of a search, its terms and its vector.
func (m *Memory) prepareSearch(ctx context.Context, s *driver.Search, q *Query) error {
	if q.Mode < ModeList || q.Mode > ModeHybrid {
		return refused("unknown mode")
	}
	if q.MaxDistance != nil && !(*q.MaxDistance >= 0) {
		return refused("a distance threshold is negative or not a number")
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

// ending returns the end of a text, at most size bytes, in whole runes.
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

// embedQuestion sets the vector of a search. Without an embedder, if it fails, or if it
// knows nothing of the question, the search becomes a ModeKeyword.
func (m *Memory) embedQuestion(ctx context.Context, s *driver.Search, question string) error {
	if m.writer.Embedder != nil {
		vectors, err := m.writer.Embedder.Vectors(ctx, []string{question})
		if err == nil && len(vectors[0]) > 0 {
			s.Vector, s.Model = vectors[0], m.writer.Embedder.Model
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			m.opts.Logger.WarnContext(ctx, "longterm: embedder failed, searching by keywords", "error", callee.Loggable(err))
		}
	}
	s.Mode = ModeKeyword
	return nil
}
