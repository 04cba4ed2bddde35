// Package document reads tool results of any format as one stream of events.
//
//	any value ── Read ──┬─ Go value ──────────── Value ─────────┐
//	                    └─ text ── Sniff ─┬─ JSON, NDJSON       │
//	                                      ├─ YAML, KeyValue     ├──▶ Visitor
//	                                      ├─ CSV, tables        │   (takes, skips, stops)
//	                                      ├─ Python, XML        │
//	                                      └─ text ──────────────┘
//
// A text is read in a format only if it is a document of it as a whole; [Parts] yields the
// documents within a text.
//
// The visitor decides about each value. Skipped values are not decoded, reading
// ends where the visitor stops, and nothing is kept: a visitor that wants five
// records of a 50 MB result pays for five records.
//
// # Rules of every decoder
//
//   - Every Object and every Array gets its End, on damaged input too.
//   - An error is reported after everything readable was delivered.
//   - At most [Limits.Depth] containers are open at once.
//   - Errors do not quote the document.
//
// The package keeps no state between calls, so a visitor may call [ReadText]
// within an event, with a string it has just received.
package document
