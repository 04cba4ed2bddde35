package sqlitestore_test

import (
	"context"
	"flag"
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/sqlitestore"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/longtermtest"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/sessiontest"
)

func TestMain(m *testing.M) {
	if raceDetector {
		// SQLite, translated to Go, takes ten times as long under the race detector:
		// cases that draw at random draw less there. A flag that is given counts.
		if err := flag.Set("rapid.checks", "10"); err != nil {
			panic(err)
		}
	}
	longtermtest.PromotionsChild(openWithIndex)
	sessiontest.Main(m, openFile)
}

func openFile(path string) (session.Store, func() error, error) {
	store, err := sqlitestore.Open(context.Background(), path, nil)
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

func openWithIndex(path string) (session.Store, longterm.Index, func() error, error) {
	store, err := sqlitestore.Open(context.Background(), path, nil)
	if err != nil {
		return nil, nil, nil, err
	}
	return store, store.Index(), store.Close, nil
}

func TestWritersOfManyProcesses(t *testing.T) {
	t.Parallel()
	if raceDetector {
		t.Skip("takes minutes under the race detector, which sees nothing across processes; TestConforms has writers in one")
	}
	sessiontest.RunWriters(t, newPath(t), openFile)
}

func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	times := 200
	if raceDetector {
		times = 20
	}
	sessiontest.RunCrashes(t, newPath(t), openFile, times)
}

func TestPromotionsOfKilledProcesses(t *testing.T) {
	t.Parallel()
	times := 200
	if raceDetector {
		times = 20
	}
	longtermtest.RunPromotions(t, newPath(t), openWithIndex, times)
}
