package tiktoken

import (
	"fmt"
	"strings"

	bpe "github.com/pkoukk/tiktoken-go"
)

// encoding is one of OpenAI's encodings, as openai/tiktoken defines them in
// tiktoken_ext/openai_public.py. Special tokens are left out: in the text of a
// prompt they are ordinary text.
type encoding struct {
	name    string
	file    string // of its ranks
	ranks   int    // the number of ranks
	pattern string
}

const gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

var encodings = []encoding{
	{"o200k_base", "o200k_base", 199998, strings.Join([]string{
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`\p{N}{1,3}`,
		` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
		`\s*[\r\n]+`,
		`\s+(?!\S)`,
		`\s+`,
	}, "|")},
	{"cl100k_base", "cl100k_base", 100256, `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
	{"p50k_base", "p50k_base", 50281, gpt2Pattern},
	{"r50k_base", "p50k_base", 50256, gpt2Pattern}, // p50k_base adds runs of spaces
}

// load reads the embedded ranks of the encoding.
func (e encoding) load() (*bpe.Tiktoken, error) {
	ranks, err := readRanks(e.file, e.ranks)
	if err != nil {
		return nil, fmt.Errorf("tiktoken: load %s: %w", e.name, err)
	}
	core, err := bpe.NewCoreBPE(ranks, nil, e.pattern)
	if err != nil {
		return nil, fmt.Errorf("tiktoken: build %s: %w", e.name, err)
	}
	return bpe.NewTiktoken(core, &bpe.Encoding{Name: e.name, PatStr: e.pattern, MergeableRanks: ranks}, nil), nil
}

// models maps prefixes of model names to encodings. A prefix matches a whole
// name or one that continues with a dash or a colon; a prefix that ends in a dot
// matches any continuation. The longest match wins.
var models = []struct{ prefix, encoding string }{
	{"gpt-5", "o200k_base"},
	{"gpt-5.", "o200k_base"},
	{"gpt-4o", "o200k_base"},
	{"chatgpt-4o", "o200k_base"},
	{"gpt-4.5", "o200k_base"},
	{"gpt-4.1", "o200k_base"},
	{"o1", "o200k_base"},
	{"o3", "o200k_base"},
	{"o4", "o200k_base"},
	{"gpt-4", "cl100k_base"},
	{"gpt-3.5", "cl100k_base"},
	{"gpt-35", "cl100k_base"}, // Azure's spelling
	{"text-embedding-3", "cl100k_base"},
	{"text-embedding-ada-002", "cl100k_base"},
}

// encodingOf returns the name of a model's encoding, or "" if the model is unknown.
func encodingOf(model string) string {
	model = strings.TrimPrefix(model, "ft:") // fine-tuned: ft:gpt-4o:org::id
	var longest, found string
	for _, m := range models {
		rest, ok := strings.CutPrefix(model, m.prefix)
		whole := rest == "" || rest[0] == '-' || rest[0] == ':' || strings.HasSuffix(m.prefix, ".")
		if ok && whole && len(m.prefix) > len(longest) {
			longest, found = m.prefix, m.encoding
		}
	}
	return found
}
