package handle_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
)

// anyID generates ids of several shapes, of which some are the beginning of others.
func anyID() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		return rapid.SampledFrom([]string{
			uuid(n), fmt.Sprintf("f%07x-58cc-4372-a567-0e02b2c3d479", n), fmt.Sprintf("vol-0%016x", n), fmt.Sprintf("vol-0%016x-snap", n),
			fmt.Sprintf("cus_R4kP9xW2mT7v%04dZ", n), "0a1/0b2:0c3@0d4+" + strings.Repeat("7f.", n%5+1) + "7f",
			fmt.Sprintf("/srv/0a1/%d/", n), fmt.Sprintf("資料%d号０ü9c1f", n),
		}).Draw(t, "shape")
	})
}

// anyText generates texts with ids in them, and what may be confused with them.
func anyText(ids []string) *rapid.Generator[string] {
	glue := []string{"", " ", "\n", `\n`, `\`, `\\`, `\u000a`, `"`, `\"`, "%2F", "%", "/", ".", ",", "-", "_", "#", "a", "Z", "7", "é", "資", "\x00", "\xff", "\u212a", "page#1x", "page#"}
	piece := rapid.OneOf(
		rapid.SampledFrom(glue), rapid.SampledFrom(ids), rapid.String(),
		rapid.Map(rapid.SampledFrom(ids), func(id string) string { return id[:len(id)/2] }),
		rapid.Map(rapid.SampledFrom(ids), strings.ToUpper),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 12), func(pieces []string) string { return strings.Join(pieces, "") })
}

// anyValue generates values as JSON decodes to, with the texts of a generator.
func anyValue(text *rapid.Generator[string], depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{rapid.Map(text, func(s string) any { return s }), rapid.Just[any](1.5), rapid.Just[any](true), rapid.Just[any](nil)}
	if depth > 0 {
		below := anyValue(text, depth-1)
		kinds = append(kinds,
			rapid.Map(rapid.SliceOfN(below, 0, 4), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(text, below, 0, 4), func(m map[string]any) any { return m }),
			rapid.Map(below, func(v any) any { data, _ := json.Marshal(v); return string(data) }),
		)
	}
	return rapid.OneOf(kinds...)
}

// requireNoneLeft checks that a text has no whole occurrence of an id: see the documentation of
// the package.
func requireNoneLeft(t *rapid.T, text string, ids []string) {
	word := func(c byte) bool {
		return c == '-' || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
	}
	for _, id := range ids {
		for from := 0; ; from++ {
			at := strings.Index(text[from:], id)
			if at < 0 {
				break
			}
			from += at
			end := from + len(id)
			begins := from == 0 || !word(text[from-1])
			escaped := from > 0 && text[from-1] == '\\' && strings.ContainsAny(id[:1], "nrtbfu")
			if begins && !escaped && (end == len(text) || !word(text[end])) {
				t.Fatalf("%q is left in %q", id, text)
			}
		}
	}
}

func isReplaced(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

func TestEncodeIsInvertible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(anyID(), 1, 8, rapid.ID).Draw(t, "ids")
		table := pages(ids...)
		text := anyText(ids).Draw(t, "text")
		encoded := table.Encode(text)
		require.Equal(t, text, table.Decode(encoded))
		if isReplaced(text) {
			requireNoneLeft(t, encoded, ids)
		}
	})
}

func TestEncodeValueIsInvertible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(anyID(), 1, 8, rapid.ID).Draw(t, "ids")
		table := pages(ids...)
		value := anyValue(anyText(ids), 3).Draw(t, "value")
		require.Equal(t, value, table.DecodeValue(table.EncodeValue(value)))
	})
}

// The model sees the same whether a result is JSON or the value that it decodes to.
func TestEncodeOfJSONAndOfItsValueAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(anyID(), 1, 8, rapid.ID).Draw(t, "ids")
		table := pages(ids...)
		text := anyText(ids).Filter(func(s string) bool { return isReplaced(s) && json.Valid([]byte(`"`+s+`"`)) || s == "" })
		data, err := json.Marshal(anyValue(text, 3).Draw(t, "value"))
		require.NoError(t, err)
		var value, fromText any
		require.NoError(t, json.Unmarshal(data, &value))
		encoded := table.Encode(string(data))
		require.NoError(t, json.Unmarshal([]byte(encoded), &fromText), encoded)
		require.Equal(t, table.EncodeValue(value), fromText)
	})
}

func TestArgumentsHaveNoUnknownHandle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := pages(uuid(1), uuid(2))
		table.Apply(handle.Change{Literals: []string{"page#7"}})
		text := rapid.OneOf(rapid.SampledFrom([]string{
			"page#1", "page#2", "page#7", "user#1", " page#3\n", "Page#4", "page#1 page#5", "x", "\u212aage#1", `"page#6"`, `["page#2"]`, "page#7a", "\xff",
		}), rapid.String())
		decoded, err := table.DecodeArguments(anyValue(text, 2).Draw(t, "arguments"), nil)
		if err != nil {
			return // of an unknown handle, or two equal keys
		}
		eachText(decoded, func(text string) {
			text = strings.TrimSpace(text)
			require.True(t, !handle.Is(text) || text == "page#7", "%q went through", text)
		})
	})
}

// eachText calls visit with the texts in a value, and in JSON in them.
func eachText(value any, visit func(text string)) {
	switch v := value.(type) {
	case string:
		var nested any
		if json.Unmarshal([]byte(v), &nested) == nil {
			eachText(nested, visit)
		}
		visit(v)
	case []any:
		for _, element := range v {
			eachText(element, visit)
		}
	case map[string]any:
		for key, element := range v {
			eachText(key, visit)
			eachText(element, visit)
		}
	}
}

// machine is a model of a conversation's tables: all that was ever given out.
type machine struct {
	tables   []*handle.Table
	literals []map[string]bool // of each table
	given    map[string]string // by handle, in all tables
}

func TestTableModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{given: make(map[string]string)}
		m.add(handle.NewTable(&handle.Options{Capacity: 5}), nil)
		types := rapid.SampledFrom([]string{"page", "user", "", "Not a type"})
		at := func(t *rapid.T) int { return rapid.IntRange(0, len(m.tables)-1).Draw(t, "table") }
		id := rapid.Custom(func(t *rapid.T) memory.Ref {
			return memory.Ref{Type: types.Draw(t, "type"), ID: uuid(rapid.IntRange(1, 12).Draw(t, "id"))}
		})
		literal := rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("%s#%d%s", rapid.SampledFrom([]string{"page", "user", "resource"}).Draw(t, "type"), rapid.IntRange(1, 9).Draw(t, "number"), rapid.SampledFrom([]string{"", "", "a", "aa", "b"}).Draw(t, "branch"))
		})
		t.Repeat(map[string]func(*rapid.T){
			"apply": func(t *rapid.T) {
				c := handle.Change{IDs: rapid.SliceOfN(id, 0, 4).Draw(t, "ids"), Used: rapid.SliceOfN(id, 0, 2).Draw(t, "used"), Literals: rapid.SliceOfN(literal, 0, 3).Draw(t, "literals")}
				m.apply(t, at(t), c)
			},
			"branch": func(t *rapid.T) {
				if i := at(t); len(m.tables) < 6 {
					m.add(m.tables[i].Branch(), m.literals[i])
				}
			},
			"store": func(t *rapid.T) {
				i := at(t)
				state, err := m.tables[i].MarshalJSON()
				require.NoError(t, err)
				m.tables[i] = handle.NewTable(&handle.Options{Capacity: 5})
				require.NoError(t, m.tables[i].UnmarshalJSON(state), string(state))
			},
			"": func(t *rapid.T) {
				for i := range m.tables {
					m.check(t, i)
				}
			},
		})
	})
}

func (m *machine) add(table *handle.Table, literals map[string]bool) {
	copied := make(map[string]bool)
	for l := range literals {
		copied[l] = true
	}
	m.tables, m.literals = append(m.tables, table), append(m.literals, copied)
}

func (m *machine) apply(t *rapid.T, i int, c handle.Change) {
	for _, l := range c.Literals {
		if m.given[l] == "" { // anything else was given out before
			m.literals[i][l] = true
		}
	}
	m.tables[i].Apply(c)
	last := c.IDs[max(0, len(c.IDs)-5):]
	for _, ref := range last {
		require.True(t, handle.Is(m.tables[i].Handle(ref.ID)), "%s has no handle", ref.ID)
	}
}

func (m *machine) check(t *rapid.T, i int) {
	table, known := m.tables[i], make(map[string]string)
	for n := 1; n <= 12; n++ {
		id := uuid(n)
		h := table.Handle(id)
		before := m.given[h]
		switch {
		case h == id:
			continue
		case known[h] != "":
			t.Fatalf("two ids have the handle %s", h)
		case before != "" && before != id:
			t.Fatalf("%s has meant another id", h)
		case before == "" && m.literals[i][h]:
			t.Fatalf("%s was a literal", h)
		case table.Encode(id) != h || table.Decode(h) != id:
			t.Fatalf("%s is not the handle of %s", h, id)
		}
		known[h], m.given[h] = id, id
	}
	require.Len(t, known, table.Len())
	require.LessOrEqual(t, len(known), 5)
}
