// Package prose finds identifiers in running text: sentences, lists, logs, the output
// of commands and snapshots of screens.
//
// A list without a header is read by its columns. Any other text is read line by line,
// and each line word by word:
//
//	Read → rows                431    OPEN    Digest is late
//	     → lines → screen      - button "Add to cart" [ref=e155]
//	             → entry       [FILE] main.go
//	             → resource    pod/web-7d9f8b created
//	             → definition  CREATE TABLE loans (
//	             → verdict     --- FAIL: TestTotal
//	             → place       src/cart.go:31:5: undefined: total
//	             → words       1. Order #1001 - Red suitcase - shipped
//
// A word whose surroundings name it is sure: a record. Any other word that looks like
// an identifier, a path or a URI is a candidate, with the type and the label that its
// line suggests.
//
// The package is a pure function of the text and takes time linear in its length:
// what surrounds a word is searched within a window of fixed size.
package prose
