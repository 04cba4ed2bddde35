package postgresstore

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// maxLexeme is how long a term may be to stand in a tsvector as it is, in bytes.
	maxLexeme = 250
	// maxTermsBytes is how large a tsvector becomes at most: PostgreSQL has 1 MiB.
	maxTermsBytes = 1_000_000
	// maxPositions is how many positions PostgreSQL keeps of a term.
	maxPositions = 255
)

// lexeme is a term as it stands in a tsvector. One that cannot, because it is empty,
// long, or has NUL, is its hash behind a character that no other begins with.
func lexeme(term string) string {
	if term != "" && len(term) <= maxLexeme && term[0] != 1 && !strings.ContainsRune(term, 0) && utf8.ValidString(term) {
		return term
	}
	sum := sha256.Sum256([]byte(term))
	return "\x01" + hex.EncodeToString(sum[:])
}

var quoter = strings.NewReplacer(`'`, `''`, `\`, `\\`)

// quotedLexeme is a term as tsvector and tsquery read it.
func quotedLexeme(term string) string { return `'` + quoter.Replace(lexeme(term)) + `'` }

// vectorOfTerms is the text of a tsvector in which each term has as many positions as it
// comes times. What does not fit in, of a very long text, is left out at its end.
func vectorOfTerms(terms []string) string {
	counts := make(map[string]int, len(terms))
	var order []string
	size := 0
	for _, term := range terms {
		if counts[term]++; counts[term] > 1 {
			size += 2
			continue
		}
		// Four bytes are for the number of positions and the first one, and up to one
		// keeps them at an even place; four and more are for the entry itself.
		if size += len(lexeme(term)) + 10; size > maxTermsBytes {
			delete(counts, term)
			break
		}
		order = append(order, term)
	}
	var text strings.Builder
	for _, term := range order {
		text.WriteString(quotedLexeme(term))
		for n := range min(counts[term], maxPositions) {
			text.WriteByte(":,"[min(n, 1)])
			text.WriteString(strconv.Itoa(n + 1))
		}
		text.WriteByte(' ')
	}
	return text.String()
}

// queriesOfTerms gives the texts of tsqueries, each for any of a number of terms: one of
// very many would be nested too deeply.
func queriesOfTerms(terms []string) (queries []string) {
	for some := range slices.Chunk(terms, 500) {
		each := make([]string, len(some))
		for i, term := range some {
			each[i] = quotedLexeme(term)
		}
		queries = append(queries, strings.Join(each, "|"))
	}
	return queries
}

// tagsOf are the numbers of topics ('t') or entities ('e') in records.tags. Two texts may
// have one: what is found by it is compared with the texts.
func tagsOf(kind byte, texts []string) []int64 {
	tags := make([]int64, len(texts))
	for i, text := range texts {
		sum := sha256.Sum256(append([]byte{kind}, text...))
		tags[i] = int64(binary.BigEndian.Uint64(sum[:8]))
	}
	return tags
}
