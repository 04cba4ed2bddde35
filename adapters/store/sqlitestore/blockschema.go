package sqlitestore

// blockTables is the migration that adds what a search needs to know of all records of an owner,
// packed in blocks, and the index of the messages of a session.
//
// Records of earlier versions have no block. They are the queue of Store.reindex.
const blockTables = `
-- What a search looks at of some records of an owner whose vectors are comparable.
CREATE TABLE blocks (
	id        INTEGER PRIMARY KEY,
	owner     INTEGER NOT NULL REFERENCES owners (id),
	model     TEXT    NOT NULL, -- '' without vectors
	dimension INTEGER NOT NULL, -- 0 without vectors
	version   INTEGER NOT NULL, -- changes with every change, and is never used again
	used      INTEGER NOT NULL, -- slots in use, which come first
	full      INTEGER NOT NULL, -- 1: has no room for another
	slots     BLOB    NOT NULL  -- see blocks.go
) STRICT;
CREATE INDEX blocks_owner ON blocks (owner);
CREATE INDEX blocks_open ON blocks (owner, model, dimension) WHERE full = 0;

-- The codes of the vectors, slot by slot.
CREATE TABLE codes (
	block INTEGER PRIMARY KEY REFERENCES blocks (id) ON DELETE CASCADE,
	codes BLOB NOT NULL
) STRICT;

ALTER TABLE records ADD COLUMN block INTEGER; -- NULL: to be indexed again
CREATE INDEX records_unindexed ON records (owner) WHERE block IS NULL;

-- Unknown times come first.
ALTER TABLE records ADD COLUMN made_at INTEGER AS (coalesce(created_at, -9223372036854775807)) VIRTUAL;
CREATE INDEX records_messages ON records (owner, session_id, made_at, key) WHERE type = 'message';

-- How many records have a term, by posting.
DROP TABLE postings;
CREATE VIRTUAL TABLE postings USING fts5vocab (terms, row);
`
