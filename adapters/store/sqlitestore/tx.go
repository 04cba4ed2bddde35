package sqlitestore

import (
	"context"
	"database/sql"
)

// connection is a connection with its prepared statements.
type connection struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

func newConnection(ctx context.Context, db *sql.DB) (*connection, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

// stmt returns a statement, prepared when it is first wanted.
func (c *connection) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt, ok := c.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := c.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.stmts[query] = stmt
	return stmt, nil
}

// run runs a statement without arguments.
func (c *connection) run(ctx context.Context, query string) error {
	stmt, err := c.stmt(ctx, query)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx)
	return err
}

func (c *connection) close() error {
	for _, stmt := range c.stmts {
		_ = stmt.Close() // the connection goes with them
	}
	return c.conn.Close()
}

// tx is a transaction that writes. It is not interrupted: an interrupted statement
// would roll back the changes of others with it. A change that takes long looks at
// its own context.
type tx struct {
	*connection
	ctx context.Context
	// wrote says that the change that runs has written.
	wrote bool
}

// apply runs a change. It reports false if the transaction is to be rolled back: the
// change failed after it had written, or by something else than its own verdict, as
// SQLite may then have rolled back by itself, also where it only read.
func (t *tx) apply(c *change) bool {
	t.wrote = false
	if c.err = c.ctx.Err(); c.err == nil {
		c.err = c.run(t)
	}
	return c.err == nil || !t.wrote && isOwn(c.err)
}

// exec writes.
func (t *tx) exec(query string, args ...any) (sql.Result, error) {
	t.wrote = true
	stmt, err := t.stmt(t.ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(t.ctx, args...)
}

// query reads rows, and hands a function that scans each to each.
func (t *tx) query(each func(scan func(...any) error) error, query string, args ...any) error {
	stmt, err := t.stmt(t.ctx, query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(t.ctx, args...)
	if err != nil {
		return err
	}
	return forEach(rows, each)
}

// forEach hands a function that scans a row to each, for all rows, and closes them.
func forEach(rows *sql.Rows, each func(scan func(...any) error) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
