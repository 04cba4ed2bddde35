// Package recall measures search in long-term memory, offline, on a labelled set of memories and
// questions made for it and on datasets of conversations.
//
//	memories.jsonl, queries.jsonl ──> Load ──> Set ──────> Measure(an index) ──> Reports
//	a file ──> ReadDataset ──> Dataset ──────────────────> Measure, MeasureNotes ──> Reports, Notes
//
// Each question of the Set has a scope, usually one user, often a filter, and the memories that
// answer it. The other memories are there to be confused with these: nearly the same
// facts of other users, and the opposite facts of other times. A Dataset is compared with
// baselines.
//
// The vectors are those of package wordvectors.
package recall
