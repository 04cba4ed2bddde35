// Package plaintext is what the other packages know of texts: how to make one that a
// stranger wrote harmless, what its words and identifiers are, how many tokens
// it takes.
//
//	"Return order #W123 <b>"
//	    AppendEscaped    escape.go        Return order #W123 \u003cb>
//	    Words            words.go         return, order, w123
//	    Terms, Query     terms.go         return, order, #W123, w123
//	    Sentences        sentences.go     Return order #W123 <b>
//	    Identifiers      identifiers.go   #W123
//	    EstimateTokens   estimate.go      9
//
// Nothing of it knows a type of entity or a format, nor a language, but for the
// words that Query passes over (stopwords.go, unspaced.go) and the endings that
// Terms takes off (stem.go).
package plaintext
