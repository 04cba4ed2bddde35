package postgresstore_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance/servers"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func TestDurability(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings []string
		commit   string // for the connections of the store
		want     driver.Durability
	}{
		{nil, "", driver.Durability{Level: driver.DurabilitySynced, Settings: "fsync=on synchronous_commit=on"}},
		{nil, "local", driver.Durability{Level: driver.DurabilitySynced, Settings: "fsync=on synchronous_commit=local"}},
		{nil, "off", driver.Durability{Level: driver.DurabilityDelayed, Settings: "fsync=on synchronous_commit=off"}},
		{[]string{"-c", "fsync=off"}, "", driver.Durability{Level: driver.DurabilityDelayed, Settings: "fsync=off synchronous_commit=on"}},
	} {
		t.Run(c.want.Settings, func(t *testing.T) {
			t.Parallel()
			s := servers.StartPostgres(t, c.settings...)
			url := s.URL()
			if c.commit != "" {
				url += "&synchronous_commit=" + c.commit
			}
			store := openOn(t, url, "durability")
			for name, reporter := range map[string]driver.DurabilityReporter{"sessions": store, "index": store.Index()} {
				got, err := reporter.Durability(t.Context())
				require.NoError(t, err, name)
				assert.Equal(t, c.want, got, name)
			}
			s.Kill()
			_, err := store.Durability(t.Context())
			require.ErrorIs(t, err, session.ErrUnavailable)
			assert.False(t, strings.Contains(err.Error(), url))
		})
	}
}
