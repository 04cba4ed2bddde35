package sqlitestore

// recordTables is the migration that adds long-term memory.
const recordTables = `
-- Numbers are never given again: those of owners are in terms.
CREATE TABLE owners (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	namespace TEXT    NOT NULL,
	user_id   TEXT    NOT NULL,
	records   INTEGER NOT NULL, -- how many they have
	terms     INTEGER NOT NULL, -- how many those have, with repeats
	UNIQUE (namespace, user_id)
) STRICT;
CREATE INDEX owners_user ON owners (user_id);

-- What a search looks at of a record.
CREATE TABLE records (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	owner       INTEGER NOT NULL REFERENCES owners (id),
	key         TEXT    NOT NULL, -- the record's id
	hash        TEXT    NOT NULL,
	version     INTEGER NOT NULL,
	session_id  TEXT    NOT NULL,
	type        TEXT    NOT NULL,
	strategy    TEXT    NOT NULL,
	pinned      INTEGER NOT NULL,
	created_at  INTEGER,          -- Unix time in µs, as all that follow; NULL: not known
	updated_at  INTEGER,
	accessed_at INTEGER,
	event_at    INTEGER,
	accesses    INTEGER NOT NULL,
	terms       INTEGER NOT NULL, -- how many it has, with repeats
	UNIQUE (owner, key),
	UNIQUE (owner, hash)
) STRICT;
CREATE INDEX records_owner ON records (owner);

-- All of a record, as JSON, but when and how often it was used.
CREATE TABLE bodies (
	record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
	body   BLOB NOT NULL,
	origin TEXT NOT NULL -- longterm.Entry.Origin
) STRICT;

-- Topics and entities, for filters: which records of an owner have one.
CREATE TABLE tags (
	owner  INTEGER NOT NULL,
	kind   INTEGER NOT NULL, -- 0: topic, 1: entity
	value  TEXT    NOT NULL,
	record INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE,
	PRIMARY KEY (owner, kind, value, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_record ON tags (record);

CREATE TABLE vectors (
	record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
	model  TEXT NOT NULL,
	vector BLOB NOT NULL     -- little-endian float32
) STRICT;

-- The terms of records: see recordterms.go for what stands for a term. postings
-- shows which records have it.
CREATE VIRTUAL TABLE terms USING fts5 (
	term, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_:'"
);
CREATE VIRTUAL TABLE postings USING fts5vocab (terms, instance);

-- The version last given to a record. None is ever given again.
CREATE TABLE versions (
	id   INTEGER PRIMARY KEY CHECK (id = 1),
	last INTEGER NOT NULL
) STRICT;
INSERT INTO versions (id, last) VALUES (1, 0);
`
