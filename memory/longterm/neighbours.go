package longterm

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

const (
	// neighbourShare is the share of what the messages before and after score above the lowest of
	// the best hits that is added to the score of a message: the answer to a question is often
	// next to its words.
	neighbourShare = 0.3
	// neighbourHits is the number of hits, the best of a search, among which that is done.
	neighbourHits = 100
)

// page returns the page of a search. Messages among its best hits are ranked with their neighbours.
func (m *Memory) page(ctx context.Context, s *driver.Search) (driver.HitPage, error) {
	reserve := sessiondriver.ReserveParts(ctx, m.index)
	read := func(s driver.Search) (driver.HitPage, error) {
		page, err := m.index.Search(ctx, s)
		if err == nil {
			err = reserve(textBytes(page.Hits))
		}
		return page, err
	}
	message := driver.RecordFilter{Type: s.Filter.Type}
	if s.Mode == ModeList || s.Limit == 0 || s.Offset >= neighbourHits || !message.Matches(&Record{Type: session.RecordMessage}) {
		return read(*s)
	}
	head := *s
	head.Offset, head.Limit = 0, neighbourHits
	page, err := read(head)
	if err != nil {
		return page, err
	}
	if err := m.addNeighbours(ctx, page.Hits); err != nil {
		return page, err
	}
	end := s.Offset + s.Limit
	if end > neighbourHits && len(page.Hits) == neighbourHits {
		rest := *s
		rest.Offset, rest.Limit = neighbourHits, end-neighbourHits
		more, err := read(rest)
		if err != nil {
			return page, err
		}
		page.Hits = append(page.Hits, more.Hits...)
	}
	page.Hits = page.Hits[min(s.Offset, len(page.Hits)):min(end, len(page.Hits))]
	return page, nil
}

// addNeighbours adds to the score of each message a share of what its neighbours among the hits score
// above the last hit, and sorts the hits again.
func (m *Memory) addNeighbours(ctx context.Context, hits []Hit) error {
	if len(hits) == 0 {
		return nil
	}
	least := hits[len(hits)-1].Score
	var keys []driver.RecordKey
	scores := map[driver.RecordKey]float64{}
	for i := range hits {
		if r := &hits[i].Record; r.Type == session.RecordMessage {
			keys = append(keys, driver.KeyOf(r))
			scores[driver.KeyOf(r)] = hits[i].Score - least
		}
	}
	if len(keys) < 2 {
		return nil
	}
	around, err := m.index.Neighbours(ctx, keys)
	if err != nil {
		return err
	}
	for i := range hits {
		key := driver.KeyOf(&hits[i].Record)
		if _, ok := scores[key]; !ok {
			continue
		}
		for _, id := range []string{around[0].Previous, around[0].Next} {
			key.ID = id
			hits[i].Score += neighbourShare * scores[key]
		}
		around = around[1:]
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return nil
}

// textBytes returns twice the length of the texts of hits.
func textBytes(hits []driver.Hit) (sum int64) {
	for i := range hits {
		sum += int64(2 * len(hits[i].Record.Text))
	}
	return sum
}
