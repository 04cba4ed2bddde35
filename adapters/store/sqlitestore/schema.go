package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// applicationID marks a file as one of this package: "wmem" in ASCII.
const applicationID = 0x776d656d

// migrations returns the scripts that migrate the schema to each version from the previous one. Each
// runs in its own transaction. Released scripts never change.
func migrations() []string {
	return []string{`
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
`, `
ALTER TABLE sessions ADD COLUMN due_at INTEGER; -- Unix time in ms; NULL: not at all
CREATE INDEX sessions_due ON sessions (due_at) WHERE due_at IS NOT NULL;
`, recordTables, tokenTable, resultTables, blockTables, `
-- Records without a strategy are discrete.
UPDATE records SET strategy = 'discrete' WHERE strategy = '';
`, resultKinds, documentTable}
}

// migrate checks that the file is ours and migrates its schema. Several processes may do so at once.
func (f *file) migrate(ctx context.Context, conn *sql.Conn) error {
	scripts := migrations()
	version, err := f.version(ctx, conn, len(scripts))
	if err != nil {
		return err
	}
	if err := useLog(ctx, conn); err != nil {
		return err
	}
	for version < len(scripts) {
		if version, err = f.step(ctx, conn, scripts); err != nil {
			return fmt.Errorf("migrating the schema: %w", err)
		}
	}
	return nil
}

// version returns the version of the schema, or an error if the file must not be changed.
func (f *file) version(ctx context.Context, conn *sql.Conn, known int) (int, error) {
	var id, version, tables int
	err := conn.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&id, &version, &tables)
	switch {
	case err != nil:
		return 0, err
	case id == 0 && version == 0 && tables == 0:
		return 0, nil
	case id != applicationID || version < 1:
		return 0, &FileError{Path: f.path, Err: ErrForeign}
	case version > known:
		return 0, &SchemaError{Path: f.path, Version: version, Known: known}
	}
	return version, nil
}

// useLog enables the write-ahead log, with which readers and the writer do not wait for each other
// and a commit needs one sync.
func useLog(ctx context.Context, conn *sql.Conn) error {
	var mode string
	if err := conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return fmt.Errorf("enabling the write-ahead log: %w", err)
	}
	if mode != "wal" {
		return fmt.Errorf("file system does not support a write-ahead log (journal mode %s)", mode)
	}
	return nil
}

// step runs the next migration, unless another process has, and returns the resulting version.
func (f *file) step(ctx context.Context, conn *sql.Conn, scripts []string) (version int, err error) {
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			_, rollback := conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			err = errors.Join(err, rollback)
		}
	}()
	if version, err = f.version(ctx, conn, len(scripts)); err != nil {
		return 0, err
	}
	if version < len(scripts) {
		script := scripts[version]
		version++
		script += fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, version)
		if _, err := conn.ExecContext(ctx, script); err != nil {
			return 0, err
		}
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return version, err
}
