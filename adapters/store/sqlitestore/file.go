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
		return nil, errors.New("sqlitestore: no path: a store in memory is memstore.New")
	case strings.HasPrefix(path, ":memory:"):
		return nil, errors.New("sqlitestore: :memory: is no file: a store in memory is memstore.New")
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
		full := 1
		if f.opts.Relaxed {
			v.Set("_synchronous", "NORMAL")
			full = 0
		}
		// Without it macOS leaves what is synced in the disk's cache. Elsewhere it
		// changes nothing.
		v.Add("_pragma", "fullfsync("+strconv.Itoa(full)+")")
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
		// Where create could not make it.
		if err := os.Chmod(f.path, 0o600); err != nil {
			return err
		}
	}
	return untilFree(ctx, f.opts.BusyTimeout, nil, func() error { return f.migrate(ctx, conn) })
}

// create makes the file, empty and for its owner alone, unless it is there. Others
// who open it at the same time never see it with other permissions: their log would
// get these too. It is not made in its place, as closing it there would take the
// locks of those others away. What cannot be made, SQLite may make or refuse.
func (f *file) create() {
	made, err := os.CreateTemp(filepath.Dir(f.path), filepath.Base(f.path)+".*") // mode 0600
	if err != nil {
		return
	}
	_ = made.Close()
	_ = os.Link(made.Name(), f.path) // fails if the file is there
	_ = os.Remove(made.Name())
}
