package summary_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// turn is a question, a call, its result and an answer.
func turn(order int) []session.Message {
	call := fmt.Sprint("call_", order)
	return []session.Message{
		fixture.Says("", session.RoleUser, fmt.Sprintf("Hello! Where is order W-%d? It is for a birthday.", order)),
		{Role: session.RoleAssistant, ToolCalls: []session.ToolCall{{ID: call, Name: "get_order", Arguments: fmt.Sprintf(`{"id":"W-%d"}`, order)}}},
		{Role: session.RoleTool, ToolCallID: call, Content: fmt.Sprintf(`{"order":{"id":"W-%d","status":"shipped","carrier":"DHL","tracking":"JD%d"},"customer":{"id":"c-%d","name":"Anna Berg","city":"Bremen"},"items":[{"sku":"TEA","quantity":2,"price":12.50},{"sku":"CUP","quantity":1}]}`, order, order, order)},
		fixture.Says("", session.RoleAssistant, fmt.Sprintf("Order W-%d was shipped with DHL on 1 March. It should come tomorrow.", order)),
	}
}

func TestExtractsOfAConversationWithTools(t *testing.T) {
	t.Parallel()
	var texts []string
	for i := range 9 {
		for _, message := range turn(4000 + i) {
			texts = append(texts, message.Text())
		}
	}
	texts = append(texts, "assistant: ", (&session.Message{Role: "assistant", Content: "Wait.", ToolCalls: []session.ToolCall{{Name: "sleep"}}}).Text())
	for _, tc := range []struct {
		name     string
		previous string
		texts    []string
		limit    int
		want     string
	}{
		{"all has room", "They said hello.\nIt rained. ", texts[:4], 1000, `They said hello.
It rained.
user: Hello! Where is order W-4000? It is for a birthday.
assistant: get_order({"id":"W-4000"})
tool: {"order":{"id":"W-4000","status":"shipped","carrier":"DHL","tracking":"JD4000"},"customer":{"id":"c-4000","name":"Anna Berg","city":"Bremen"}, …
assistant: Order W-4000 was shipped with DHL on 1 March. It should come tomorrow.`},
		{"openings of the newest", "They said hello.", texts, 110, `assistant: get_order({"id":"W-4008"})
tool: {"order":{"id":"W-4008","status":"shipped","carrier":"DHL","tracking":"JD4008"},"customer":{"id":"c-4008","name":"Anna Berg","city":"Bremen"}, …
assistant: Order W-4008 was shipped with DHL on 1 March.
assistant: Wait. sleep()`},
		{"more of the newest", "", []string{texts[3], texts[7]}, 44, `assistant: Order W-4000 was shipped with DHL on 1 March.
assistant: Order W-4001 was shipped with DHL on 1 March. It should come tomorrow.`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := summary.Extractive{}.SummarizeMessages(t.Context(), summary.Request{Previous: tc.previous, Messages: tc.texts, MaxTokens: tc.limit})
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
			assert.LessOrEqual(t, prompt.Estimator{}.CountTokens(got), tc.limit)
		})
	}
}

func TestExtractiveNeverIsEmptyOrTooLong(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		previous string
		messages []string
		limit    int
	}{
		{"a word without end", "", []string{strings.Repeat("x", 5000)}, 16},
		{"a number without end", "", []string{strings.Repeat("7", 5000)}, 16},
		{"only a previous one", "It was\n\n so.", nil, 16},
		{"a long word before others", "", []string{strings.Repeat("x", 5000) + " and more of it"}, 16},
		{"blank", "It was so.", []string{"assistant: ", " \n"}, 16},
		{"symbols", "", []string{strings.Repeat("☃", 100)}, 4},
		{"much", strings.Repeat("Before that it rained. ", 50), []string{strings.Repeat("Now it snows. ", 100)}, 30},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := summary.Extractive{}.SummarizeMessages(t.Context(), summary.Request{Previous: tc.previous, Messages: tc.messages, MaxTokens: tc.limit})
			require.NoError(t, err)
			assert.NotEmpty(t, got)
			assert.LessOrEqual(t, prompt.Estimator{}.CountTokens(got), tc.limit)
		})
	}
}

// What an extract quotes is no refusal of a model.
func TestExtractsMayQuoteRefusals(t *testing.T) {
	t.Parallel()
	m, err := session.NewManager(memstore.New(nil), &session.Options{Window: 1, Summaries: summary.Options{Mode: summary.Off}})
	require.NoError(t, err)
	const refusal = "I'm sorry, but I can't help with that."
	fixture.ChangeHead(t, m, func(s *session.Session) {
		s.Context, s.Messages = refusal, []session.Message{fixture.Says("a", "user", ""), fixture.Says("b", "user", "")}
	})
	outcome, err := m.Summarize(t.Context(), fixture.Anna)
	require.NoError(t, err)
	require.Equal(t, summary.Done, outcome.Status)
	assert.Contains(t, fixture.Load(t, m, fixture.Anna).Context, "I'm sorry")
}

func TestSummariesThatAreNotUTF8AreMended(t *testing.T) {
	t.Parallel()
	writer := &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) { return "They \xff talked.", nil }}
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: writer})
	require.Equal(t, summary.Done, fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...).Summary.Status)
	fixture.Holds(t, m, "They \ufffd talked.", "e", "f", "g", "h")
}

// squares counts a whole much higher than its parts, steps not in their order.
type squares struct{}

func (squares) CountTokens(text string) int { return len(text)*len(text)/500 + len(text)%7 }

func TestExtractsStayWithinAnyCounter(t *testing.T) {
	t.Parallel()
	var texts []string
	for i := range 20 {
		for _, message := range turn(i) {
			texts = append(texts, message.Text())
		}
	}
	for limit := 1; limit < 400; limit++ {
		got, err := summary.Extractive{Counter: squares{}}.SummarizeMessages(t.Context(), summary.Request{Messages: texts, MaxTokens: limit})
		require.NoError(t, err)
		require.LessOrEqual(t, squares{}.CountTokens(got), limit)
	}
}
