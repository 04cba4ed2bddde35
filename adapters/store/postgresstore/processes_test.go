package postgresstore_test

import (
	"context"
	"flag"
	"net"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/store/postgresstore"
	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	longtermdrivertest "github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
	sessiondrivertest "github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
)

func TestMain(m *testing.M) {
	// Random cases draw less by default. The command line overrides this.
	if err := flag.Set("rapid.checks", strconv.Itoa(soak.Times(20, 100))); err != nil {
		panic(err)
	}
	longtermdrivertest.PromotionsChild(openWithIndex)
	sessiondrivertest.Main(m, openShared)
}

// shared returns the address of a new schema for several processes. The server does not wait for its
// disk, since only the processes are killed; TestOutage kills the server.
func shared(t *testing.T) string {
	t.Helper()
	return withParameter(t, "options", "-c synchronous_commit=off") + " " + newSchema(t)
}

// openShared opens a store for an address of shared.
func openShared(address string) (sessiondriver.Store, func() error, error) {
	server, schema, _ := strings.Cut(address, " ")
	s, err := postgresstore.Open(context.Background(), server, &postgresstore.Options{Schema: schema})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

func openWithIndex(address string) (sessiondriver.Store, longtermdriver.Index, func() error, error) {
	server, schema, _ := strings.Cut(address, " ")
	s, err := postgresstore.Open(context.Background(), server, &postgresstore.Options{Schema: schema})
	if err != nil {
		return nil, nil, nil, err
	}
	return s, s.Index(), s.Close, nil
}

func TestWriters(t *testing.T) {
	t.Parallel()
	sessiondrivertest.RunWriters(t, shared(t), openShared)
}

func TestCrashes(t *testing.T) {
	t.Parallel()
	sessiondrivertest.RunCrashes(t, shared(t), openShared, soak.Times(12, 200))
}

func TestPromotionsOfKilledProcesses(t *testing.T) {
	t.Parallel()
	longtermdrivertest.RunPromotions(t, shared(t), openWithIndex, soak.Times(8, 200))
}

// at returns the URL of a server with another host and port.
func at(tb testing.TB, server, hostPort string) string {
	tb.Helper()
	u, err := url.Parse(server)
	require.NoError(tb, err)
	u.Host = hostPort
	return u.String()
}

// openAt opens a store on a schema of the server at host:port.
func openAt(tb testing.TB, server, schema, hostPort string) sessiondriver.Store {
	tb.Helper()
	s, err := postgresstore.Open(tb.Context(), at(tb, server, hostPort), &postgresstore.Options{Schema: schema})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, s.Close()) })
	return s
}

func TestFaults(t *testing.T) {
	t.Parallel()
	server := address(t)
	config, err := pgxpool.ParseConfig(server)
	require.NoError(t, err)
	host := net.JoinHostPort(config.ConnConfig.Host, strconv.Itoa(int(config.ConnConfig.Port)))
	sessiondrivertest.RunFaults(t, host, func(tb testing.TB, address string) sessiondriver.Store {
		return openAt(tb, server, newSchema(tb), address)
	})
}

func TestOutage(t *testing.T) {
	t.Parallel()
	server := servers.StartPostgres(t)
	sessiondrivertest.RunOutage(t, server, func(tb testing.TB, address string) sessiondriver.Store {
		return openAt(tb, server.URL(), "workingmemory", address)
	})
}
