package sqlitestore

import (
	"database/sql"
	"math"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/vectorcode"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

const (
	// leastRead is the least number of the best records by estimate that are read, after the samples.
	leastRead = 128
	// nearSample and farSample are how many of the nearest records, and of all others, are
	// compared to estimate the similarities of the rest.
	nearSample = 256
	farSample  = 128
	// keywordSample is the number of the best keyword matches that are read if they may not pass
	// the filter.
	keywordSample = 256
)

// estimate is a search that ranks records by estimates before it reads the best of them.
//
// The scores of records are known but for the similarities, which are estimated from the codes of
// the vectors, and for the filter. The search reads the records with the highest scores until no
// other is likely to belong to the page. All slices are by slot of the overview.
type estimate struct {
	*recordReader
	*overview
	s *driver.Search
	// filter has the conditions that are not checked yet.
	filter *where
	// live are the slots that may be hits.
	live []int32
	// keywords are BM25 scores, and best is the highest of a hit; both are zero without terms.
	keywords []float64
	best     float64
	// similarities are exact if isExact is set, or if the record was read.
	similarities []float64
	isExact      bool
	differences  []int32
	scores       []float64
	read         []bool
	// found are the hits that were read, and foundAt their slots.
	found   []candidate
	foundAt []int32
	// tried is the number of records read.
	tried int
}

// ranked returns a page of the hits of a search, by rank, and their total.
func (r *recordReader) ranked(s *driver.Search, view *overview) (page []candidate, total int, err error) {
	e := &estimate{recordReader: r, overview: view, s: s, filter: &where{}, read: make([]bool, len(view.slots))}
	if err := e.match(); err != nil {
		return nil, 0, err
	}
	// Conditions on tags look up all records with them, so they are checked once.
	if len(e.filter.parts) > 0 && (!s.NoTotal || s.Filter.Topics != nil || s.Filter.Entities != nil) {
		if err := e.applyFilter(); err != nil {
			return nil, 0, err
		}
	}
	if isSemantic(s) {
		if err := e.compare(); err != nil {
			return nil, 0, err
		}
	}
	total = len(e.live)
	if s.Limit == 0 || s.Offset >= total {
		return nil, total, nil
	}
	if err := e.readBest(); err != nil {
		return nil, 0, err
	}
	page, _, err = r.rank(s, e.found)
	return page, total, err
}

// match finds the slots that may be hits: those of the types that pass with a vector or a term.
func (e *estimate) match() (err error) {
	f := e.s.Filter
	var passes [256]bool
	for kind, t := range kinds() {
		types := driver.RecordFilter{Type: f.Type}
		passes[kind] = kind == 0 || types.Matches(&driver.Record{Type: t})
	}
	if !e.others {
		f.Type = nil // checked here
	}
	e.filter = matching(e.owner, &f)
	if e.s.Mode != driver.ModeSemantic {
		if e.keywords, err = e.keyword(e.s, e.overview); err != nil {
			return err
		}
	}
	e.live = make([]int32, 0, len(e.slots))
	for i := range e.slots {
		if passes[e.slots[i].kind] && (e.slots[i].coded || e.keywords != nil && e.keywords[i] > 0) {
			e.live = append(e.live, int32(i))
		}
	}
	return nil
}

// applyFilter checks all live slots.
func (e *estimate) applyFilter() (err error) {
	if len(e.live) < len(e.slots)/4 {
		// Asking for some takes less time than reading all that pass.
		e.live, err = e.check(e.live, false)
	} else {
		err = e.keepPassing()
	}
	e.filter = &where{}
	return err
}

func selectPassing(in searched, filter *where) string {
	return `SELECT group_concat(r.id) FROM records r WHERE ` + in.where().and(filter).String()
}

// keepPassing reads all records in scope that pass the filter, and drops other live slots.
func (e *estimate) keepPassing() error {
	passes := make([]bool, len(e.slots))
	var ids sql.RawBytes
	err := e.each(func(scan func(...any) error) error {
		if err := scan(&ids); err != nil {
			return err
		}
		at, last := 0, int64(0)
		for id := range listedIDs(ids) {
			if id < last {
				at = 0 // the next owner
			}
			last = id
			var ok bool
			if at, ok = e.find(at, id); ok {
				passes[at] = true
			}
		}
		return nil
	}, selectPassing(e.searched, e.filter), e.where().and(e.filter).args...)
	e.live = slices.DeleteFunc(e.live, func(i int32) bool { return !passes[i] })
	return err
}

// compare computes or estimates the similarities of all live slots.
func (e *estimate) compare() error {
	e.similarities = make([]float64, len(e.slots))
	distance := e.s.Ranking.MaxDistance
	if len(e.codedAt) <= driver.ExactVectors || distance != nil && !e.s.NoTotal {
		e.isExact = true
		err := e.eachVector(e.overview, e.s, func(i int, vector []byte) { e.similarities[i] = dot(e.s.Vector, vector) })
		if distance != nil {
			e.live = slices.DeleteFunc(e.live, func(i int32) bool { return 1-e.similarities[i] > *distance })
		}
		return err
	}
	e.differences = make([]int32, len(e.slots))
	code := vectorcode.Of(e.s.Vector)
	at := 0
	for _, codes := range e.codes {
		for begin := 0; begin < len(codes); begin += e.words {
			e.differences[e.codedAt[at]] = int32(vectorcode.Difference(code, codes[begin:begin+e.words]))
			at++
		}
	}
	if e.curve == nil {
		if err := e.measureSample(); err != nil {
			return err
		}
	}
	for _, i := range e.live {
		if e.slots[i].coded && !e.read[i] {
			e.similarities[i] = e.curve.similarity[e.differences[i]]
		}
	}
	if distance != nil {
		const deviations = 4 // beyond which no record is expected
		least := 1 - *distance - deviations*e.curve.deviation
		e.live = slices.DeleteFunc(e.live, func(i int32) bool { return e.similarities[i] < least })
	}
	return nil
}

// measureSample reads a sample of vectors and makes the curve of the overview from it.
func (e *estimate) measureSample() error {
	sample := e.next(e.live, nearSample, func(i int32) (float64, bool) { return -float64(e.differences[i]), e.slots[i].coded })
	far, n := 0.0, 0
	for at := 0; at < len(e.live); at += 1 + len(e.live)/farSample {
		if i := e.live[at]; e.slots[i].coded {
			sample = append(sample, i)
			far += float64(e.differences[i])
			n++
		}
	}
	slices.Sort(sample)
	sample = slices.Compact(sample)
	if err := e.readAll(sample); err != nil {
		return err
	}
	e.curve = newCurve(e.measured(sample), far/float64(max(1, n)), 64*e.words)
	return nil
}

// measured returns the differences and similarities of slots that were read.
func (e *estimate) measured(slots []int32) []measured {
	var pairs []measured
	for _, i := range slots {
		if e.slots[i].coded {
			pairs = append(pairs, measured{int(e.differences[i]), e.similarities[i]})
		}
	}
	return pairs
}

// next returns the slots with the highest values that were not read: n of them, or more if their
// values are equal. Slots without a value are left out.
func (e *estimate) next(slots []int32, n int, value func(slot int32) (x float64, ok bool)) []int32 {
	best := highest{n: n}
	for _, i := range slots {
		if x, ok := value(i); ok && !e.read[i] {
			best.add(x)
		}
	}
	if len(best.heap) == 0 {
		return nil
	}
	unread := make([]int32, 0, n)
	for _, i := range slots {
		if x, ok := value(i); ok && !e.read[i] && x >= best.heap[0] {
			unread = append(unread, i)
		}
	}
	return unread
}

// highest keeps the n highest of some values. The least of them is the root of the heap.
type highest struct {
	n    int
	heap []float64
}

func (h *highest) add(x float64) {
	at := 0
	switch {
	case len(h.heap) < h.n:
		h.heap = append(h.heap, x)
		for at = len(h.heap) - 1; at > 0 && h.heap[(at-1)/2] > x; at = (at - 1) / 2 {
			h.heap[at] = h.heap[(at-1)/2]
		}
	case x <= h.heap[0]:
		return
	default:
		for child := 1; child < len(h.heap); child = 2*at + 1 {
			if child+1 < len(h.heap) && h.heap[child+1] < h.heap[child] {
				child++
			}
			if h.heap[child] >= x {
				break
			}
			h.heap[at] = h.heap[child]
			at = child
		}
	}
	h.heap[at] = x
}

// readBest reads the hits that may belong to the page.
func (e *estimate) readBest() error {
	if err := e.readKeywords(); err != nil {
		return err
	}
	e.score()
	for n := max(leastRead, 2*(e.s.Offset+e.s.Limit)); ; n *= 2 {
		batch := e.next(e.live, n, func(i int32) (float64, bool) { return e.scores[i], true })
		if err := e.readAll(batch); err != nil {
			return err
		}
		if e.differences != nil {
			if pairs := e.measured(batch); len(pairs) >= pointSize {
				e.curve.measure(pairs)
			}
		}
		if len(batch) == 0 || e.isComplete() {
			return nil
		}
		// Reading records that do not pass takes longer than checking all at once.
		if len(e.filter.parts) > 0 && len(e.found) < max(e.tried/8, e.s.Offset+e.s.Limit) {
			if err := e.applyFilter(); err != nil {
				return err
			}
		}
	}
}

// readKeywords reads the best keyword matches, whose BM25 scores are the measure of all others.
func (e *estimate) readKeywords() error {
	if e.keywords == nil {
		return nil
	}
	n := 1
	if len(e.filter.parts) > 0 {
		n = keywordSample
	}
	for {
		batch := e.next(e.live, n, func(i int32) (float64, bool) { return e.keywords[i], e.keywords[i] > 0 })
		if err := e.readAll(batch); err != nil {
			return err
		}
		for i := range e.found {
			e.best = max(e.best, e.found[i].BM25)
		}
		least := 0.0 // of the batch, which no other record exceeds
		for _, i := range batch {
			if least == 0 || e.keywords[i] < least {
				least = e.keywords[i]
			}
		}
		if len(e.filter.parts) == 0 || e.best >= least {
			return nil
		}
		if err := e.applyFilter(); err != nil {
			return err
		}
	}
}

// score computes the scores of all live slots.
func (e *estimate) score() {
	if e.scores == nil {
		e.scores = make([]float64, len(e.slots))
	}
	for _, i := range e.live {
		e.scores[i] = e.scoreOf(i)
	}
}

// scoreOf returns the score of a slot.
func (e *estimate) scoreOf(i int32) float64 {
	similarity, keyword := 0.0, 0.0
	if e.similarities != nil {
		similarity = e.similarities[i]
	}
	if e.best > 0 {
		keyword = e.keywords[i] / e.best
	}
	slot := &e.slots[i]
	return e.s.Ranking.Score(e.s.Mode, similarity, keyword, timeOfSlot(slot.created), timeOfSlot(slot.accessed))
}

// missable is the number of hits of a page that may be expected among the records that were not read:
// 0.5 % of ten.
const missable = 0.05

// isComplete reports whether no more records must be read.
func (e *estimate) isComplete() bool {
	size := e.s.Offset + e.s.Limit
	least := math.Inf(-1)
	if len(e.found) >= size {
		best := highest{n: size}
		for _, i := range e.foundAt {
			best.add(e.scoreOf(i))
		}
		least = best.heap[0]
	}
	similarity := math.Inf(-1)
	if e.s.Ranking.MaxDistance != nil {
		similarity = 1 - *e.s.Ranking.MaxDistance
	}
	weight := 1.0
	if e.s.Mode == driver.ModeHybrid {
		weight = e.s.Ranking.Alpha
	}
	if e.s.Ranking.Recency != nil {
		weight *= e.s.Ranking.Recency.Match
	}
	missing := 0.0
	for _, i := range e.live {
		switch {
		case e.read[i]:
		case e.isExact || e.similarities == nil || !e.slots[i].coded || weight == 0: // the score is exact
			if e.scores[i] >= least {
				return false
			}
		default:
			missing += above(max((least-e.scores[i])/(weight*e.curve.deviation), (similarity-e.similarities[i])/e.curve.deviation))
		}
	}
	if len(e.filter.parts) > 0 {
		missing *= float64(len(e.found)) / float64(max(1, e.tried))
	}
	return missing <= missable*min(1, float64(size)/10)
}

// readAll reads slots: it checks the filter, and compares the vectors.
func (e *estimate) readAll(slots []int32) (err error) {
	if len(slots) == 0 {
		return nil
	}
	passed := slots
	compares := e.similarities != nil && !e.isExact
	if compares || len(e.filter.parts) > 0 {
		if passed, err = e.check(slots, compares); err != nil {
			return err
		}
	}
	for _, i := range slots {
		e.read[i] = true
	}
	for _, i := range passed {
		s := &e.slots[i]
		c := candidate{ID: s.id, CreatedAt: timeOfSlot(s.created), LastAccessed: timeOfSlot(s.accessed)}
		if e.keywords != nil {
			c.BM25 = e.keywords[i]
		}
		if e.similarities != nil && e.slots[i].coded {
			c.Compared, c.Similarity = true, e.similarities[i]
		}
		e.found = append(e.found, c)
	}
	e.foundAt = append(e.foundAt, passed...)
	e.tried += len(slots)
	return nil
}

// selectCandidates returns the query for whether listed records match a filter, and for their
// vectors if they are compared.
func selectCandidates(filter *where, compares bool) string {
	columns, from := "j.key, 1", " FROM json_each(?) j"
	if len(filter.parts) > 0 {
		columns = "j.key, coalesce(" + filter.String() + ", 0)"
		from += " CROSS JOIN records r ON r.id = j.value"
	}
	if !compares {
		return "SELECT " + columns + ", NULL" + from
	}
	return "SELECT " + columns + ", v.vector" + from + " LEFT JOIN vectors v ON v.record = j.value AND v.model = ? AND length(v.vector) = ?"
}

// check compares the vectors of slots and returns those that match the filter.
func (e *estimate) check(slots []int32, compares bool) (passed []int32, err error) {
	var ids idList
	for _, i := range slots {
		ids.add(e.slots[i].id)
	}
	args := append(slices.Clone(e.filter.args), ids.String())
	if compares {
		args = append(args, e.s.Model, 4*len(e.s.Vector))
	}
	var at int
	var passes bool
	var vector sql.RawBytes
	into := []any{number(&at), &passes, &vector}
	err = e.each(func(scan func(...any) error) error {
		if err := scan(into...); err != nil {
			return err
		}
		if vector != nil {
			e.similarities[slots[at]] = dot(e.s.Vector, vector)
		}
		if passes {
			passed = append(passed, slots[at])
		}
		return nil
	}, selectCandidates(e.filter, compares), args...)
	return passed, err
}
