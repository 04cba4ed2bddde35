package sqlitestore

import (
	"context"
	"database/sql"
)

// connection is a database connection with its prepared statements.
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

// stmt returns a statement, which is prepared on first use.
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
		_ = stmt.Close() // the connection is closed anyway
	}
	return c.conn.Close()
}

// tx is a transaction that writes. It ignores cancellation, since an interrupted statement would
// also roll back the other changes in it. Long changes check their own context.
type tx struct {
	*connection
	ctx context.Context
	// wrote is set once the running change has written.
	wrote bool
}

// apply runs a change. It returns false if the transaction must be rolled back: the change failed
// after it had written, or with a failure of SQLite, which may have rolled back by itself.
func (t *tx) apply(c *change) bool {
	t.wrote = false
	if c.err = c.ctx.Err(); c.err == nil {
		c.err = c.run(t)
	}
	return c.err == nil || !t.wrote && isOwn(c.err)
}

// exec runs a statement that writes.
func (t *tx) exec(query string, args ...any) (sql.Result, error) {
	t.wrote = true
	stmt, err := t.stmt(t.ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(t.ctx, args...)
}

// query calls each for every row of a query with the function that scans it.
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

// forEach calls each for every row with the function that scans it, and closes rows.
func forEach(rows *sql.Rows, each func(scan func(...any) error) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
