package driver

import (
	"github.com/go-workingmemory/workingmemory/internal/plaintext"
)

// Terms are what a text is found by in a keyword search: its words without their
// endings, its identifiers as they stand there, and of scripts without spaces the
// letters and their short runs. They are the same for all indexes.
func Terms(text string) []string {
	var terms []string
	for term := range plaintext.Terms(text) {
		terms = append(terms, string(term))
	}
	return terms
}

// QueryTerms are the terms that a question looks for, each once: not the words that
// only make a question of it.
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
