package jsonnumbers_test

import (
	stdjson "encoding/json"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/jsonnumbers"
)

func TestNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	const data = `{"a":[1.10,-0,12345678901234567890123,{},[]],"b":{"c":null,"d":true,"e":"é\n","f":1e5}}`
	var value any
	require.NoError(t, json.Unmarshal([]byte(data), &value, jsonnumbers.In()))
	assert.Equal(t, map[string]any{
		"a": []any{stdjson.Number("1.10"), stdjson.Number("-0"), stdjson.Number("12345678901234567890123"), map[string]any{}, []any{}},
		"b": map[string]any{"c": nil, "d": true, "e": "é\n", "f": stdjson.Number("1e5")},
	}, value)
	out, err := json.Marshal(value, jsonnumbers.Out(), json.Deterministic(true))
	require.NoError(t, err)
	assert.Equal(t, data, string(out))
}

func TestFieldsOfNoType(t *testing.T) {
	t.Parallel()
	var s struct {
		Any any
		Map map[string]any
		N   int
	}
	require.NoError(t, json.Unmarshal([]byte(`{"Any":5,"Map":{"x":[6]},"N":7}`), &s, jsonnumbers.In()))
	assert.Equal(t, stdjson.Number("5"), s.Any)
	assert.Equal(t, map[string]any{"x": []any{stdjson.Number("6")}}, s.Map)
	assert.Equal(t, 7, s.N)
}

func TestBrokenJSONIsAnError(t *testing.T) {
	t.Parallel()
	for _, data := range []string{``, `{`, `[1,`, `{"a"`, `{"a":`, `{"a":1,"a":2}`, `[nul]`, `"\x"`, `[1 2]`, `{"a":[}`} {
		var value any
		require.Error(t, json.Unmarshal([]byte(data), &value, jsonnumbers.In()), data)
	}
	_, err := json.Marshal(stdjson.Number("1x"), jsonnumbers.Out())
	require.Error(t, err)
}
