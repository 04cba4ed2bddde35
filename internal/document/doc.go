// Package document reads tool results of any format as one stream of events.
//
//	any value ── Read ──┬─ Go value ──────────── Value ─────────┐
//	                    └─ text ── Sniff ─┬─ JSON, NDJSON       │
//	                                      ├─ YAML, KeyValue     ├──▶ Visitor
//	                                      ├─ CSV, tables        │   (takes, skips, stops)
//	                                      ├─ Python, XML        │
//	                                      └─ text ──────────────┘
//
// The visitor decides value by value what it wants. What it skips is not
// decoded, where it stops nothing more is read, and nothing is kept: a visitor
// that wants five records of a 50 MB result costs five records.
//
// # Rules that hold for every decoder
//
// Every Object and every Array gets its End, on damaged input too. Every error
// comes after all that could be read was delivered. No more than
// [Limits.Depth] containers are ever open at once. No text of the document
// stands in an error.
//
// Nothing in this package keeps state between calls, so visitors may call
// [ReadText] from within an event, with a string they were just handed.
package document
