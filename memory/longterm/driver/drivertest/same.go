package drivertest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// requireSameRecord requires that a record came back as it was written, with times in UTC, to the
// microsecond, and with nil for empty lists.
func requireSameRecord(t require.TestingT, want, got *driver.Record) {
	for _, at := range times(got) {
		require.Equal(t, time.UTC, at.Location(), "a time is not in UTC")
	}
	w, g := plain(want), plain(got)
	if len(w.Text) > 1000 || len(g.Text) > 1000 {
		require.True(t, w.Text == g.Text, "texts of %d bytes and %d differ", len(w.Text), len(g.Text))
		w.Text, g.Text = "", ""
	}
	require.Equal(t, object(t, want.Metadata), object(t, got.Metadata), "metadata")
	require.Equal(t, object(t, want.ExtractionConfig), object(t, got.ExtractionConfig), "extraction config")
	requireNumbersAsText(t, got.Metadata)
	requireNumbersAsText(t, got.ExtractionConfig)
	w.Metadata, g.Metadata, w.ExtractionConfig, g.ExtractionConfig = nil, nil, nil, nil
	require.Equal(t, w, g)
	for _, list := range [][]string{got.Topics, got.Entities, got.ExtractedFrom} {
		require.True(t, list == nil || len(list) > 0, "an empty list is not nil")
	}
}

func times(r *driver.Record) []*time.Time {
	return []*time.Time{&r.CreatedAt, &r.UpdatedAt, &r.LastAccessed, &r.EventDate, &r.PersistedAt}
}

// plain returns a record in a comparable form.
func plain(r *driver.Record) driver.Record {
	p := *r
	for _, at := range times(&p) {
		*at = at.UTC().Truncate(time.Microsecond)
	}
	for _, list := range []*[]string{&p.Topics, &p.Entities, &p.ExtractedFrom} {
		if len(*list) == 0 {
			*list = nil
		}
	}
	return p
}

// object returns the canonical JSON of an object.
func object(t require.TestingT, o map[string]any) string {
	if len(o) == 0 {
		return "{}"
	}
	data, err := json.Marshal(o)
	require.NoError(t, err)
	return string(data)
}

func requireNumbersAsText(t require.TestingT, value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			requireNumbersAsText(t, v)
		}
	case []any:
		for _, v := range value {
			requireNumbersAsText(t, v)
		}
	case nil, string, bool, json.Number:
	default:
		require.Fail(t, "metadata has a "+typeName(value))
	}
}

func typeName(value any) string { return fmt.Sprintf("%T", value) }
