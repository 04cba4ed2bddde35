package evaluation

import (
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"strconv"
	"strings"
)

// Part is one of several parts of a set of traces: part Number, from 1, of Of. The
// zero value means all episodes. An episode's id determines its part, so that it stays
// in it when the set grows or is sorted.
type Part struct{ Number, Of int }

// ErrPart is returned for a text that is not a part.
var ErrPart = errors.New("not a part such as 1/3")

// ParsePart parses a part such as "1/3".
func ParsePart(text string) (Part, error) {
	number, of, _ := strings.Cut(text, "/")
	n, errNumber := strconv.Atoi(number)
	all, errOf := strconv.Atoi(of)
	if errNumber != nil || errOf != nil || n < 1 || n > all {
		return Part{}, fmt.Errorf("%q is %w", text, ErrPart)
	}
	return Part{n, all}, nil
}

func (p Part) contains(id ID) bool {
	if p.Of == 0 {
		return true
	}
	hash := fnv.New64a()
	hash.Write([]byte(id.Text))
	return hash.Sum64()%uint64(p.Of) == uint64(p.Number-1)
}

// Episodes returns the episodes of the part, and all errors.
func (p Part) Episodes(traces iter.Seq2[*Episode, error]) iter.Seq2[*Episode, error] {
	return func(yield func(*Episode, error) bool) {
		for ep, err := range traces {
			if (err != nil || p.contains(ep.ID)) && !yield(ep, err) {
				return
			}
		}
	}
}
