// Package plaintext processes texts: it finds words and identifiers, and estimates tokens.
//
//	"Return order #W123 <b>"
//	    Words, NameWords words.go         return, order, w123, b
//	    Terms, Query     terms.go         return, order, #W123, w123
//	    Sentences        sentences.go     Return order #W123 <b>
//	    Identifiers      identifiers.go   #W123
//	    EstimateTokens   estimate.go      9
//
// It is independent of entity types and formats, and of languages except for the
// stop words (language.go, unspaced.go) and the endings that Terms removes.
package plaintext
