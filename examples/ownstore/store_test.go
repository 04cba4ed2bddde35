package main

import (
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/driver/drivertest"
)

func open(dir string) (driver.Store, func() error, error) {
	store, err := OpenStore(dir)
	return store, func() error { return nil }, err
}

func TestMain(m *testing.M) {
	// Random cases draw less by default. The command line overrides this.
	if err := flag.Set("rapid.checks", strconv.Itoa(soak.Times(20, 100))); err != nil {
		panic(err)
	}
	drivertest.Main(m, open)
}

func TestStoreConforms(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, func(tb testing.TB) drivertest.Harness {
		store, err := OpenStore(tb.TempDir())
		require.NoError(tb, err)
		return drivertest.Harness{Open: func(testing.TB) driver.Store { return store }}
	})
}

func TestStoreSurvivesCrashes(t *testing.T) {
	t.Parallel()
	drivertest.RunCrashes(t, t.TempDir(), open, soak.Times(3, 5))
}

// The suite does not know how a store is damaged.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(string) string{
		"cut":          func(file string) string { return file[:len(file)-9] },
		"no messages":  func(file string) string { return strings.Replace(file, `"Messages"`, `"Letters"`, 1) },
		"first line":   func(file string) string { return "{}" + file[strings.Index(file, "\n"):] },
		"nothing left": func(string) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := OpenStore(t.TempDir())
			require.NoError(t, err)
			key := driver.Key{SessionID: "s"}
			a := driver.Append{Messages: []driver.StoredMessage{{ID: "m", Body: []byte(`1`)}}, Due: time.UnixMilli(1)}
			at, _, err := store.Append(t.Context(), key, a)
			require.NoError(t, err)
			file, err := os.ReadFile(store.path(key))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(store.path(key), []byte(damage(string(file))), 0o600))

			damaged := new(driver.DamagedError)
			_, err = store.Load(t.Context(), key, 0)
			require.ErrorAs(t, err, &damaged)
			_, _, err = store.Append(t.Context(), key, a)
			require.ErrorAs(t, err, &damaged)
			require.ErrorAs(t, store.Delete(t.Context(), key, &driver.Condition{Revision: at.Revision}), &damaged)
			due, dueErr := store.Due(t.Context(), time.Now(), 1)
			list, listErr := store.List(t.Context(), driver.ListOptions{Limit: -1})
			if name == "cut" || name == "no messages" {
				require.NoError(t, dueErr)
				assert.Equal(t, []driver.Key{key}, due)
				require.NoError(t, listErr)
				assert.Equal(t, []driver.Key{key}, list.Keys)
			} else { // which session it was is lost
				require.ErrorIs(t, dueErr, errDamaged)
				require.ErrorIs(t, listErr, errDamaged)
			}
			require.NoError(t, store.Delete(t.Context(), key, nil))
			_, err = store.Load(t.Context(), key, 0)
			require.ErrorIs(t, err, driver.ErrNotFound)
		})
	}
}
