package wire_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// The test is not parallel, since others would use the heap too.
func TestDecodedValuesFitTheRoom(t *testing.T) {
	const size = 40_000
	data := func(part string) []byte { return filled(size, `{"data":{"a":[`, part, `]}}`) }
	for name, c := range map[string]struct {
		data []byte
		v    any
	}{
		"empty objects":  {data(`{}`), new(wire.SessionBody)},
		"small objects":  {data(`{"":0}`), new(wire.SessionBody)},
		"objects of 9":   {data(`{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0}`), new(wire.SessionBody)},
		"nested objects": {data(strings.Repeat(`{"":`, 900) + `1` + strings.Repeat(`}`, 900)), new(wire.SessionBody)},
		"nested lists":   {data(`[]`), new(wire.SessionBody)},
		"lists of one":   {data(`[0]`), new(wire.SessionBody)},
		"deep lists":     {data(strings.Repeat(`[`, 900) + strings.Repeat(`]`, 900)), new(wire.SessionBody)},
		"digits":         {data(`1`), new(wire.SessionBody)},
		"short texts":    {data(`"a"`), new(wire.SessionBody)},
		"long texts":     {data(`"` + strings.Repeat("x", 5000) + `"`), new(wire.SessionBody)},
		"messages":       {filled(size, `{"messages":[`, `{"role":"","content":"","created_at":0,"persisted_at":0,"tool_calls":[{"name":""},{"name":""}]}`, `]}`), new(wire.SessionBody)},
		"memories":       {filled(size, `{"memories":[`, `{"text":"","topics":["",""],"event_date":0,"metadata":{"a":1}}`, `]}`), new(wire.SessionBody)},
		"bare memories":  {filled(size, `{"memories":[`, `{"text":""}`, `]}`), new(wire.SessionBody)},
		"entities":       {filled(size, `{"entities":[`, `{"id":""}`, `]}`), new(wire.SessionBody)},
		"a result":       {filled(size, `{"name":"t","result":[`, `[[0]]`, `]}`), new(wire.RecordedCall)},
		"ids":            {filled(size, `{"memories":[{"text":"","extracted_from":[`, `""`, `]}]}`), new(wire.SessionBody)},
	} {
		var said int64
		before := heap()
		require.NoError(t, new(wire.Decoder).Decode(c.data, c.v, func(bytes int64) error { said = bytes; return nil }), name)
		taken := heap() - before
		runtime.KeepAlive(c.v)
		runtime.KeepAlive(c.data)
		// Sizes are rounded up, and the runtime allocates a little of its own.
		assert.Less(t, taken, said+said/4+16<<10, "%s: %d bytes of JSON", name, len(c.data))
		assert.Less(t, said, int64(150*len(c.data)), name)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestNothingIsDecodedWithoutRoom(t *testing.T) {
	t.Parallel()
	var body wire.SessionBody
	err := new(wire.Decoder).Decode([]byte(`{"context":"x"}`), &body, func(int64) error { return assert.AnError })
	require.Equal(t, assert.AnError, err)
	require.Nil(t, body.Context)
}
