package postgresstore_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// TestNumbersOfOwners: what is known of how many records and terms an owner has is what
// there is, whatever was added, replaced, removed and refused; of an owner without
// records nothing stays.
func TestNumbersOfOwners(t *testing.T) {
	t.Parallel()
	schema, pool := newSchema(t), newPool(t)
	x, g := open(t, schema).Index(), generator{rand.New(rand.NewPCG(10, 10))}
	versions := map[driver.RecordKey]uint64{}
	reread := func(changes []driver.RecordChange) {
		for _, c := range changes {
			found, err := x.Lookup(t.Context(), driver.Lookup{Keys: []driver.RecordKey{c.Key}})
			require.NoError(t, err)
			delete(versions, c.Key)
			if len(found) > 0 {
				versions[c.Key] = found[0].Version
			}
		}
	}
	for round := range 40 {
		var changes []driver.RecordChange
		for n := range 30 {
			e := g.entry(n)
			e.Record.ID = fmt.Sprint(n)
			c := driver.RecordChange{Key: driver.KeyOf(&e.Record), Entry: e}
			c.If = versions[c.Key]
			if g.IntN(3) == 0 {
				c.Entry = nil // also of what is not there
			}
			changes = append(changes, c)
		}
		refused := round%5 == 4
		if refused {
			changes[29].If += 7
		}
		err := x.Write(t.Context(), changes)
		if refused {
			require.ErrorIs(t, err, longterm.ErrConflict)
		} else {
			require.NoError(t, err)
		}
		reread(changes)
		require.NoError(t, x.Touch(t.Context(), []driver.RecordKey{changes[0].Key}, time.Now()))
		reread(changes[:1])
		require.Zero(t, number(t, pool, schema, `SELECT count(*) FROM {schema}.owners o FULL JOIN (
			SELECT owner, namespace, user_id, count(*) AS records, sum(length) AS terms FROM {schema}.records GROUP BY 1, 2, 3) r
			ON (o.owner, o.namespace, o.user_id, o.records, o.terms) = (r.owner, r.namespace, r.user_id, r.records, r.terms)
			WHERE o.owner IS NULL OR r.owner IS NULL`))
		require.Zero(t, number(t, pool, schema, `SELECT count(*) FROM {schema}.vectors v FULL JOIN
			(SELECT id FROM {schema}.records WHERE dimension > 0) r ON r.id = v.record WHERE v.record IS NULL OR r.id IS NULL`))
	}
	var all []driver.RecordChange
	for key, version := range versions {
		all = append(all, driver.RecordChange{Key: key, If: version})
	}
	require.NotEmpty(t, all)
	require.NoError(t, x.Write(t.Context(), all))
	require.Zero(t, number(t, pool, schema, `SELECT (SELECT count(*) FROM {schema}.owners) + (SELECT count(*) FROM {schema}.vectors)`))
}
