package tiktoken

import (
	"fmt"
	"strings"

	bpe "github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// encoding is what tells one of OpenAI's encodings from the others. Names,
// patterns and rank files are those of openai/tiktoken,
// tiktoken_ext/openai_public.py. Special tokens are left out: in the text of a
// prompt they are ordinary text.
type encoding struct {
	name    string
	pattern string
}

const gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

var encodings = []encoding{
	{"o200k_base", strings.Join([]string{
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
		`\p{N}{1,3}`,
		` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
		`\s*[\r\n]+`,
		`\s+(?!\S)`,
		`\s+`,
	}, "|")},
	{"cl100k_base", `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`},
	{"p50k_base", gpt2Pattern},
	{"r50k_base", gpt2Pattern},
}

// load reads the embedded ranks of the encoding.
func (e encoding) load() (*bpe.Tiktoken, error) {
	ranks, err := loader.NewOfflineLoader().LoadTiktokenBpe(e.name + ".tiktoken")
	if err != nil {
		return nil, fmt.Errorf("tiktoken: load %s: %w", e.name, err)
	}
	core, err := bpe.NewCoreBPE(ranks, nil, e.pattern)
	if err != nil {
		return nil, fmt.Errorf("tiktoken: build %s: %w", e.name, err)
	}
	return bpe.NewTiktoken(core, &bpe.Encoding{Name: e.name, PatStr: e.pattern, MergeableRanks: ranks}, nil), nil
}

// models maps the beginnings of model names to encodings. A beginning ends
// where the name does, or at a dash or colon of it, unless it ends in a dot
// itself; the longest one counts.
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

// encodingOf returns the name of a model's encoding, "" if it is not known.
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
