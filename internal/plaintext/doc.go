// Package plaintext processes texts: it finds words and identifiers, and estimates tokens.
//
//	"Return order #W123 <b>"
//	    Words            words.go         return, order, w123
//	    Terms, Query     terms.go         return, order, #W123, w123
//	    Sentences        sentences.go     Return order #W123 <b>
//	    Identifiers      identifiers.go   #W123
//	    EstimateTokens   estimate.go      9
//
// It is independent of entity types and formats, and of languages except for the
// stop words of Query (stopwords.go, unspaced.go) and the endings that Terms
// removes (stem.go).
package plaintext
