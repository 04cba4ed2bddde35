package drivertest

import (
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview/driver"
)

func keepingCases() []testCase {
	return []testCase{{
		Name:  "all fields are stored",
		About: "Get and List return what was put, and a Put replaces all of it.",
		Run: func(e *env) {
			e.add(document("a", 1), document("b", 2))
			e.has(document("a", 1), document("b", 2))
			replaced := driver.Document{Key: "a", Revision: "r3", Value: []byte("new")}
			e.write(put(replaced, "r1"))
			e.has(replaced, document("b", 2))
		},
	}, {
		Name:  "values are bytes",
		About: "A value may be empty and need not be text.",
		Run: func(e *env) {
			all := make([]byte, 256)
			for i := range all {
				all[i] = byte(i)
			}
			for key, value := range map[string][]byte{"all": all, "empty": {}, "zero": {0}, "quotes": []byte(`'"\`)} {
				e.add(driver.Document{Key: key, Revision: "r", Value: value})
				got, err := e.store.Get(e.ctx, key)
				require.NoError(e, err)
				require.Equal(e, string(value), string(got.Value))
			}
		},
	}, {
		Name:  "largest documents",
		About: "Keys, revisions and values of the maximum length are stored.",
		Run: func(e *env) {
			d := driver.Document{
				Key: strings.Repeat("~", driver.MaxKeyBytes), Revision: strings.Repeat("!", driver.MaxRevisionBytes),
				Value: []byte(strings.Repeat("v", driver.MaxValueBytes)),
			}
			e.add(d)
			e.has(d)
		},
	}, {
		Name:  "millisecond times",
		About: "A due time is truncated to the millisecond and returned in UTC; 1970 and 9999 are stored, and none is not mistaken for 1970.",
		Run: func(e *env) {
			for key, times := range map[string][2]time.Time{
				"first": {time.UnixMilli(0), time.UnixMilli(0).UTC()}, "none": {},
				"last": {time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC)},
				"east": {noon.Add(999_999).In(time.FixedZone("east", 3600)), noon},
			} {
				d := document(key, 1)
				d.Due = times[0]
				e.add(d)
				got, err := e.store.Get(e.ctx, key)
				require.NoError(e, err)
				require.Equal(e, times[1], got.Due, key)
			}
			due, err := e.store.Due(e.ctx, time.UnixMilli(0), 10)
			require.NoError(e, err)
			require.Len(e, due, 1)
		},
	}, {
		Name:  "results belong to the caller",
		About: "Changing an argument or a result changes nothing in the store.",
		Run: func(e *env) {
			d := document("a", 1)
			e.add(d)
			copy(d.Value, "xxxxx")
			got, err := e.store.Get(e.ctx, "a")
			require.NoError(e, err)
			copy(got.Value, "yyyyy")
			due, err := e.store.Due(e.ctx, noon.Add(time.Hour), 1)
			require.NoError(e, err)
			require.Len(e, due, 1)
			copy(due[0].Value, "zzzzz")
			e.has(document("a", 1))
		},
	}, {
		Name:  "shared handles",
		About: "A handle sees what another has written.",
		Run: func(e *env) {
			other := e.harness.Open(e.TB)
			e.add(document("a", 1))
			got, err := other.Get(e.ctx, "a")
			require.NoError(e, err)
			require.Equal(e, document("a", 1), got)
			require.NoError(e, other.Write(e.ctx, []driver.DocumentChange{remove("a", "r1")}))
			e.has()
		},
	}}
}
