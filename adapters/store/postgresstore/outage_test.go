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

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// line is a connection that loses the answer to the next request after lose is set.
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

// Read waits for the answer before it loses it, so the server has executed the request.
func (l *line) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if err == nil && l.lost.Load() {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// losing returns a store that loses an answer after lose is set, which the tracer may do.
func losing(t *testing.T, lose *atomic.Bool, tracer pgx.QueryTracer) *postgresstore.Store {
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
	// The statement is prepared now, so a call is one request.
	_, _, err = s.Append(t.Context(), key, appendOf("a"))
	require.NoError(t, err)
	return s
}

// TestEndedConnections: a call succeeds after the server has terminated the idle connections, as a
// restart does.
func TestEndedConnections(t *testing.T) {
	t.Parallel()
	schema, admin := newSchema(t), newPool(t)
	s := openOn(t, withParameter(t, "application_name", schema), schema)
	for range 2 {
		ended := number(t, admin, schema, `SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE application_name = $1`, schema)
		require.Positive(t, ended)
		_, _, err := s.Append(t.Context(), key, appendOf("a"))
		require.NoError(t, err)
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

// TestPoolIsExhausted: a call that gets no connection returns ErrUnavailable.
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

// TestErrorsAfterTheAnswer: if the connection ends after the answer, the call may have been committed and
// is not retried, unless the server reports a rollback.
func TestErrorsAfterTheAnswer(t *testing.T) {
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
			// The first attempt of each call fails at its commit.
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

// TestLongTransactions: timeouts of a connection end a call that waits for a lock, without effect.
func TestLongTransactions(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"statement_timeout", "lock_timeout"} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			schema, pool := newSchema(t), newPool(t)
			patient := open(t, schema)
			at, _, err := patient.Append(t.Context(), key, appendOf("a"))
			require.NoError(t, err)
			s := openOn(t, withParameter(t, limit, "100"), schema) // for calls that have to wait
			tx, err := pool.Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), "SELECT FROM "+schema+".sessions FOR UPDATE")
			require.NoError(t, err)
			_, _, err = s.Append(t.Context(), key, appendOf("b"))
			require.ErrorIs(t, err, session.ErrUnavailable)
			require.ErrorIs(t, s.Delete(t.Context(), key, nil), session.ErrUnavailable)
			r, err := patient.Load(t.Context(), key, -1)
			require.NoError(t, err, "readers do not wait")
			require.Equal(t, at, r.Position)
			_, _, err = patient.Append(t.Context(), session.Key{SessionID: "another"}, appendOf("b"))
			require.NoError(t, err, "writers of another session do not wait")
			require.NoError(t, tx.Rollback(t.Context()))
			_, added, err := patient.Append(t.Context(), key, appendOf("b"))
			require.NoError(t, err)
			require.Equal(t, 1, added)
		})
	}
}

// TestReadOnlyServer: on a standby, existing data can be read, and writes return ErrUnavailable.
func TestReadOnlyServer(t *testing.T) {
	t.Parallel()
	schema := newSchema(t)
	writable := open(t, schema)
	at, _, err := writable.Append(t.Context(), key, appendOf("a"))
	require.NoError(t, err)
	text, token, err := auth.Create(t.Context(), writable.Tokens(), auth.CreateOptions{Unbound: true})
	require.NoError(t, err)
	add(t, writable.Index(), &anEntry)
	s := openOn(t, withParameter(t, "default_transaction_read_only", "on"), schema)

	r, err := s.Load(t.Context(), key, -1)
	require.NoError(t, err)
	require.Equal(t, at, r.Position)
	page, err := s.List(t.Context(), session.ListOptions{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, 1, page.Total)
	_, err = auth.NewVerifier(s.Tokens(), nil).Verify(t.Context(), text)
	require.NoError(t, err)
	for _, search := range searches() {
		page, err := s.Index().Search(t.Context(), search)
		require.NoError(t, err)
		require.Equal(t, 1, page.Total)
	}

	_, _, appendErr := s.Append(t.Context(), key, appendOf("b"))
	_, sweepErr := s.Sweep(t.Context())
	keys := []longtermdriver.RecordKey{longtermdriver.KeyOf(&anEntry.Record)}
	for err, want := range map[error]error{
		appendErr: session.ErrUnavailable, sweepErr: session.ErrUnavailable, s.Delete(t.Context(), key, nil): session.ErrUnavailable,
		s.Tokens().Add(t.Context(), token): auth.ErrUnavailable, s.Tokens().Remove(t.Context(), token.ID): auth.ErrUnavailable,
		s.Index().Touch(t.Context(), keys, time.Now()):                                                      longterm.ErrUnavailable,
		s.Index().Write(t.Context(), []longtermdriver.RecordChange{{Key: keys[0], If: 1, Entry: &anEntry}}): longterm.ErrUnavailable,
	} {
		require.ErrorIs(t, err, want)
		require.NotContains(t, err.Error(), "secret")
	}
}
