// Package reading turns the events of a document into closed objects and pieces of text,
// and keeps what package record and package prose find in them.
package reading
