package excerpt

import "slices"

// match is a place of a text with words of a query.
type match struct {
	words int   // different words
	start int64 // of a record
	head  []byte
	text  []byte
	tail  []byte
}

// ranking holds the best matches of a text.
type ranking struct {
	keep int
	seen int
	best []*match
}

// ranking returns a ranking that holds what a page shows.
func (p *page) ranking() ranking {
	p.byDefault(DefaultMatches)
	return ranking{keep: min(MaxMatches, min(p.offset, MaxMatches)+min(p.limit, MaxMatches)-1)}
}

// wants reports whether a match that comes now would be among the best.
func (r *ranking) wants(words int) bool {
	return words > 0 && r.keep > 0 && (len(r.best) < r.keep || words > r.best[len(r.best)-1].words)
}

// add adds a match, whose position in the text is after all others.
func (r *ranking) add(m *match) {
	i, _ := slices.BinarySearchFunc(r.best, m.words, func(b *match, words int) int {
		if b.words >= words {
			return -1
		}
		return 1
	})
	if len(r.best) == r.keep {
		r.best = r.best[:r.keep-1]
	}
	r.best = slices.Insert(r.best, i, m)
}

// replace removes the matches from a position on, which are part of a record: seen is the number
// of matches before them.
func (r *ranking) replace(from int64, seen int) {
	r.best = slices.DeleteFunc(r.best, func(m *match) bool { return m.start >= from })
	r.seen = seen
}

// write writes the matches to a page.
func (r *ranking) write(p *page) error {
	if r.seen == 0 {
		p.tell("no matches: try other words, or fewer letters of them")
		return nil
	}
	if p.offset > MaxMatches && r.seen >= p.offset {
		return &RequestError{Field: "offset", Reason: "is after the best " + count(MaxMatches, "matches") + ": use other words"}
	}
	for _, m := range r.best {
		if p.next() {
			start := len(p.out)
			p.out = append(append(append(p.out, m.head...), m.text...), m.tail...)
			p.end(start)
		}
	}
	p.seen = r.seen
	return p.finish("matches", "", min(r.seen, MaxMatches))
}
