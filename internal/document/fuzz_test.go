package document_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// fuzz runs one decoder on damaged texts of all formats.
func fuzz(f *testing.F, decoder string) {
	for i, test := range formats() {
		f.Add(test.Text, uint64(i))
	}
	f.Fuzz(func(t *testing.T, text string, salt uint64) { check(t, decoder, text, salt) })
}

func FuzzReadText(f *testing.F) { fuzz(f, "ReadText") }
func FuzzNDJSON(f *testing.F)   { fuzz(f, "NDJSON") }
func FuzzYAML(f *testing.F)     { fuzz(f, "YAML") }
func FuzzCSV(f *testing.F)      { fuzz(f, "CSV") }
func FuzzMarkdown(f *testing.F) { fuzz(f, "Markdown") }
func FuzzColumns(f *testing.F)  { fuzz(f, "Columns") }
func FuzzAligned(f *testing.F)  { fuzz(f, "Aligned") }
func FuzzPython(f *testing.F)   { fuzz(f, "Python") }
func FuzzXML(f *testing.F)      { fuzz(f, "XML") }
func FuzzKeyValue(f *testing.F) { fuzz(f, "KeyValue") }

// FuzzParts: the documents in a text do not overlap, and each keeps the protocol.
func FuzzParts(f *testing.F) {
	for _, test := range formats() {
		f.Add(test.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for part := range document.Parts([]byte(text)) {
			require.LessOrEqual(t, end, part.Start)
			require.Less(t, part.Start, part.End)
			end = part.End
			var got tree
			part.Read(&got, document.Limits{})
			require.Empty(t, got.problems())
		}
		require.LessOrEqual(t, end, len(text))
	})
}

// FuzzJSON also compares the result with that of encoding/json, except for objects
// that only name the type of a value.
func FuzzJSON(f *testing.F) {
	for i, test := range formats() {
		f.Add(test.Text, uint64(i))
	}
	f.Add(`{"a":1,"a":{"b":2},"a":[]}`, uint64(1))
	f.Add(`["\ud800", "\u0000", "é", -0.5e-7]`, uint64(2))
	f.Fuzz(func(t *testing.T, text string, salt uint64) {
		check(t, "JSON", text, salt)
		dec := json.NewDecoder(bytes.NewReader([]byte(text)))
		dec.UseNumber()
		var want any
		if !json.Valid([]byte(text)) || dec.Decode(&want) != nil || !utf8.ValidString(text) {
			return
		}
		var got tree
		result := document.JSON([]byte(text), &got, document.Limits{Plain: true})
		if result.Err != nil {
			require.ErrorIs(t, result.Err, document.ErrDepth)
			return
		}
		require.Equal(t, want, got.root)
	})
}
