package sqlitestore

// resultTables has the tables of the results of tools. The ids of results ascend in each session.
// Contents are apart, in chunks, so that a part is read without the rest.
const resultTables = `
CREATE TABLE results (
	id         INTEGER PRIMARY KEY,
	session    INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	name       TEXT    NOT NULL, -- driver.ResultInfo.ID
	size       INTEGER NOT NULL, -- of the content, in bytes
	meta       BLOB    NOT NULL,
	created_at INTEGER NOT NULL  -- Unix time in ms
) STRICT;
CREATE UNIQUE INDEX results_name ON results (session, name);

CREATE TABLE chunks (
	result  INTEGER NOT NULL REFERENCES results (id) ON DELETE CASCADE,
	n       INTEGER NOT NULL, -- from 0
	content BLOB    NOT NULL, -- 64 KiB, less in the last one
	PRIMARY KEY (result, n)
) STRICT, WITHOUT ROWID;
`

// resultKinds makes the results of each kind a list of their own.
const resultKinds = `
ALTER TABLE results ADD COLUMN kind INTEGER NOT NULL DEFAULT 0; -- driver.ResultKind
DROP INDEX results_name;
CREATE UNIQUE INDEX results_name ON results (session, kind, name);
`

const (
	// chunkBytes is the size of all chunks of a result but the last.
	chunkBytes = 64 << 10

	selectResults = `SELECT name, size, created_at, meta FROM results
		WHERE session = (SELECT id FROM sessions WHERE key = ?1 AND (expires_at IS NULL OR expires_at > ?2)) AND kind = ?3 ORDER BY id`

	// selectChunks returns at least one row if there is the result.
	selectChunks = `SELECT size, n, content FROM results LEFT JOIN chunks ON result = id AND n BETWEEN ?4 AND ?5
		WHERE session = (SELECT id FROM sessions WHERE key = ?1 AND (expires_at IS NULL OR expires_at > ?2)) AND kind = ?6 AND name = ?3 ORDER BY n`

	// deleteExcess removes the oldest results of a kind of a session that exceed a number or a size.
	deleteExcess = `DELETE FROM results WHERE id IN (
		SELECT id FROM (SELECT id, row_number() OVER newest AS number, sum(size) OVER newest AS sum
			FROM results WHERE session = ?1 AND kind = ?2 WINDOW newest AS (ORDER BY id DESC))
		WHERE number > ?3 OR sum > ?4)`
)
