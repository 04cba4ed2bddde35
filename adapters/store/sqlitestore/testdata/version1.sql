
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
PRAGMA user_version = 1;
