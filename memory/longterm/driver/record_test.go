package driver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func TestMetadataDepth(t *testing.T) {
	t.Parallel()
	exact, self := map[string]any{}, map[string]any{}
	for range driver.MaxMetadataDepth {
		exact = map[string]any{"a": exact}
	}
	self["self"] = []any{self}
	require.NoError(t, driver.CheckRecord(&driver.Record{ID: "1", Text: "x", Metadata: exact}))
	for _, metadata := range []map[string]any{{"a": exact}, {"a": []any{exact}}, self} {
		require.ErrorIs(t, driver.CheckRecord(&driver.Record{ID: "1", Text: "x", Metadata: metadata}), driver.ErrTooLarge)
	}
}
