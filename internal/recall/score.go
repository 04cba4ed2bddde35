package recall

import "slices"

// Depth is the number of hits that count.
const Depth = 5

// Figures are means over questions.
type Figures struct {
	Questions int `json:"questions"`
	// Recall is the share of a question's answers that are among the first Depth hits.
	Recall float64 `json:"recall"`
	// MRR is 1 divided by the rank of the first answer, or 0 if no answer is among
	// the hits.
	MRR float64 `json:"mrr"`
}

// Score returns the recall and the reciprocal rank of a ranking of ids, given the
// answers.
func Score(ranking, answers []string) (recall, reciprocal float64) {
	ranking = ranking[:min(Depth, len(ranking))]
	found := 0
	for i, id := range ranking {
		if !slices.Contains(answers, id) || slices.Contains(ranking[:i], id) {
			continue
		}
		if found++; found == 1 {
			reciprocal = 1 / float64(i+1)
		}
	}
	return float64(found) / float64(len(answers)), reciprocal
}

// sums are figures summed over questions.
type sums Figures

func (s *sums) add(recall, reciprocal float64) {
	s.Questions++
	s.Recall += recall
	s.MRR += reciprocal
}

func (s *sums) figures() Figures {
	f := Figures(*s)
	if f.Questions > 0 {
		f.Recall /= float64(f.Questions)
		f.MRR /= float64(f.Questions)
	}
	return f
}
