package driver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func TestMetadataDepth(t *testing.T) {
	t.Parallel()
	exact := map[string]any{}
	for range driver.MaxMetadataDepth {
		exact = map[string]any{"a": exact}
	}
	require.NoError(t, driver.CheckRecord(&driver.Record{ID: "1", Text: "x", Metadata: exact}))
	require.ErrorIs(t, driver.CheckRecord(&driver.Record{ID: "1", Text: "x", Metadata: map[string]any{"a": exact}}), driver.ErrTooLarge)
	require.ErrorIs(t, driver.CheckRecord(&driver.Record{ID: "1", Text: "x", Metadata: map[string]any{"a": []any{exact}}}), driver.ErrTooLarge)
	self := map[string]any{}
	self["self"] = []any{self}
	require.ErrorIs(t, driver.CheckRecord(&driver.Record{ID: "1", Text: "x", Metadata: self}), driver.ErrTooLarge)
}
