package driver

import (
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

// The parameters of BM25 in all indexes: how much a repeated term adds, and how much a long record
// loses. The score of a record is the sum, over the terms of the search in ascending order, of
//
//	ln(1 + (N − n + 0.5)/(n + 0.5)) · f·(K1 + 1) / (f + K1·(1 − B + B·length/mean))
//
// where f is how often the record has the term, n is how many of the N records in the scope have
// it, whether they pass the filter or not, and lengths count terms with their repetitions.
const (
	BM25K1 = 0.9
	BM25B  = 0.4
)

// RecordTerms returns the terms by which keyword searches find a record: those of its text, of its
// topics and entities, and of its EventDate, or else its CreatedAt, such as "7 May 2023". The
// terms of a text are its words without endings, its identifiers verbatim, and the letters and
// short runs of scripts without spaces. All indexes share them.
func RecordTerms(r *Record) []string {
	var terms []string
	add := func(text string) {
		for term := range plaintext.Terms(text) {
			terms = append(terms, string(term))
		}
	}
	add(r.Text)
	for _, tags := range [][]string{r.Topics, r.Entities} {
		for _, tag := range tags {
			add(tag)
		}
	}
	date := r.EventDate
	if date.IsZero() {
		date = r.CreatedAt
	}
	if !date.IsZero() {
		add(plaintext.Date(date, r.Text))
	}
	return terms
}

// QueryTerms returns the terms of a question, each once, without words such as "which" that
// only form the question. A word has several terms if the language of the question is not certain.
func QueryTerms(question string) []string {
	var terms []string
	seen := map[string]bool{}
	for term := range plaintext.Query(question) {
		if !seen[string(term)] {
			text := string(term)
			seen[text] = true
			terms = append(terms, text)
		}
	}
	return terms
}

// QueryWords returns the terms of a question by word: any of them finds it.
func QueryWords(question string) [][]string { return plaintext.QueryWords(question) }
