// Package items keeps texts that an agent remembers, bounded in number and tokens.
//
//	Memorize ──► Store ──► Remember, Summarize, Notable
//	               └──► evictions with their reasons, AuditRecord
//
// When a Store needs room, it evicts expired items first, then unimportant ones, then
// old ones; protected items are evicted last or not at all. A Scorer finds relevant
// items if matching words is not enough, and a TextSummarizer shortens texts;
// ExtractiveSummarizer does so without a model.
//
// A Store is safe for concurrent use and does no I/O of its own. Items may come from
// untrusted sources: ids, tags and keys that are too long or not valid UTF-8 are
// rejected, and texts are made valid. Errors and audit records contain nothing of an
// item but its ids.
package items
