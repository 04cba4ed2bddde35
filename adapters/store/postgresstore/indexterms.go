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
	// maxLexeme is the length in bytes up to which a tsvector contains a term itself.
	maxLexeme = 250
	// maxTermsBytes limits the size of a tsvector. The limit of PostgreSQL is 1 MiB.
	maxTermsBytes = 1_000_000
	// maxPositions is the number of positions that PostgreSQL keeps of a term.
	maxPositions = 255
)

// lexeme returns the lexeme of a term in a tsvector. For a term that cannot be a lexeme because
// it is empty, long or not valid text, it is a hash after the byte 1.
func lexeme(term string) string {
	if term != "" && len(term) <= maxLexeme && term[0] != 1 && !strings.ContainsRune(term, 0) && utf8.ValidString(term) {
		return term
	}
	sum := sha256.Sum256([]byte(term))
	return "\x01" + hex.EncodeToString(sum[:])
}

var quoter = strings.NewReplacer(`'`, `''`, `\`, `\\`)

// quotedLexeme returns the lexeme of a term in the syntax of tsvector and tsquery.
func quotedLexeme(term string) string { return `'` + quoter.Replace(lexeme(term)) + `'` }

// vectorOfTerms returns the text of a tsvector in which each term has one position per
// occurrence. The last terms of a very long text are omitted.
func vectorOfTerms(terms []string) string {
	counts := make(map[string]int, len(terms))
	var order []string
	size := 0
	for _, term := range terms {
		if counts[term]++; counts[term] > 1 {
			size += 2
			continue
		}
		// The number of positions and the first position take four bytes, their alignment
		// up to one, and the entry itself at least four.
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

// queriesOfTerms returns tsqueries that each match any of up to 500 terms. A single query for
// very many terms would be nested too deeply.
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

// tagsOf returns the numbers of topics ('t') or entities ('e') in records.tags. They are hashes:
// matches must be compared with the texts.
func tagsOf(kind byte, texts []string) []int64 {
	tags := make([]int64, len(texts))
	for i, text := range texts {
		sum := sha256.Sum256(append([]byte{kind}, text...))
		tags[i] = int64(binary.BigEndian.Uint64(sum[:8]))
	}
	return tags
}
