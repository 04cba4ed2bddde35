package sqlitestore

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// A posting stands for a term of a record: TERM:OWNER:COUNT. The owner's number is in
// it so that a search of one owner reads nothing of others, and how often the record
// has the term, so that there is one row for each record. FTS5 finds what begins with
// "TERM:OWNER:", or with "TERM:" for all owners. It ranks by numbers of the whole
// table, to which the texts of other owners would belong: see bm25.

// postingsOf returns what FTS5 indexes for the terms of a record.
func postingsOf(owner int64, terms []string) string {
	counts := make(map[string]int, len(terms))
	for _, term := range terms {
		counts[term]++
	}
	var b strings.Builder
	for _, term := range terms {
		if n := counts[term]; n > 0 {
			fmt.Fprintf(&b, "%s:%d:%d ", tokenOf(term), owner, n)
			counts[term] = 0 // once is enough
		}
	}
	return b.String()
}

// postingRange returns the first posting of a term, and what comes behind the last.
// Owner 0 stands for all.
func postingRange(term string, owner int64) (first, behind string) {
	token := tokenOf(term)
	if owner != 0 {
		token += ":" + strconv.FormatInt(owner, 10)
	}
	return token + ":", token + ";" // which comes next to a colon
}

// countOf returns how often a record has the term of a posting.
func countOf(posting string) (int, error) {
	n, err := strconv.Atoi(posting[strings.LastIndexByte(posting, ':')+1:])
	if err != nil || n < 1 {
		return 0, errNotNumber
	}
	return n, nil
}

// maxToken is how long what stands for a term may be, in bytes. FTS5 cuts what is
// much longer.
const maxToken = 256

// tokenOf returns what stands for a term: other bytes than lower-case letters, digits
// and those beyond ASCII as _ and two hexadecimal digits, so that FTS5 takes it for one
// token whatever is in it. Of a long one it is a hash.
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
