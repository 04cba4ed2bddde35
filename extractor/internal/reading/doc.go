// Package reading turns the events of a document into closed objects and pieces of text,
// and keeps the findings of packages record and prose. It also opens the envelopes around results,
// and recognizes results that report an error.
package reading
