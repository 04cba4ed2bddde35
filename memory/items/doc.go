// Package items holds texts that an agent remembers, bounded in number and tokens.
//
//	Memorize ──► Store ──► Remember, Summarize, Notable
//	               └──► evictions with their reasons, AuditRecord
//
// Where a Store needs room, expired items leave first, then unimportant ones, then
// old ones; protected ones leave last or not at all. A Scorer finds the relevant
// items where words are not enough, and a TextSummarizer shortens texts:
// ExtractiveSummarizer does so without a model.
//
// A Store is safe for concurrent use and does no I/O of its own. Items may come from
// strangers: ids, tags and keys are bounded and valid UTF-8 or refused, texts are
// made valid. Errors and audit records contain nothing of them but ids.
package items
