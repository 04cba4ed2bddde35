package langchain_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/prompts"
	"github.com/tmc/langchaingo/tools"

	"github.com/go-workingmemory/workingmemory/adapters/langchain"
)

// injections are names that would do something as part of a template's source.
var injections = []string{
	`{{env "WM_TEST_SECRET"}}`, `{{.input}}`, `{{ input }}`, `{input}`, `{{fail "stop"}}`, `{{ unclosed`, `}}{{`,
	`{% include "/etc/hostname" %}`, `{# comment #}`, `$WM_TEST_SECRET`, `%s%d%n`,
}

func TestNamesAreInertInEveryTemplateFormat(t *testing.T) {
	t.Setenv("WM_TEST_SECRET", "leaked-secret")
	formats := map[prompts.TemplateFormat]string{
		prompts.TemplateFormatGoTemplate: "A {{.working_memory}} Z {{.input}}",
		prompts.TemplateFormatJinja2:     "A {{ working_memory }} Z {{ input }}",
		prompts.TemplateFormatFString:    "A {working_memory} Z {input}",
	}
	for _, name := range injections {
		rec, _ := newRecorder()
		w := langchain.New(rec, nil)
		learnRaw(t, rec, name)
		require.Contains(t, rec.Block(), homeID)
		require.NotContains(t, rec.Block(), "leaked-secret")

		for format, source := range formats {
			template := w.Prompt(prompts.PromptTemplate{Template: source, TemplateFormat: format, InputVariables: []string{"input", "working_memory"}})
			text, err := template.Format(map[string]any{"input": "typed"})
			require.NoError(t, err, "%s in %s", name, format)
			assert.Equal(t, "A "+guided(rec)+" Z typed", text, format)
		}

		messages, err := w.SystemMessage("Edit {{.site}}.", "site").FormatMessages(map[string]any{"site": "ours", "working_memory": rec.Block()})
		require.NoError(t, err)
		assert.Equal(t, []llms.ChatMessage{llms.SystemChatMessage{Content: "Edit ours.\n\n" + guided(rec)}}, messages)

		// Through an agent, whose prompt is a template, and a chat prompt as a chain flattens it.
		m := script(say("Final Answer: ok"), say("ok"))
		_, err = chains.Run(t.Context(), agents.NewExecutor(w.Agent(agents.NewOneShotAgent(m, []tools.Tool{getPage()}))), "x")
		require.NoError(t, err)
		assert.Contains(t, m.last(), rec.Block())
		chain := chains.NewLLMChain(m, prompts.NewChatPromptTemplate([]prompts.MessageFormatter{
			w.SystemMessage("Edit."), prompts.NewHumanMessagePromptTemplate("{{.input}}", []string{"input"}),
		}))
		chain.Memory = w.Memory(nil)
		_, err = chains.Run(t.Context(), chain, "typed")
		require.NoError(t, err)
		assert.Equal(t, "human: system: Edit.\n\n"+guided(rec)+"\nHuman: typed\n", m.last())
	}
}

func TestSystemMessageWithoutAValue(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	messages, err := langchain.New(rec, nil).SystemMessage("Edit.").FormatMessages(nil)
	require.NoError(t, err)
	assert.Equal(t, []llms.ChatMessage{llms.SystemChatMessage{Content: "Edit.\n\n" + guided(rec)}}, messages)

	message := langchain.New(nil, nil).SystemMessage("Edit {{.site}}.", "site")
	assert.Equal(t, []string{"site"}, message.GetInputVariables())
	_, err = message.FormatMessages(map[string]any{"site": "x"})
	require.ErrorIs(t, err, langchain.ErrNoBlock)
	_, err = message.FormatMessages(nil)
	require.ErrorContains(t, err, "site")
}

func TestPromptProvidesTheBlockOrNamesItsVariable(t *testing.T) {
	t.Parallel()
	rec := knowingHome(t)
	given := prompts.PromptTemplate{
		Template: "{{.site}} {{.working_memory}}", TemplateFormat: prompts.TemplateFormatGoTemplate,
		InputVariables: []string{"input"}, PartialVariables: map[string]any{"site": "ours"},
	}
	template := langchain.New(rec, nil).Prompt(given)
	assert.Len(t, given.PartialVariables, 1, "the given template is not changed")
	text, err := template.Format(nil)
	require.NoError(t, err)
	assert.Equal(t, "ours "+guided(rec), text)
	text, err = template.Format(map[string]any{"working_memory": "given"})
	require.NoError(t, err)
	assert.Equal(t, "ours given", text)

	template = langchain.New(nil, nil).Prompt(given)
	assert.Equal(t, []string{"input", "working_memory"}, template.InputVariables)
	assert.Equal(t, []string{"input"}, given.InputVariables)
	_, err = chains.Call(t.Context(), chains.NewLLMChain(script(), template), map[string]any{"input": "x"})
	require.ErrorIs(t, err, chains.ErrMissingInputValues)
}
