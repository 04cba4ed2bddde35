package extractor

import (
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

// singularNoun joins words into a type: the last word in the singular, joined by "_".
func singularNoun(words []string) string {
	if len(words) == 0 {
		return ""
	}
	last := len(words) - 1
	single := english.Singular(words[last])
	if last == 0 {
		return single
	}
	return strings.Join(words[:last], "_") + "_" + single
}

// lastWord returns the head of a noun: request of pull_request.
func lastWord(noun string) string {
	return noun[strings.LastIndexByte(noun, '_')+1:]
}
