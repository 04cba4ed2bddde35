package document_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/soak"
)

type base struct {
	ID string `json:"id"`
}

type named struct{ City string }

type page struct {
	*base
	named   `json:"address"`
	Title   string          `json:"title,omitempty"`
	Slug    *string         `json:"slug"`
	Skipped string          `json:"-"`
	Dash    int             `json:"-,"` //lint:ignore SA5008 this is how encoding/json spells the name "-"
	Raw     json.RawMessage `json:"raw,omitempty"`
	Time    time.Time       `json:"time,omitzero"`
	Any     any
	private string
}

type money struct{ cents int }

func (m *money) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]int{"cents": m.cents})
}

type color int

func (c color) MarshalText() ([]byte, error) { return []byte("red"), nil }

type grumpy struct{}

func (grumpy) MarshalJSON() ([]byte, error) { panic("no") }

type wrong struct{}

func (wrong) MarshalText() ([]byte, error) { return nil, errors.New("no") }

func TestValue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		give any
		want any
	}{
		{"map keys", map[int]any{2: "b", 10: []string{"a"}}, object{"10": array{"a"}, "2": "b"}},
		{"floats", []any{float64(1 << 60), 1e300}, array{num("1152921504606847000"), num("1e+300")}},
		{"errors", map[string]any{"error": errors.New("no such id")}, object{"error": "no such id"}},
		{"bytes", map[string]any{"b": []byte("text"), "a": [2]byte{1, 2}}, object{"a": array{num("1"), num("2")}, "b": "text"}},
		{"marshaler of the pointer", []any{[]money{{7}}}, array{array{object{"cents": num("7")}}}},
		{"nil in it", []any{(*page)(nil), map[string]int(nil), []int(nil), (*money)(nil)}, array{nil, nil, nil, nil}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got tree
			result := document.Read(test.give, &got, document.Limits{})
			require.NoError(t, result.Err)
			assert.Equal(t, document.FormatValue, result.Format)
			assert.Empty(t, got.problems())
			assert.Equal(t, test.want, got.root)
		})
	}
}

type (
	left  struct{ Name, Both string }
	right struct {
		Name string `json:"name"`
		Both string
	}
	self struct {
		*self
		ID int `json:",omitempty"`
	}
	omitted struct {
		A int            `json:"a,omitempty"`
		B []int          `json:"b,omitempty"`
		C map[string]int `json:"c,omitempty"`
		D *int           `json:"d,omitempty"`
		E struct{}       `json:"e,omitempty"`
		F time.Time      `json:"f,omitzero"`
	}
)

func TestReadTexts(t *testing.T) {
	t.Parallel()
	text := `{"id": "a"}`
	type result string
	for _, give := range []any{text, []byte(text), json.RawMessage(text), errors.New(text), result(text)} {
		var got tree
		result := document.Read(give, &got, document.Limits{})
		require.NoError(t, result.Err)
		assert.Equal(t, document.FormatJSON, result.Format)
		assert.Equal(t, object{"id": "a"}, got.root)
	}
	for _, give := range []any{nil, "", []byte(nil)} {
		var got tree
		assert.Equal(t, document.Result{Format: document.FormatEmpty}, document.Read(give, &got, document.Limits{}))
		assert.Empty(t, got.sequence.String())
	}
}

func TestFailingMarshalers(t *testing.T) {
	t.Parallel()
	for _, give := range []any{
		[]any{grumpy{}, wrong{}, brokenJSON{}, nilError(), func() {}, make(chan int), complex(1, 2), math.NaN(), json.Number("x"), "id"},
		map[string]any{"a": grumpy{}, "b": "id"},
	} {
		var got tree
		result := document.Read(give, &got, document.Limits{})
		require.ErrorIs(t, result.Err, document.ErrMarshal)
		assert.Empty(t, got.problems())
		assert.Contains(t, got.sequence.String(), "id")
	}
	var got tree
	result := document.Read(nilError(), &got, document.Limits{})
	require.ErrorIs(t, result.Err, document.ErrMarshal)
}

type brokenJSON struct{}

func (brokenJSON) MarshalJSON() ([]byte, error) { return []byte(`{"a": [1, `), nil }

type codeError struct{ text string }

func (e *codeError) Error() string { return e.text }

func nilError() error { return (*codeError)(nil) }

func TestCyclicValues(t *testing.T) {
	t.Parallel()
	type ring struct {
		ID   int
		Next *ring
	}
	r := &ring{ID: 1}
	r.Next = &ring{ID: 2, Next: r}
	m := map[string]any{"id": "m"}
	m["self"] = m
	s := []any{"a", nil}
	s[1] = s
	var p any
	p = &p
	for _, test := range []struct {
		give any
		want error
	}{{r, document.ErrMarshal}, {m, document.ErrDepth}, {s, document.ErrDepth}, {p, document.ErrMarshal}} {
		var got tree
		require.ErrorIs(t, document.Read(test.give, &got, document.Limits{}).Err, test.want)
		assert.Empty(t, got.problems())
	}

	type linked struct{ Next *linked }
	var list *linked
	for range soak.Times(1000, 100_000) {
		list = &linked{list}
	}
	var wide any = "x"
	for range 60 {
		wide = []any{wide, wide}
	}
	var deep tree
	require.ErrorIs(t, document.Read(list, &deep, document.Limits{}).Err, document.ErrDepth)
	assert.Empty(t, deep.problems())
	var got counter
	require.ErrorIs(t, document.Read(wide, &got, document.Limits{}).Err, document.ErrValues)
}

// TestValueIsReadAsItsJSON compares with what encoding/json writes, in the same order.
func TestValueIsReadAsItsJSON(t *testing.T) {
	t.Parallel()
	requireSame := func(t require.TestingT, give any) {
		text, err := json.Marshal(give)
		require.NoError(t, err)
		var got, want tree
		require.NoError(t, document.Value(give, &got, document.Limits{}).Err)
		require.Empty(t, got.problems())
		require.NoError(t, document.JSON(text, &want, document.Limits{}).Err)
		require.Equal(t, want.sequence.String(), got.sequence.String(), string(text))
	}
	for _, give := range []any{
		map[string]any{"b": []any{1, 2.5, "x", nil, true}, "a": map[string]any{}, "text": `{"b": 1}`},
		page{base: &base{ID: "p1"}, named: named{"Lund"}, Slug: new("home"), Dash: 1, Raw: json.RawMessage(`{"x": [1]}`), private: "x"},
		&page{Title: "t", Any: []string{"a"}},
		[]any{int64(math.MaxInt64), uint64(math.MaxUint64), json.Number("12345678901234567890"), new(big.Int).Lsh(big.NewInt(1), 100), float32(0.1)},
		map[int]string{2: "b", -1: "a", 10: "c"},
		[]any{&money{5}, color(1), time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)},
		struct {
			left
			right
		}{left{"a", "b"}, right{"c", "d"}},
		struct {
			left
			Name string
		}{left{"a", "b"}, "c"},
		struct {
			left
			Other string `json:"Name"`
		}{left{"a", "b"}, "c"},
		&self{ID: 1},
		self{self: &self{ID: 2}},
		omitted{},
		&omitted{A: 1, B: []int{1}, C: map[string]int{"x": 1}},
	} {
		requireSame(t, give)
	}
	rapid.Check(t, func(t *rapid.T) {
		requireSame(t, rapid.MapOf(rapid.String(), rapid.Int64()).Draw(t, "map"))
	})
}
