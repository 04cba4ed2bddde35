package sqlitestore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// A posting TERM:OWNER:COUNT represents a term of a record. It includes the row id of the owner, so
// that a search for one owner does not read those of others, and the number of occurrences, so
// that there is one row per record. FTS5 finds the prefix "TERM:OWNER:", or "TERM:" for all
// owners. The ranking of FTS5 is not used, since it depends on the records of all owners: see
// searched.saturation.

// postingsOf returns the text that FTS5 indexes for the terms of a record.
func postingsOf(owner int64, terms []string) string {
	counts := make(map[string]int, len(terms))
	for _, term := range terms {
		counts[term]++
	}
	var b strings.Builder
	for _, term := range terms {
		if n := counts[term]; n > 0 {
			fmt.Fprintf(&b, "%s:%d:%d ", tokenOf(term), owner, n)
			counts[term] = 0 // one posting per term
		}
	}
	return b.String()
}

// postingRange returns the range of the postings of a term. Owner 0 means all owners.
func postingRange(term string, owner int64) (first, end string) {
	token := tokenOf(term)
	if owner != 0 {
		token += ":" + strconv.FormatInt(owner, 10)
	}
	return token + ":", token + ";" // which follows the colon
}

// countOf returns the number of occurrences in a posting.
func countOf(posting string) (int, error) {
	n, err := strconv.Atoi(posting[strings.LastIndexByte(posting, ':')+1:])
	if err != nil || n < 1 {
		return 0, errNotNumber
	}
	return n, nil
}

// maxToken is the maximum length of a token in bytes. FTS5 truncates much longer ones.
const maxToken = 256

// tokenOf returns the FTS5 token of a term. Bytes other than lower-case letters, digits and non-ASCII
// ones are escaped as _ and two hexadecimal digits. The token of a long term is a hash.
func tokenOf(term string) string {
	var b strings.Builder
	for _, c := range []byte(term) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "_%02x", c)
		}
		if b.Len() > maxToken {
			sum := sha256.Sum256([]byte(term))
			return "__" + hex.EncodeToString(sum[:])
		}
	}
	return b.String()
}
