package translate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

func TestFiltersWithBothNamesOfACondition(t *testing.T) {
	t.Parallel()
	for filter, msg := range map[string]string{
		`{}`: "", `{"eq":"a"}`: "", `{"ne":"a","any":["b"]}`: "", `{"none":["a"],"eq":"b"}`: "", `{"in_":["a"],"any":["a"]}`: "", `{"in_":["a"],"not_eq":"b","not_in":["c"]}`: "",
		`{"startswith":"a","eq":"b"}`: "", `{"startswith":"a","ne":"b"}`: "", `{"startswith":"a","any":["b"]}`: "", `{"startswith":"a","all":["b"],"none":["c"]}`: "",
		`{"eq":"a","ne":"b"}`:           "eq and ne cannot both be set",
		`{"eq":"a","not_eq":"b"}`:       "eq and ne cannot both be set",
		`{"any":["a"],"all":["b"]}`:     "any and all cannot both be set",
		`{"in_":["a"],"all":["b"]}`:     "any and all cannot both be set",
		`{"any":["a"],"in_":["b"]}`:     "any and in_ cannot both be set",
		`{"none":["a"],"not_in":["b"]}`: "none and not_in cannot both be set",
		`{"ne":"a","not_eq":"b"}`:       "ne and not_eq cannot both be set",
		`{"any":[]}`:                    "any cannot be an empty list",
		`{"all":[]}`:                    "all cannot be an empty list",
		`{"none":[]}`:                   "none cannot be an empty list",
		`{"in_":[]}`:                    "in_ cannot be an empty list",
		`{"startswith":""}`:             "startswith cannot be an empty string",
	} {
		_, err := translate.Search(body[wire.Search](t, `{"topics":`+filter+`}`))
		_, promptErr := translate.PromptRequest(body[wire.PromptRequest](t, `{"query":"q","long_term_search":{"topics":`+filter+`}}`))
		if msg == "" {
			require.NoError(t, err, filter)
			require.NoError(t, promptErr, filter)
			continue
		}
		found, inPrompt := translate.Mistakes(err), translate.Mistakes(promptErr)
		require.Len(t, found, 1, filter)
		require.Len(t, inPrompt, 1, filter)
		assert.Equal(t, "Value error, "+msg, found[0].Msg)
		assert.Equal(t, []any{"body", "topics"}, found[0].Loc)
		assert.Equal(t, []any{"body", "long_term_search", "topics"}, inPrompt[0].Loc)
	}
}
