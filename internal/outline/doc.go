// Package outline describes a large text to a model that is not shown the text itself: its
// format, its structure, and its first and last lines.
//
//	text ── Of ──┬─ package document ── tree ── render    JSON, YAML, XML, CSV, tables, …
//	             └─ lines ──────────┬─ log, diff, ls      counts
//	                                └─ headings           Markdown, code, prose
//	     ── Excerpt ── head and tail
//
// A text is read once, in linear time, and counts are of the whole text. Memory is bounded
// by the outline, except for what package document needs for a format.
//
// Texts are hostile. Each key and heading is cut, escaped as in package inert and in one
// place of one line. Lines are numbered, and paths written, as package excerpt reads them.
package outline
