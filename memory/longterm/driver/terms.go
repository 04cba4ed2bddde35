package driver

import (
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

// Terms returns the terms by which keyword searches find a text: its words without endings, its
// identifiers verbatim, and the letters and short runs of scripts without spaces. All indexes
// share them.
func Terms(text string) []string {
	var terms []string
	for term := range plaintext.Terms(text) {
		terms = append(terms, string(term))
	}
	return terms
}

// QueryTerms returns the terms of a question, each once, without words such as "which" that
// only form the question.
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
