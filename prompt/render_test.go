package prompt_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// block joins the lines of a block.
func block(lines ...string) string {
	return strings.Join(append([]string{"[WORKING MEMORY]"}, lines...), "\n")
}

func page(id, name string) memory.Entity { return memory.Entity{Type: "page", ID: id, Name: name} }

func TestRenderContext(t *testing.T) {
	t.Parallel()
	c := memory.NewWorkingContext(nil)
	assert.Empty(t, prompt.Render(c))
	assert.Empty(t, prompt.Render(nil))
	require.NoError(t, c.Add(page("home-1234", "Home")))
	require.NoError(t, c.Add(page("about-1234", "About")))
	assert.Equal(t, block(`pages:`, `  - "About" (about-1234)`, `  - "Home" (home-1234)`), prompt.Render(c))
}

func TestRender(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 100)
	tests := []struct {
		name     string
		entities []memory.Entity
		want     string
	}{
		{"nothing", nil, ""},
		{"three of a type by default",
			[]memory.Entity{page("1", "A"), page("2", "B"), {Type: "order", ID: "9"}, page("3", "C"), page("4", "D")},
			block(`pages:`, `  - "A" (1)`, `  - "B" (2)`, `  - "C" (3)`, `orders:`, `  - "Unnamed order" (9)`)},
		{"no type is the fallback type",
			[]memory.Entity{{ID: "1"}, {Type: "resource", ID: "2"}},
			block(`resources:`, `  - "Unnamed resource" (1)`, `  - "Unnamed resource" (2)`)},
		{"description where names are equal",
			[]memory.Entity{
				{Type: "variant", ID: "7", Name: "T-Shirt", Description: "red"},
				{Type: "variant", ID: "8", Name: "T-Shirt", Description: "blue"},
				{Type: "variant", ID: "9", Name: "T-Shirt"},
				{Type: "product", ID: "1", Name: "T-Shirt", Description: "cotton"},
			},
			block(`variants:`, `  - "T-Shirt, red" (7)`, `  - "T-Shirt, blue" (8)`, `  - "T-Shirt" (9)`, `products:`, `  - "T-Shirt" (1)`)},
		{"labels of 80 runes", []memory.Entity{page("1", long), page("2", long[:160])},
			block(`pages:`, `  - "`+long[:158]+`…" (1)`, `  - "`+long[:160]+`" (2)`)},
		{"entities without a usable id or type are left out",
			[]memory.Entity{
				page("", "no id"), page(strings.Repeat("x", memory.MaxIDBytes+1), "too long"), page("\xff", "not UTF-8"),
				{Type: strings.Repeat("x", memory.MaxTypeBytes+1), ID: "1"}, {Type: "\xff", ID: "1"},
			}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := prompt.NewRenderer(nil)
			assert.Equal(t, tt.want, r.Render(tt.entities))
			assert.Equal(t, "before\n"+tt.want, string(r.AppendBlock([]byte("before\n"), prompt.Content{Entities: tt.entities})))
		})
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	for typ, want := range map[string]string{
		"page": "pages:", "pull_request": "pull_requests:", "category": "categories:", "media": "media:",
		"person": "people:", "status": "statuses:", "news": "news:", "s3": "s3:", "página": "páginas:",
		"__proto__": "__proto__:", "constructor": "constructors:",
		// not plain, or no plural that leads back
		"pages": `"pages":`, "basis": `"basis":`, "weird type": `"weird type":`, "AWS::S3::Bucket": `"AWS::S3::Bucket":`,
		"a:": `"a:":`, "page:\n  - \"x\" (1)": `"page:\n  - \"x\" (1)":`, "[WORKING MEMORY]": `"\u005bWORKING MEMORY]":`,
		"\u3164": `"\u3164":`, "{{type}}": `"\u007b\u007btype\u007d\u007d":`,
	} {
		got := prompt.NewRenderer(nil).Render([]memory.Entity{{Type: typ, ID: "1", Name: "x"}})
		assert.Equal(t, block(want, `  - "x" (1)`), got)
		parsed, err := prompt.Parse(got)
		require.NoError(t, err)
		assert.Equal(t, typ, parsed[0].Type)
	}
}
