package backend_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
)

func TestParsePlace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, shown string }{
		{"memory:", "memory:"},
		{"sqlite:wmem.db", "sqlite:wmem.db"},
		{"sqlite:./a/../wmem.db", "sqlite:wmem.db"},
		{"sqlite:///var/lib/wmem.db", "sqlite:/var/lib/wmem.db"},
		{"sqlite:/var/lib/wmem.db", "sqlite:/var/lib/wmem.db"},
		{"redis://127.0.0.1:6379/9", "redis://127.0.0.1:6379/9"},
		{"rediss://u:hunter2@h:1/0?password=hunter2", "rediss://h:1/0"},
		{"postgres://hunter2@h/db", "postgres://h/db"},
		{"postgresql://u:hunter2@h:5432/db?sslmode=disable&sslpassword=hunter2#hunter2", "postgresql://h:5432/db"},
		{"postgres://u:hunter2@h1:1,h2:2/db", "postgres://h1:1,h2:2/db"},
		{"postgres://u:hunter2%zz@h/db?x=hunter2", "postgres://h/db"},
		{"postgres:///db?host=/run", "postgres:///db"},
	} {
		place, err := backend.ParsePlace(tc.text)
		require.NoError(t, err, tc.text)
		assert.Equal(t, tc.shown, place.String())
		assert.Equal(t, !strings.HasPrefix(tc.text, "redis"), place.KeepsMemories())
	}
}

func TestBadPlaces(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "wmem.db", "hunter2", "mysql://u:hunter2@h/", "memory:hunter2", "sqlite:", "sqlite://hunter2",
		"redis:hunter2", "redis://", "postgres:/hunter2", "sqlite:hunter2\x00", "REDIS://h",
		"postgres://u:hun/ter2@h/db", "postgres://u:1/hunter2@h/db", "redis://h/hunter2@x",
	} {
		_, err := backend.ParsePlace(text)
		require.ErrorIs(t, err, backend.ErrURL, text)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestPasswordsAreHidden(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		noise := rapid.StringMatching(`[a-z0-9@:/?#%&=\[\] ]{0,6}`)
		password := noise.Draw(t, "before") + "hunter2" + noise.Draw(t, "after")
		scheme := rapid.SampledFrom([]string{"redis", "rediss", "postgres", "postgresql"}).Draw(t, "scheme")
		place, err := backend.ParsePlace(scheme + "://user:" + password + "@host:1/db?a=b")
		if err != nil {
			require.ErrorIs(t, err, backend.ErrURL)
			require.NotContains(t, err.Error(), "hunter2")
			return
		}
		require.NotContains(t, place.String(), "hunter2")
	})
}
