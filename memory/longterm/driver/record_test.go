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

func TestScope(t *testing.T) {
	t.Parallel()
	shop, anna, none := "shop", "anna", ""
	require.ErrorIs(t, driver.Scope{}.Check(), driver.ErrScope)
	for _, test := range []struct {
		scope driver.Scope
		want  [4]bool // holds {shop, anna}, {shop, ""}, {"", anna}, {"", ""}
		owner bool
	}{
		{driver.Scope{}, [4]bool{}, false},
		{driver.NewScope(&shop, &anna), [4]bool{true, false, false, false}, true},
		{driver.NewScope(&none, &none), [4]bool{false, false, false, true}, true},
		{driver.NewScope(&shop, nil), [4]bool{true, true, false, false}, false},
		{driver.NewScope(nil, &anna), [4]bool{true, false, true, false}, false},
		{driver.NewScope(nil, nil), [4]bool{true, true, true, true}, false},
	} {
		s := test.scope
		require.Equal(t, test.want, [4]bool{s.Holds(shop, anna), s.Holds(shop, none), s.Holds(none, anna), s.Holds(none, none)})
		_, _, owner := s.Owner()
		require.Equal(t, test.owner, owner)
		require.Equal(t, s == driver.Scope{}, s.Check() != nil)
	}
}
