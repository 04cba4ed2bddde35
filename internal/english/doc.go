// Package english turns English nouns from singular to plural and back. It is
// made for the nouns of APIs: lower case, with words joined by "_", the last of
// which is inflected.
//
//	Plural("pull_request")  = "pull_requests"     rules.go   by ending
//	Singular("categories")  = "category"          words.go   the exceptions
//	Singular("status")      = "status"
//
// For a singular noun Singular(Plural(w)) == w, with three exceptions where
// English has one plural for two nouns and APIs use the other one: "bases" is
// the plural of base (not basis), "data" of data (not datum), "axes" of axis
// (not axe).
//
// Words of other scripts, words that end in a digit (s3, ec2) and anything
// that is not a word are returned unchanged.
package english
