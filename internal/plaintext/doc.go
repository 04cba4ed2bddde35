// Package plaintext is what the other packages know of texts: how to make one that a
// stranger wrote harmless, what its words and identifiers are, how many tokens
// it takes.
//
//	"Return order #W123 <b>"
//	    AppendEscaped    escape.go        Return order #W123 \u003cb>
//	    Words            words.go         return, order, w123
//	    Identifiers      identifiers.go   #W123
//	    EstimateTokens   estimate.go      9
//
// Nothing of it knows a language, a type of entity or a format.
package plaintext
