package wire_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// field is a place of a value in a body.
type field struct {
	of  reflect.Type
	loc []any
	// before and after are the JSON around the value.
	before, after string
}

// fieldsOf returns all places in a type within a body.
func fieldsOf(t reflect.Type, at field) []field {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[wire.SearchOrBool]() {
		t = reflect.TypeFor[wire.Search]()
	}
	at.of = t
	switch {
	case strings.HasSuffix(t.PkgPath(), "/wire") && t.Kind() == reflect.Struct && t != reflect.TypeFor[wire.Time]():
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		at.loc, at.before, at.after = append(at.loc[:len(at.loc):len(at.loc)], 0), at.before+"[", "]"+at.after
		return fieldsOf(t.Elem(), at)
	default:
		return []field{at}
	}
	var all []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		others := ""
		for k := range t.NumField() {
			other, _, _ := strings.Cut(t.Field(k).Tag.Get("json"), ",")
			if tag := t.Field(k).Tag.Get("wire"); k != i && strings.HasPrefix(tag, "required") {
				others += fmt.Sprintf(",%q:%s", other, map[reflect.Kind]string{reflect.String: `"x"`, reflect.Slice: "[]", reflect.Pointer: "{}"}[t.Field(k).Type.Kind()])
			}
		}
		next := field{loc: append(at.loc[:len(at.loc):len(at.loc)], name), before: at.before + fmt.Sprintf("{%q:", name), after: others + "}" + at.after}
		all = append(all, fieldsOf(f.Type, next)...)
	}
	return all
}

// valuesOf returns values that a type accepts, and others with the kinds of their mistakes.
func valuesOf(t reflect.Type) (right []string, wrong map[string]string) {
	switch t {
	case reflect.TypeFor[wire.Int]():
		return []string{`3`, `3.0`, `3e0`, `"3"`, `" 3 "`, `"3.0"`, `-3`, `9223372036854775807`, `"-9223372036854775808"`}, map[string]string{
			`3.5`: "int_from_float", `"3.5"`: "int_parsing", `"x"`: "int_parsing", `""`: "int_parsing", `"NaN"`: "int_parsing", `"0x1"`: "int_parsing",
			`9223372036854775808`: "int_parsing_size", `"9223372036854775808"`: "int_parsing_size", `1e400`: "int_parsing_size", `"1e400"`: "int_parsing_size", `-1e400`: "int_parsing_size",
			`true`: "int_type", `[]`: "int_type", `{}`: "int_type",
		}
	case reflect.TypeFor[wire.Float]():
		return []string{`3`, `3.5`, `"3.5"`, `" 3 "`, `-0`, `"1e3"`}, map[string]string{
			`"x"`: "float_parsing", `""`: "float_parsing", `"NaN"`: "finite_number", `"inf"`: "finite_number", `1e400`: "finite_number", `"-1e400"`: "finite_number",
			`true`: "float_type", `[]`: "float_type", `{}`: "float_type",
		}
	case reflect.TypeFor[wire.Bool](), reflect.TypeFor[wire.Flag]():
		return []string{`true`, `false`, `"true"`, `"False"`, `"1"`, `0`, `1`, `"t"`, `"f"`, `"off"`, `" yes "`}, map[string]string{
			`2`: "bool_parsing", `"x"`: "bool_parsing", `""`: "bool_parsing", `[]`: "bool_type", `{}`: "bool_type",
		}
	case reflect.TypeFor[wire.Time]():
		return []string{
				`"2025-01-02T03:04:05Z"`, `"2025-01-02T03:04:05.123456789Z"`, `"2025-01-02 03:04:05+02:00"`, `"2025-01-02t03:04:05z"`, `"2025-01-02T03:04:05"`, `"2025-01-02T03:04"`,
				`"2025-01-02T03:04:05-0800"`, `"2025-01-02"`, `1735787045`, `1735787045.5`, `1735787045123`, `"1735787045"`, `-1`, `0`,
			}, map[string]string{
				`"x"`: "datetime_parsing", `""`: "datetime_parsing", `"2025-13-01"`: "datetime_parsing", `"2025-02-30T00:00:00Z"`: "datetime_parsing", `1e400`: "datetime_parsing", `"NaN"`: "datetime_parsing",
				`"99999-01-01"`: "datetime_parsing", `1e15`: "datetime_parsing", `true`: "datetime_type", `[]`: "datetime_type", `{}`: "datetime_type",
			}
	}
	return nil, nil
}

// Every field of every body accepts numbers, booleans and times as texts, and reports mistakes
// with their place.
func TestEveryFieldTakesWhatItsTypeTakes(t *testing.T) {
	t.Parallel()
	seen, decoder := map[reflect.Type]int{}, new(wire.Decoder)
	for _, body := range []reflect.Type{
		reflect.TypeFor[wire.SessionBody](), reflect.TypeFor[wire.Append](), reflect.TypeFor[wire.RecordedCall](), reflect.TypeFor[wire.MemoryBody](),
		reflect.TypeFor[wire.MemoryPatch](), reflect.TypeFor[wire.Search](), reflect.TypeFor[wire.Forget](), reflect.TypeFor[wire.PromptRequest](),
	} {
		for _, f := range fieldsOf(body, field{loc: []any{"body"}}) {
			seen[f.of]++
			right, wrong := valuesOf(f.of)
			if _, listed := f.loc[len(f.loc)-1].(int); !listed && len(right) > 0 {
				right = append(right, "null")
			}
			for _, value := range right {
				assert.NoError(t, decoder.Decode([]byte(f.before+value+f.after), reflect.New(body).Interface(), nil), "%v: %s", f.loc, value)
			}
			for value, kind := range wrong {
				found := places(t, decoder.Decode([]byte(f.before+value+f.after), reflect.New(body).Interface(), nil))
				require.Len(t, found, 1, "%v: %s", f.loc, value)
				assert.Equal(t, kind, found[0].Type, "%v: %s", f.loc, value)
				assert.Equal(t, f.loc, found[0].Loc, value)
				assert.NotEmpty(t, found[0].Msg)
				_, err := json.Marshal(found[0].Input)
				assert.NoError(t, err, "%v: %s", f.loc, value)
			}
		}
	}
	for of, least := range map[reflect.Type]int{reflect.TypeFor[wire.Int](): 8, reflect.TypeFor[wire.Float](): 10, reflect.TypeFor[wire.Bool](): 5, reflect.TypeFor[wire.Flag](): 4, reflect.TypeFor[wire.Time](): 30} {
		assert.GreaterOrEqual(t, seen[of], least, of.String())
	}
	for of := range seen { // a field of a type that takes no texts was forgotten, or is no number
		assert.False(t, of.Kind() >= reflect.Bool && of.Kind() <= reflect.Float64 && of.PkgPath() == "", of.String())
	}
}
