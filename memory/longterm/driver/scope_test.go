package driver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

func TestScopeHoldsItsOwners(t *testing.T) {
	t.Parallel()
	shop, anna, none := "shop", "anna", ""
	for name, tc := range map[string]struct {
		scope driver.Scope
		holds [][2]string
		owner bool
	}{
		"zero":           {},
		"owner":          {driver.NewScope(&shop, &anna), [][2]string{{shop, anna}}, true},
		"without a name": {driver.NewScope(&none, &none), [][2]string{{none, none}}, true},
		"namespace":      {driver.NewScope(&shop, nil), [][2]string{{shop, anna}, {shop, none}}, false},
		"user":           {driver.NewScope(nil, &anna), [][2]string{{shop, anna}, {none, anna}}, false},
		"all":            {driver.NewScope(nil, nil), [][2]string{{shop, anna}, {shop, none}, {none, anna}, {none, none}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var holds [][2]string
			for _, namespace := range []string{shop, none} {
				for _, user := range []string{anna, none} {
					if tc.scope.Holds(namespace, user) {
						holds = append(holds, [2]string{namespace, user})
					}
				}
			}
			require.Equal(t, tc.holds, holds)
			_, _, owner := tc.scope.Owner()
			require.Equal(t, tc.owner, owner)
			if name == "zero" {
				require.ErrorIs(t, tc.scope.Check(), driver.ErrScope)
			} else {
				require.NoError(t, tc.scope.Check())
			}
		})
	}
}
