package document_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// TestJSONIsCheckedByItsGrammar: the grammar is checked in delivered and in skipped values.
func TestJSONIsCheckedByItsGrammar(t *testing.T) {
	t.Parallel()
	whole := string(orders(800, "  ")) + ` [true,false,null,-0.5e+7,1E2,"\\\"\u00e9\ud83d\ude00\t"," é",{},[],{"":[[]]}]`
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, len(whole)).Draw(t, "from")
		text := []byte(whole[from:rapid.IntRange(from, len(whole)).Draw(t, "to")])
		if rapid.Bool().Draw(t, "framed") {
			text = append(append([]byte(`{"a":[`), text...), "]}"...)
		}
		for range rapid.IntRange(0, 2).Draw(t, "damages") {
			if len(text) > 0 {
				i := rapid.IntRange(0, len(text)-1).Draw(t, "at")
				text[i] = rapid.SampledFrom([]byte("{}[]\",:\\ \n\x00-+.eE019ntfu\x80")).Draw(t, "byte")
			}
		}
		want := json.Valid(text)
		for name, visitor := range map[string]document.Visitor{"read": takeAll{}, "skipped": skipAll{}} {
			err := document.JSON(text, visitor, document.Limits{}).Err
			require.Equal(t, want, err == nil, "%s: %q: %v", name, text, err)
		}
	})
}
