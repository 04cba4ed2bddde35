package postgresstore_test

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// line is a connection that loses the answer to the next request once lose is set.
type line struct {
	net.Conn
	lose *atomic.Bool
	lost atomic.Bool
}

func (l *line) Write(p []byte) (int, error) {
	n, err := l.Conn.Write(p)
	if err == nil && l.lose.CompareAndSwap(true, false) {
		l.lost.Store(true)
	}
	return n, err
}

// Read waits for the answer that it loses: the server has done what it was asked for.
func (l *line) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if err == nil && l.lost.Load() {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// losing returns a store, and what lets it lose the answer to the next request.
func losing(t *testing.T) (*postgresstore.Store, *atomic.Bool) {
	t.Helper()
	lose := &atomic.Bool{}
	return losingAt(t, lose, nil), lose
}

// losingAt returns a store of which a tracer may say when an answer is lost.
func losingAt(t *testing.T, lose *atomic.Bool, tracer pgx.QueryTracer) *postgresstore.Store {
	t.Helper()
	config, err := pgxpool.ParseConfig(address(t))
	require.NoError(t, err)
	config.ConnConfig.Tracer = tracer
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return &line{Conn: conn, lose: lose}, err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: newSchema(t), SweepInterval: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	// From now on each statement is known to the connection: a request is a call.
	_, _, err = s.Append(t.Context(), key, appendOf("a"))
	require.NoError(t, err)
	return s
}

// TestLostAnswers: what the server did while its answer got lost is done once, and
// said to be unknown.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	s, lose := losing(t)
	at, _, err := s.Append(t.Context(), key, appendOf("b"))
	require.NoError(t, err)

	lose.Store(true)
	_, _, err = s.Append(t.Context(), key, appendOf("c", "d"))
	require.ErrorIs(t, err, session.ErrUnavailable)
	after, added, err := s.Append(t.Context(), key, appendOf("c", "d"))
	require.NoError(t, err)
	require.Zero(t, added)
	require.Equal(t, at.Next+2, after.Next)

	lose.Store(true)
	write := driver.Write{If: driver.Condition{Revision: at.Revision}, Head: []byte(`{"n":1}`), Format: 1, Now: time.Now()}
	_, err = s.Write(t.Context(), key, write)
	require.ErrorIs(t, err, session.ErrUnavailable)
	require.NotErrorIs(t, err, session.ErrConflict)
	r, err := s.Load(t.Context(), key, -1)
	require.NoError(t, err)
	require.Equal(t, at.Revision+1, r.Revision)
	require.JSONEq(t, `{"n":1}`, string(r.Head))
	require.Len(t, r.Messages, 4)
	_, err = s.Write(t.Context(), key, write)
	require.ErrorIs(t, err, session.ErrConflict)
}

// TestEndedConnections: connections that the server ended while they were idle, as it
// does when it restarts, are not noticed.
func TestEndedConnections(t *testing.T) {
	t.Parallel()
	schema, admin := newSchema(t), newPool(t)
	config, err := pgxpool.ParseConfig(address(t))
	require.NoError(t, err)
	config.ConnConfig.RuntimeParams["application_name"] = schema
	config.MaxConns = 4
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	defer pool.Close()
	s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: schema, SweepInterval: -1})
	require.NoError(t, err)
	defer s.Close()
	at, _, err := s.Append(t.Context(), key, appendOf("a"))
	require.NoError(t, err)
	for i, call := range []func() error{
		func() error { _, _, err := s.Append(t.Context(), key, appendOf("b")); return err },
		func() error { _, err := s.Load(t.Context(), key, -1); return err },
		func() error { _, err := s.List(t.Context(), session.ListOptions{}); return err },
		func() error {
			at, err = s.Write(t.Context(), key, driver.Write{If: driver.Condition{Revision: at.Revision}, Format: 1, Now: time.Now()})
			return err
		},
		func() error { return s.Delete(t.Context(), key, &driver.Condition{Revision: at.Revision}) },
	} {
		occupy(t, pool, 4)
		ended := number(t, admin, schema, `SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE application_name = $1`, schema)
		require.Equal(t, 4, ended)
		require.NoError(t, call(), "call %d", i)
	}
}

// occupy makes a pool have so many connections, all idle.
func occupy(t *testing.T, pool *pgxpool.Pool, connections int) {
	t.Helper()
	held := make([]*pgxpool.Conn, connections)
	for i := range held {
		var err error
		held[i], err = pool.Acquire(t.Context())
		require.NoError(t, err)
		require.NoError(t, held[i].Ping(t.Context()))
	}
	for _, conn := range held {
		conn.Release()
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	free := listener.Addr().String()
	require.NoError(t, listener.Close())
	_, err = postgresstore.Open(t.Context(), "postgres://user:hush@"+free+"/none", nil)
	require.ErrorIs(t, err, session.ErrUnavailable)
	require.NotContains(t, err.Error(), "hush")
	_, err = postgresstore.Open(t.Context(), "postgres://user:hush@"+free+"/none?connect_timeout=x", nil)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "hush")
}

// TestContextEnds: a call that must wait gives up when its context ends, and all works
// again afterwards.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	s := open(t, schema)
	_, _, err := s.Append(t.Context(), key, appendOf("a"))
	require.NoError(t, err)
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "LOCK TABLE "+schema+".sessions IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)
	for name, call := range map[string]func(ctx context.Context) error{
		"append": func(ctx context.Context) error { _, _, err := s.Append(ctx, key, appendOf("b")); return err },
		"write":  func(ctx context.Context) error { _, err := s.Write(ctx, key, driver.Write{Format: 1}); return err },
		"load":   func(ctx context.Context) error { _, err := s.Load(ctx, key, -1); return err },
		"delete": func(ctx context.Context) error { return s.Delete(ctx, key, nil) },
		"list":   func(ctx context.Context) error { _, err := s.List(ctx, session.ListOptions{}); return err },
		"sweep":  func(ctx context.Context) error { _, err := s.Sweep(ctx); return err },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err := call(ctx)
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, name)
		require.ErrorIs(t, err, session.ErrUnavailable, name)
	}
	require.NoError(t, tx.Rollback(t.Context()))
	_, _, err = s.Append(t.Context(), key, appendOf("c"))
	require.NoError(t, err)
}

// TestPoolIsExhausted: a pool whose connections others hold is a server that does not
// answer.
func TestPoolIsExhausted(t *testing.T) {
	t.Parallel()
	config, err := pgxpool.ParseConfig(address(t))
	require.NoError(t, err)
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	defer pool.Close()
	s, err := postgresstore.New(t.Context(), pool, &postgresstore.Options{Schema: newSchema(t)})
	require.NoError(t, err)
	defer s.Close()
	conn, err := pool.Acquire(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = s.Load(ctx, key, 0)
	require.ErrorIs(t, err, session.ErrUnavailable)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	conn.Release()
	_, err = s.Load(t.Context(), key, 0)
	require.ErrorIs(t, err, session.ErrNotFound)
}

// TestEndedBehindTheAnswer: a server that ends a connection when the answer is there
// may have committed what it was asked for: nothing is done again, but what it says it
// rolled back.
func TestEndedBehindTheAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code  string
		again bool
	}{{"57P01", false}, {"40001", true}} {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			schema, pool := newSchema(t), newPool(t)
			s := open(t, schema)
			at, _, err := s.Append(t.Context(), key, appendOf("a"))
			require.NoError(t, err)
			// At the commit, each first try ends so.
			exec(t, pool, schema, `CREATE SEQUENCE {schema}.tries;
				CREATE FUNCTION {schema}.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
					IF nextval('{schema}.tries') % 2 = 1 THEN RAISE EXCEPTION 'ended' USING ERRCODE = '`+c.code+`'; END IF;
					RETURN NULL; END $$;
				CREATE CONSTRAINT TRIGGER fail AFTER UPDATE OR DELETE ON {schema}.sessions
					DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION {schema}.fail()`)
			for name, call := range map[string]func() error{
				"append":    func() error { _, _, err := s.Append(t.Context(), key, appendOf("b")); return err },
				"delete if": func() error { return s.Delete(t.Context(), key, &driver.Condition{Revision: at.Revision}) },
				"delete":    func() error { return s.Delete(t.Context(), key, nil) },
			} {
				exec(t, pool, schema, `ALTER SEQUENCE {schema}.tries RESTART`)
				err := call()
				tries := number(t, pool, schema, `SELECT last_value FROM {schema}.tries`)
				if c.again {
					require.NoError(t, err, name)
					require.Equal(t, 2, tries, name)
				} else {
					require.ErrorIs(t, err, session.ErrUnavailable, name)
					require.Equal(t, 1, tries, name)
				}
				if name != "append" && c.again {
					at, _, err = s.Append(t.Context(), key, appendOf("a"))
					require.NoError(t, err)
				}
			}
		})
	}
}

// TestLongTransactions: a call that waits for another's transaction ends by the limits
// that a connection has, and nothing of it was done.
func TestLongTransactions(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"statement_timeout", "lock_timeout"} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			schema, pool := newSchema(t), newPool(t)
			patient := open(t, schema)
			config, err := pgxpool.ParseConfig(address(t))
			require.NoError(t, err)
			config.MaxConns = 1
			limited, err := pgxpool.NewWithConfig(t.Context(), config)
			require.NoError(t, err)
			defer limited.Close()
			s, err := postgresstore.New(t.Context(), limited, &postgresstore.Options{Schema: schema, SweepInterval: -1})
			require.NoError(t, err)
			defer s.Close()
			at, _, err := s.Append(t.Context(), key, appendOf("a"))
			require.NoError(t, err)
			exec(t, limited, schema, "SET "+limit+" = '100ms'") // only for calls that cannot but wait
			tx, err := pool.Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), "SELECT FROM "+schema+".sessions FOR UPDATE")
			require.NoError(t, err)
			_, _, err = s.Append(t.Context(), key, appendOf("b"))
			require.ErrorIs(t, err, session.ErrUnavailable)
			_, err = s.Write(t.Context(), key, driver.Write{If: driver.Condition{Revision: at.Revision}, Format: 1, Now: time.Now()})
			require.ErrorIs(t, err, session.ErrUnavailable)
			require.ErrorIs(t, s.Delete(t.Context(), key, nil), session.ErrUnavailable)
			exec(t, limited, schema, "RESET "+limit)
			r, err := patient.Load(t.Context(), key, -1)
			require.NoError(t, err, "readers wait for nobody")
			require.Equal(t, at, r.Position)
			other := session.Key{SessionID: "another"}
			_, _, err = patient.Append(t.Context(), other, appendOf("b"))
			require.NoError(t, err, "writers of another session neither")
			require.NoError(t, tx.Rollback(t.Context()))
			_, added, err := s.Append(t.Context(), key, appendOf("b"))
			require.NoError(t, err)
			require.Equal(t, 1, added)
		})
	}
}

// TestReadOnlyServer: on one that only reads, as a standby, what is there can be read.
func TestReadOnlyServer(t *testing.T) {
	t.Parallel()
	schema := newSchema(t)
	at, _, err := open(t, schema).Append(t.Context(), key, appendOf("a"))
	require.NoError(t, err)
	s, err := postgresstore.Open(t.Context(), withParameter(t, "default_transaction_read_only", "on"), &postgresstore.Options{Schema: schema})
	require.NoError(t, err)
	defer s.Close()
	r, err := s.Load(t.Context(), key, -1)
	require.NoError(t, err)
	require.Equal(t, at, r.Position)
	page, err := s.List(t.Context(), session.ListOptions{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, 1, page.Total)
	_, _, err = s.Append(t.Context(), key, appendOf("b"))
	require.ErrorIs(t, err, session.ErrUnavailable)
	require.ErrorIs(t, s.Delete(t.Context(), key, nil), session.ErrUnavailable)
	_, err = s.Sweep(t.Context())
	require.ErrorIs(t, err, session.ErrUnavailable)
}
