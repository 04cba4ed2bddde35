package sqlitestore_test

import (
	"context"
	"flag"
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/store/sqlitestore"
	"github.com/go-workingmemory/workingmemory/internal/race"
	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	longtermdrivertest "github.com/go-workingmemory/workingmemory/memory/longterm/driver/drivertest"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
	sessiondrivertest "github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
)

func TestMain(m *testing.M) {
	if race.Enabled {
		// SQLite, translated to Go, takes ten times as long under the race detector:
		// cases that draw at random draw less there. A flag that is given counts.
		if err := flag.Set("rapid.checks", "10"); err != nil {
			panic(err)
		}
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
	if race.Enabled {
		t.Skip("takes minutes under the race detector, which sees nothing across processes; TestConforms has writers in one")
	}
	sessiondrivertest.RunWriters(t, newPath(t), openFile)
}

func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	times := 200
	if race.Enabled {
		times = 20
	}
	sessiondrivertest.RunCrashes(t, newPath(t), openFile, times)
}

func TestPromotionsOfKilledProcesses(t *testing.T) {
	t.Parallel()
	times := 200
	if race.Enabled {
		times = 20
	}
	longtermdrivertest.RunPromotions(t, newPath(t), openWithIndex, times)
}
