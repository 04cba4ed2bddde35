package sqlitestore_test

import (
	"context"
	"flag"
	"strconv"
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/conformance/child"
	"github.com/go-workingmemory/workingmemory/internal/soak"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	longtermdrivertest "github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
	sessiondrivertest "github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
)

func TestMain(m *testing.M) {
	child.Main(crashVariable, crashJob.do)
	child.Main(viewsVariable, viewsJob.do)
	// SQLite, translated to Go, is ten times slower under the race detector, so random cases
	// draw less by default. The command line overrides this.
	if err := flag.Set("rapid.checks", strconv.Itoa(soak.Times(10, 100))); err != nil {
		panic(err)
	}
	longtermdrivertest.PromotionsChild(openWithIndex)
	sessiondrivertest.Main(m, openFile)
}

func openFile(path string) (sessiondriver.Store, func() error, error) {
	store, err := sqlitestore.Open(context.Background(), path, nil)
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

func openWithIndex(path string) (sessiondriver.Store, longtermdriver.Index, func() error, error) {
	store, err := sqlitestore.Open(context.Background(), path, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	return store, store.Index(), store.Close, nil
}

func TestWritersOfManyProcesses(t *testing.T) {
	t.Parallel()
	sessiondrivertest.RunWriters(t, newPath(t), openFile)
}

func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	sessiondrivertest.RunCrashes(t, newPath(t), openFile, soak.Times(4, 200))
}

func TestPromotionsOfKilledProcesses(t *testing.T) {
	t.Parallel()
	longtermdrivertest.RunPromotions(t, newPath(t), openWithIndex, soak.Times(4, 200))
}
