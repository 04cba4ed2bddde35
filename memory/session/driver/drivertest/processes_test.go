//go:build unix

package drivertest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/soak"
)

func TestMain(m *testing.M) { Main(m, openJournal) }

func TestRunWriters(t *testing.T) {
	t.Parallel()
	c := crowd{address: filepath.Join(t.TempDir(), "journal"), writers: 8, processes: 3, each: 20}
	require.NoError(t, c.run(t.Context(), openJournal))
}

func TestRunWritersFindsFaults(t *testing.T) {
	t.Parallel()
	c := crowd{address: filepath.Join(t.TempDir(), "journal") + "?" + forgets, writers: 4, processes: 2, each: 20}
	require.ErrorContains(t, c.run(t.Context(), openJournal), "message")
}

func TestRunCrashes(t *testing.T) {
	t.Parallel()
	RunCrashes(t, filepath.Join(t.TempDir(), "journal"), openJournal, soak.Times(8, 16))
}

func TestRunCrashesFindsFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{forgets, delays, cuts, doubles, undue} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			c := crashes{
				address: filepath.Join(t.TempDir(), "journal") + "?" + fault, open: openJournal,
				times: 1000, random: rand.New(rand.NewPCG(1, 2)), // it ends with the first failure
			}
			err := c.run(t.Context())
			require.Error(t, err)
			t.Log(err)
		})
	}
}

func TestAStoreThatDoesNotOpenFailsTheRun(t *testing.T) {
	t.Parallel()
	c := crowd{address: filepath.Join(t.TempDir(), "no", "such", "directory"), writers: 1, processes: 1, each: 1}
	require.ErrorIs(t, c.run(t.Context(), openJournal), os.ErrNotExist)
	_, err := startChild(t.Context(), job{Address: c.address})
	require.ErrorContains(t, err, "opening the store")
}
