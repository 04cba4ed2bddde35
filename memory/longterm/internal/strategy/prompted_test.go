package strategy_test

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/scripted"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/strategy"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/prompt"
)

var _ = flag.Set("rapid.checks", strconv.Itoa(soak.Times(15, 100)))

// discrete returns the strategy with a model that reads inputTokens.
func discrete(t require.TestingT, model *scripted.Model, inputTokens int) *strategy.Prompted {
	set, err := strategy.NewSet(strategy.Options{
		Generate: model.Generate, InputTokens: inputTokens, AnswerTokens: min(2000, inputTokens/4),
		Counter: prompt.Estimator{}, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	s, err := set.Named(&session.StrategyConfig{Name: strategy.Discrete})
	require.NoError(t, err)
	return s
}

func extraction(texts ...string) driver.ExtractRequest {
	monday := time.Date(2026, 3, 2, 9, 0, 0, 123_456_789, time.UTC)
	messages := make([]session.Message, len(texts))
	for i, text := range texts {
		messages[i] = session.Message{ID: fmt.Sprint("m", i), Role: session.RoleUser, Content: text, CreatedAt: monday.Add(time.Duration(i) * time.Minute), Seq: uint64(i) + 1}
	}
	return driver.ExtractRequest{Key: session.Key{Namespace: "shop", UserID: "anna", SessionID: "s-1"}, Messages: messages, Now: monday}
}

func TestFailingModels(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		answer    string
		err, want error
	}{
		{"", errors.New("no connection"), strategy.ErrModel}, {"I'm sorry, but I can't help with that.", nil, strategy.ErrAnswer},
		{"", nil, strategy.ErrAnswer}, {`{"memories":[{"text":"x"`, nil, strategy.ErrAnswer}, {`{"memories":[{"text":["x"]}]}`, nil, strategy.ErrAnswer},
	} {
		model := &scripted.Model{Answer: func(int, string) (string, error) { return tc.answer, tc.err }}
		got, err := discrete(t, model, 16_000).Extract(t.Context(), extraction("I like the aisle.", "Really."))
		require.ErrorIs(t, err, tc.want)
		require.NotContains(t, err.Error(), "aisle")
		require.Empty(t, got)
	}
}

func TestModelReadsAllMessages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var texts []string
		for i := range rapid.IntRange(1, 80).Draw(rt, "messages") {
			texts = append(texts, fmt.Sprintf("begin%d %s end%d.", i, strings.Repeat("\"word ", rapid.SampledFrom([]int{0, 1, 10, 100, 700}).Draw(rt, "words")), i))
		}
		model := &scripted.Model{Answer: scripted.EchoMessages}
		limit := rapid.SampledFrom([]int{4000, 5000, 16_000}).Draw(rt, "limit")
		got, err := discrete(rt, model, limit).Extract(t.Context(), extraction(texts...))
		require.NoError(rt, err)
		var seen strings.Builder
		for _, asked := range model.Prompts {
			require.LessOrEqual(rt, prompt.Estimator{}.CountTokens(asked), limit*3/4, "with the answer, it must fit")
			_, messages, _ := strings.Cut(asked, "Messages:\n")
			seen.WriteString(messages)
		}
		at := 0
		for i := range texts { // in order
			for _, part := range []string{fmt.Sprintf("begin%d ", i), fmt.Sprintf(" end%d.", i)} {
				n := strings.Index(seen.String()[at:], part)
				require.GreaterOrEqual(rt, n, 0, part)
				at += n
			}
		}
		for _, m := range got {
			require.LessOrEqual(rt, len(m.ExtractedFrom), 50)
		}
	})
}

func TestCutAnswersAreHalved(t *testing.T) {
	t.Parallel()
	for _, texts := range [][]string{
		{"one", "two", "three", strings.Repeat("long ", 100), strings.Repeat("longer ", 100), "six"},
		{strings.Repeat("all in one message ", 100)},
		{strings.Repeat("the first is long ", 100), "the second is not"},
	} {
		const most = 1000 // bytes of an answer
		model := &scripted.Model{Answer: func(call int, asked string) (string, error) {
			answer, err := scripted.EchoMessages(call, asked)
			return answer[:min(len(answer), most)], err
		}}
		got, err := discrete(t, model, 16_000).Extract(t.Context(), extraction(texts...))
		require.NoError(t, err)
		require.Greater(t, len(model.Prompts), 2)
		heard := 0
		for _, m := range got {
			heard += len(strings.Fields(strings.TrimPrefix(strings.TrimPrefix(m.Text, "heard "), "… ")))
		}
		require.Equal(t, len(strings.Fields(strings.Join(texts, " "))), heard)
		last := strings.Fields(texts[len(texts)-1])
		require.True(t, strings.HasSuffix(got[len(got)-1].Text, " "+last[len(last)-1]))
	}
}

func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	model := &scripted.Model{Answer: func(int, string) (string, error) { return `{"memories":[`, nil }}
	var many []string
	for i := range 50 {
		many = append(many, fmt.Sprint("message ", i))
	}
	_, err := discrete(t, model, 16_000).Extract(t.Context(), extraction(many...))
	require.ErrorIs(t, err, strategy.ErrAnswer)
	require.LessOrEqual(t, len(model.Prompts), 5)
}
