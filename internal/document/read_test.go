package document_test

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// formatCase is a text, the format it is read as, and its content and that of documents in it as JSON.
type formatCase struct {
	Name, Text, Want string
	Parts            []string
	Format           document.Format
}

// formats are the cases of testdata/formats.yaml, which are also the seeds of fuzz tests.
var formats = sync.OnceValue(func() (cases []formatCase) {
	data, err := os.ReadFile("testdata/formats.yaml")
	if err != nil {
		panic(err)
	}
	if err := yaml.Unmarshal(data, &cases); err != nil {
		panic(err)
	}
	return cases
})

func TestReadText(t *testing.T) {
	t.Parallel()
	for _, test := range formats() {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			var got tree
			result := document.ReadText([]byte(test.Text), &got, document.Limits{})
			assert.Empty(t, got.problems())
			assert.Equal(t, test.Format, result.Format)
			want := any(strings.TrimSpace(test.Text))
			if test.Want != "" {
				want = decoded(t, test.Want)
			}
			assert.Equal(t, want, got.root, got.sequence.String())
			if test.Format != document.FormatText {
				return
			}
			var parts, wanted []any
			for part := range document.Parts([]byte(test.Text)) {
				var got tree
				part.Read(&got, document.Limits{})
				assert.Empty(t, got.problems())
				parts = append(parts, got.root)
			}
			for _, want := range test.Parts {
				wanted = append(wanted, decoded(t, want))
			}
			assert.Equal(t, wanted, parts)
		})
	}
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&v))
	return v
}

// TestNestedLimit: texts within texts are opened up to the limit.
func TestNestedLimit(t *testing.T) {
	t.Parallel()
	text := `{"id": 1}`
	for range 4 {
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		text = string(quoted)
	}
	for nested, want := range map[int]any{
		-1: mustUnquote(t, text), 0: `{"id": 1}`, 2: `"{\"id\": 1}"`, 4: object{"id": num("1")},
	} {
		var got tree
		document.ReadText([]byte(text), &got, document.Limits{Nested: nested})
		assert.Equal(t, want, got.root, nested)
	}
}

func mustUnquote(t *testing.T, text string) (s string) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &s))
	return s
}
