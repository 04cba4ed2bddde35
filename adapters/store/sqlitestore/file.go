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

// file is a database file and the options of connections to it.
type file struct {
	path string // absolute
	opts Options
}

func newFile(path string, opts Options) (*file, error) {
	switch {
	case path == "":
		return nil, errors.New("sqlitestore: empty path (for a store in memory use memstore.New)")
	case strings.HasPrefix(path, ":memory:"):
		return nil, errors.New("sqlitestore: :memory: is not a file (for a store in memory use memstore.New)")
	case strings.HasPrefix(path, "file:"):
		return nil, errors.New("sqlitestore: URI instead of a path")
	case strings.ContainsRune(path, 0):
		return nil, errors.New("sqlitestore: NUL in path")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: opening: %w", err)
	}
	return &file{path: path, opts: opts}, nil
}

// purpose is the purpose of a connection.
type purpose int

const (
	// creating creates the file if it does not exist.
	creating purpose = iota
	writing
	reading
)

// connect returns a pool of connections for a purpose, which are opened on demand.
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
		db.SetMaxIdleConns(-1) // a released connection is closed: see writer.drop
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
	// Only the first connection may create the file. Otherwise a store whose file was
	// removed would continue with an empty one.
	if p != creating {
		v.Set("mode", "rw")
	}
	switch p {
	case reading:
		v.Set("_query_only", "1")
	case writing:
		// The writer retries itself: see writer.begin.
		v.Set("_busy_timeout", "0")
		v.Set("_synchronous", "FULL")
		full := 1
		if f.opts.Relaxed {
			v.Set("_synchronous", "NORMAL")
			full = 0
		}
		// On macOS, a plain sync leaves the data in the cache of the disk. Elsewhere this
		// has no effect.
		v.Add("_pragma", "fullfsync("+strconv.Itoa(full)+")")
	}
	path := filepath.ToSlash(f.path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: v.Encode()}).String()
}

// prepare creates the file if it does not exist, checks that it is ours and migrates its schema.
func (f *file) prepare(ctx context.Context) (err error) {
	_, missing := os.Stat(f.path)
	if errors.Is(missing, fs.ErrNotExist) {
		f.create()
	}
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
		// In case SQLite and not create has made the file.
		if err := os.Chmod(f.path, 0o600); err != nil {
			return err
		}
	}
	return retryBusy(ctx, f.opts.BusyTimeout, nil, func() error { return f.migrate(ctx, conn) })
}

// create creates an empty file that only its owner can read, unless the file exists. The file
// appears with its final permissions, because the log of another process that opens it at the same
// time inherits them. It is created under another name, because closing it in place would release
// the locks of other stores. If create fails, SQLite creates the file or reports the error.
func (f *file) create() {
	made, err := os.CreateTemp(filepath.Dir(f.path), filepath.Base(f.path)+".*") // mode 0600
	if err != nil {
		return
	}
	_ = made.Close()
	_ = os.Link(made.Name(), f.path) // fails if the file exists
	_ = os.Remove(made.Name())
}
