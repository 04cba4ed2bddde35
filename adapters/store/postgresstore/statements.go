package postgresstore

import "strings"

// statements are the SQL statements of a store, with the name of its schema.
type statements struct {
	schema string // quoted

	change, size, head, messages, remove, removeIf, sweep, due string

	lookup, lockRecords, removeRecords, removeOwners, insertRecord, touchRecords string

	selectCodes, selectVectors, selectRecords, neighbours string

	hasStale, lockStale, lockCounts, updateStale, updateCounts string

	token, tokens, insertToken, removeToken string

	putResult, results, chunks string

	document, documents, countDocuments, dueDocuments, insertDocument, updateDocument, removeDocument, requireDocument string
}

// live is the condition that a session has not expired. now() is the start of the transaction,
// which is correct for reads because they do not wait for locks.
const live = `(expires_at IS NULL OR expires_at > now())`

// positionColumns are the columns of scanPosition.
const positionColumns = `revision, first, next, tokens, context_window, updated_at, expires_at, due_at`

func newStatements(schema string) statements {
	in := func(text string) string { return inSchema(text, schema) }
	return statements{
		schema: schema,
		// A conflict with a missing session has no position.
		change: in(`SELECT o_outcome, coalesce(o_format, 0), o_added, coalesce(o_revision, 0), coalesce(o_first, 0),
			coalesce(o_next, 0), coalesce(o_tokens, 0), coalesce(o_window, 0), o_updated_at, o_expires_at, o_due_at
			FROM {schema}.change_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`),
		head: in(`SELECT format, head, ` + positionColumns + `
			FROM {schema}.sessions WHERE key_hash = $1 AND ` + live),
		// octet_length does not read values that are stored out of line.
		size: in(`SELECT octet_length(head) + (SELECT coalesce(sum(octet_length(body) + octet_length(id)), 0) FROM {schema}.messages m
			WHERE m.session_id = s.id AND m.seq >= greatest(s.first, s.next - $2::bigint) AND m.seq < s.next)
			FROM {schema}.sessions s WHERE key_hash = $1 AND ` + live),
		// The subselects run once each, which leaves a range of the primary key.
		messages: in(`SELECT seq, id, tokens, body FROM {schema}.messages
			WHERE session_id = (SELECT id FROM {schema}.sessions WHERE key_hash = $1)
			AND seq >= (SELECT greatest(first, next - $2::bigint) FROM {schema}.sessions WHERE key_hash = $1)
			ORDER BY seq`),
		remove: in(`DELETE FROM {schema}.sessions WHERE key_hash = $1`),
		// Not now(), since the statement may have waited for a lock.
		removeIf: in(`DELETE FROM {schema}.sessions WHERE key_hash = $1
			AND revision = $2 AND ($3::bigint = 0 OR next = $3::bigint)
			AND (expires_at IS NULL OR expires_at > clock_timestamp())`),
		sweep: in(`DELETE FROM {schema}.sessions WHERE id = ANY (ARRAY(
			SELECT id FROM {schema}.sessions WHERE expires_slot <= now() AND expires_at <= now()
			ORDER BY expires_slot LIMIT $1::bigint FOR UPDATE SKIP LOCKED))`),
		due: in(`SELECT key FROM {schema}.sessions WHERE due_at <= $1 AND ` + live + `
			ORDER BY due_at, id LIMIT $2::bigint`),

		lookup: in(lookup), lockRecords: in(lockRecords), removeRecords: in(removeRecords),
		removeOwners: in(removeOwners), insertRecord: in(insertRecord), touchRecords: in(touchRecords),

		selectCodes: in(selectCodes), selectVectors: in(selectVectors), selectRecords: in(selectRecords), neighbours: in(neighbours),

		hasStale: in(hasStale), lockStale: in(lockStale), lockCounts: in(lockCounts),
		updateStale: in(updateStale), updateCounts: in(updateCounts),

		token: in(selectTokens + ` WHERE id = $1`), tokens: in(selectTokens + ` ORDER BY created_at, id`),
		insertToken: in(insertToken), removeToken: in(`DELETE FROM {schema}.tokens WHERE id = $1`),

		putResult: in(putResult), results: in(selectResults), chunks: in(selectChunks),

		document: in(selectDocuments + `WHERE key = $1`), documents: in(listDocuments),
		countDocuments: in(countDocuments), dueDocuments: in(dueDocuments), insertDocument: in(insertDocument),
		updateDocument: in(updateDocument), removeDocument: in(removeDocument), requireDocument: in(requireDocument),
	}
}

// inType inserts the schema of the type "vector".
func inType(text, quoted string) string { return strings.ReplaceAll(text, "{type}", quoted) }

func inSchema(text, quoted string) string { return strings.ReplaceAll(text, "{schema}", quoted) }
