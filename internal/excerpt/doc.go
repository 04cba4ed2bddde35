// Package excerpt reads parts of a large text that is stored elsewhere: by lines, by JSON
// path, or by words.
//
//	io.ReaderAt ── source ──┬─ lines ───────────────────── page   Offset, Limit
//	  (in order, once)      ├─ scanner ── pathReader ───── page   Path
//	                        │                └─ records ── page   Query in JSON
//	                        └─ lines ── matches ────────── page   Query in text
//
// Whatever the size and the shape of a text, it is read once, from its beginning, and
// memory is bounded by the size of the excerpt. That is why the package has a scanner of
// its own: package jsontext holds a string, a number or white space in memory as a whole,
// and strings of stored results are often files of megabytes.
//
// Texts are hostile. Each line of an excerpt that holds content begins with the number of
// the line or the path of the value, so content cannot pass for the closing note, which is
// in square brackets. Errors never quote a text.
package excerpt
