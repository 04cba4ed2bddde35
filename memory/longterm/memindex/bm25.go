package memindex

import (
	"context"
	"math"
	"slices"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// weighedTerms are the terms of a search with their weights in its scope.
type weighedTerms struct {
	terms   []string
	weights []float64 // the inverse document frequencies
	average float64   // length of a text, in terms
}

// weighTerms computes weights over all records in the scope, whether they pass the filter
// or not.
func (w *search) weighTerms() *weighedTerms {
	t := &weighedTerms{}
	if w.Mode != driver.ModeKeyword && w.Mode != driver.ModeHybrid {
		return t
	}
	records, length := 0, 0
	for _, owner := range w.owners {
		records += len(owner.hashes)
		length += owner.length
	}
	t.average = float64(length) / float64(max(records, 1))
	// Sort, because a sum of floats depends on the order.
	for _, term := range slices.Compact(slices.Sorted(slices.Values(w.Terms))) {
		with := 0
		for _, owner := range w.owners {
			if list := owner.terms[term]; list != nil {
				with += list.live
			}
		}
		if with > 0 {
			t.terms = append(t.terms, term)
			t.weights = append(t.weights, math.Log(1+(float64(records-with)+0.5)/(float64(with)+0.5)))
		}
	}
	return t
}

// score adds the BM25 scores of an owner's entries to scores.
func (t *weighedTerms) score(ctx context.Context, owner *owner, scores *slotScores) error {
	for i, term := range t.terms {
		list := owner.terms[term]
		if list == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, p := range list.slots {
			e := owner.entries[p.slot]
			if e == nil {
				continue
			}
			if scores.of[p.slot] == 0 {
				scores.slots = append(scores.slots, p.slot)
			}
			count := float64(p.count)
			length := 1 - driver.BM25B + driver.BM25B*float64(e.length)/t.average
			scores.of[p.slot] += t.weights[i] * count * (driver.BM25K1 + 1) / (count + driver.BM25K1*length)
		}
	}
	return nil
}

// slotScores are scores by slot. Slots that are not listed have a score of 0.
type slotScores struct {
	of    []float64
	slots []uint32
}

func (x *Index) borrowScores(n int) *slotScores {
	scores, ok := x.scores.Get().(*slotScores)
	if !ok {
		scores = &slotScores{}
	}
	if len(scores.of) < n {
		scores.of = make([]float64, n)
	}
	return scores
}

func (x *Index) returnScores(scores *slotScores) {
	for _, slot := range scores.slots {
		scores.of[slot] = 0
	}
	scores.slots = scores.slots[:0]
	x.scores.Put(scores)
}
