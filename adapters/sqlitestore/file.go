package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"modernc.org/sqlite"
)

// file is a database file and how connections to it are set up.
type file struct {
	path string // absolute
	opts Options
}

func newFile(path string, opts Options) (*file, error) {
	switch {
	case path == "":
		return nil, errors.New("sqlitestore: no path: a store in memory is session.NewMemoryStore")
	case strings.HasPrefix(path, ":memory:"):
		return nil, errors.New("sqlitestore: :memory: is no file: a store in memory is session.NewMemoryStore")
	case strings.HasPrefix(path, "file:"):
		return nil, errors.New("sqlitestore: a path is wanted, not a URI")
	case strings.ContainsRune(path, 0):
		return nil, errors.New("sqlitestore: NUL in the path")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: opening: %w", err)
	}
	return &file{path: path, opts: opts}, nil
}

// purpose is what a connection is for.
type purpose int

const (
	// creating makes the file if need be, and changes nothing else by itself.
	creating purpose = iota
	writing
	reading
)

// connect returns connections for a purpose. They are made when they are needed.
func (f *file) connect(p purpose) (*sql.DB, error) {
	connector, err := sqlite.NewConnector(f.dsn(p))
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	if p == reading {
		db.SetMaxOpenConns(f.opts.ReadConns)
		db.SetMaxIdleConns(f.opts.ReadConns)
	} else {
		db.SetMaxOpenConns(1)
		db.SetMaxIdleConns(-1) // one that is given up is closed: see writer.drop
	}
	return db, nil
}

func (f *file) dsn(p purpose) string {
	v := url.Values{
		"_dqs":          {"0"},
		"_defensive":    {"1"},
		"_error_rc":     {"1"},
		"_foreign_keys": {"1"},
		"_pragma":       {"trusted_schema(0)", "cell_size_check(1)"},
		"_busy_timeout": {strconv.FormatInt(max(1, f.opts.BusyTimeout.Milliseconds()), 10)},
	}
	// None but the first connection may make the file: a store whose file was
	// removed would go on with an empty one.
	if p != creating {
		v.Set("mode", "rw")
	}
	switch p {
	case reading:
		v.Set("_query_only", "1")
	case writing:
		// The writer waits by itself: see writer.begin.
		v.Set("_busy_timeout", "0")
		v.Set("_synchronous", "FULL")
		if f.opts.Relaxed {
			v.Set("_synchronous", "NORMAL")
		}
		// A log that has grown is cut when it begins anew.
		v.Add("_pragma", "journal_size_limit(67108864)")
	}
	path := filepath.ToSlash(f.path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: v.Encode()}).String()
}

// prepare sees to it that the file is there, is ours and has the latest schema.
func (f *file) prepare(ctx context.Context) (err error) {
	_, missing := os.Stat(f.path)
	db, err := f.connect(creating)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if errors.Is(missing, fs.ErrNotExist) {
		// Not by os.OpenFile: closing the file would take SQLite's locks away.
		if err := os.Chmod(f.path, 0o600); err != nil {
			return err
		}
	}
	return untilFree(ctx, f.opts.BusyTimeout, nil, func() error { return f.migrate(ctx, conn) })
}
