
CREATE TABLE sessions (
	id         INTEGER PRIMARY KEY,
	key        TEXT    NOT NULL UNIQUE, -- session.Key.String
	user_id    TEXT    NOT NULL,        -- the key's parts, as they stand in it
	session_id TEXT    NOT NULL,
	format     INTEGER NOT NULL,
	revision   INTEGER NOT NULL,
	first      INTEGER NOT NULL,
	next       INTEGER NOT NULL,
	tokens     INTEGER NOT NULL,
	window     INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,        -- Unix time in ms
	expires_at INTEGER,                 -- Unix time in ms; NULL: never
	CHECK (revision >= 1 AND first >= 1 AND next >= first)
) STRICT;
CREATE INDEX sessions_user ON sessions (user_id, key);
CREATE INDEX sessions_session ON sessions (session_id, key);
CREATE INDEX sessions_expiry ON sessions (expires_at) WHERE expires_at IS NOT NULL;

-- Apart from sessions, so that an append does not write the head again.
CREATE TABLE heads (
	session INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
	head    BLOB NOT NULL
) STRICT;

-- By session, so that loading one reads neighbouring pages. A row without a body
-- is a message that left: its id is remembered.
CREATE TABLE messages (
	session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
	seq     INTEGER NOT NULL,
	id      TEXT    NOT NULL,
	tokens  INTEGER NOT NULL,
	body    BLOB,
	PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX messages_id ON messages (session, id);

-- What version 1 of the schema had in it.
INSERT INTO sessions (id, key, user_id, session_id, format, revision, first, next, tokens, window, updated_at, expires_at) VALUES
	(1, 'shop/ann/1', 'ann', '1', 1, 77, 2, 4, 30, 8000, 1750000000000, NULL),
	(2, 'shop/bob/2', 'bob', '2', 1, 5, 1, 1, 0, 0, 1750000000000, 1760000000000);
INSERT INTO heads (session, head) VALUES (1, CAST('{"h":1}' AS BLOB)), (2, CAST('{}' AS BLOB));
INSERT INTO messages (session, seq, id, tokens, body) VALUES
	(1, 1, 'left', 10, NULL),
	(1, 2, 'first', 10, CAST('{"role":"user"}' AS BLOB)),
	(1, 3, 'second', 20, CAST('{"role":"assistant"}' AS BLOB));
PRAGMA application_id = 2003658093;
ALTER TABLE sessions ADD COLUMN due_at INTEGER; -- Unix time in ms; NULL: not at all
CREATE INDEX sessions_due ON sessions (due_at) WHERE due_at IS NOT NULL;
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
INSERT INTO owners (id, namespace, user_id, records, terms) VALUES (1, 'shop', 'ann', 1, 1);
INSERT INTO records (id, owner, key, hash, version, session_id, type, strategy, pinned, accesses, terms)
	VALUES (1, 1, 'tea', 'h', 1, '', 'semantic', 'discrete', 0, 0, 1);
INSERT INTO bodies (record, body, origin) VALUES (1, CAST('{"id":"tea","namespace":"shop","user_id":"ann","hash":"h","text":"tea","memory_type":"semantic"}' AS BLOB), '');
UPDATE versions SET last = 1;
PRAGMA user_version = 3;
