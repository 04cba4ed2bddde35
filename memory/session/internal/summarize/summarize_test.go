package summarize_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/internal/fixture"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

func TestAboveTheThresholdTheOldestLeave(t *testing.T) {
	t.Parallel()
	writer := &fixture.Model{}
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: writer})
	at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g")...)
	assert.Equal(t, summary.Outcome{}, at.Summary, "exactly at the threshold")
	assert.Empty(t, writer.Asked())

	at = fixture.Send(t, m, fixture.Long("h", 2))
	assert.Equal(t, summary.Done, at.Summary.Status)
	assert.Equal(t, 4, at.Summary.Messages)
	assert.Equal(t, 2, at.Summary.Tokens)
	assert.Equal(t, 32, at.Tokens(), "where the session stands after the summary")
	fixture.Holds(t, m, "summary 1", "e", "f", "g", "h")
	assert.Equal(t, fixture.Load(t, m, fixture.Anna).Version(), at.Version())

	var want []string
	for _, message := range fixture.Tens("a", "b", "c", "d") {
		want = append(want, message.Text())
	}
	assert.Equal(t, []summary.Request{{Messages: want, MaxTokens: 25}}, writer.Asked())
}

func TestThePreviousSummaryIsCarriedOn(t *testing.T) {
	t.Parallel()
	writer := &fixture.Model{}
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: writer})
	fixture.Send(t, m, fixture.Tens("A1", "b", "c", "d", "e", "f", "g", "h")...)
	fixture.Holds(t, m, "summary 1\n\nIdentifiers: A1", "e", "f", "g", "h")
	fixture.Send(t, m, fixture.Tens("i", "j", "k", "l")...)
	fixture.Holds(t, m, "summary 2\n\nIdentifiers: A1", "i", "j", "k", "l")
	asked := writer.Asked()
	require.Len(t, asked, 2)
	assert.Equal(t, "summary 1", asked[1].Previous, "without the identifiers")
	assert.Len(t, asked[1].Messages, 4)
}

func TestIdentifiersInTheTextOfASummarySurviveTheNext(t *testing.T) {
	t.Parallel()
	var texts []string
	writer := &fixture.Model{}
	writer.Answer = func(context.Context, summary.Request) (string, error) {
		texts = append(texts, [...]string{"They spoke of ORD-12345.", "They spoke of much.", "And of more."}[len(texts)%3])
		return texts[len(texts)-1], nil
	}
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: writer})
	fixture.Send(t, m, fixture.Long("ORD-12345", 10))
	for i := range 30 {
		fixture.Send(t, m, fixture.Tens(fmt.Sprint("so", i))...)
		s, err := m.Load(t.Context(), fixture.Anna, nil)
		require.NoError(t, err)
		require.Contains(t, s.Context+s.Messages[0].Content, "ORD-12345")
	}
	require.Greater(t, len(texts), 3)
}

func TestGiantMessagesStay(t *testing.T) {
	t.Parallel()
	writer := &fixture.Model{}
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: writer})
	assert.Equal(t, summary.None, fixture.Send(t, m, fixture.Long("giant", 5000)).Summary.Status)
	fixture.Holds(t, m, "", "giant")
	assert.Empty(t, writer.Asked())

	// With the next one it leaves; a giant one at the end stays.
	assert.Equal(t, 1, fixture.Send(t, m, fixture.Long("giant2", 6000)).Summary.Messages)
	fixture.Holds(t, m, "summary 1", "giant2")
	assert.Len(t, writer.Asked(), 1)
}

func TestToolCallsStayWithTheirResults(t *testing.T) {
	t.Parallel()
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: &fixture.Model{}})
	call, result := fixture.Long("call", 5), fixture.Long("result", 25)
	call.Role, call.ToolCalls = session.RoleAssistant, []session.ToolCall{{ID: "1", Name: "get"}}
	result.Role, result.ToolCallID = session.RoleTool, "1"
	fixture.Send(t, m, append(fixture.Tens("a", "b", "c"), call, result, fixture.Long("x", 16))...)
	fixture.Holds(t, m, "summary 1", "x")
}

func TestSavedSessionsAreWhatTheSummaryLeased(t *testing.T) {
	t.Parallel()
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Summarizer: &fixture.Model{}})
	s := m.New(fixture.Anna)
	s.Messages = fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")
	require.NoError(t, m.Save(t.Context(), s, nil))
	assert.Equal(t, summary.Done, s.Summary().Status)
	assert.Equal(t, []string{"e", "f", "g", "h"}, fixture.IDs(s.Messages))
	assert.Equal(t, "summary 1", s.Context)
	s.Data = map[string]any{"x": "y"}
	require.NoError(t, m.Save(t.Context(), s, nil), "it can be saved again")
	assert.Equal(t, summary.None, s.Summary().Status)

	s, err := m.UpdateHead(t.Context(), fixture.Anna, func(s *session.Session) error {
		s.Messages = fixture.Tens("i", "j", "k", "l")
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, summary.Done, s.Summary().Status)
	assert.Equal(t, "summary 2", s.Context)
	assert.Equal(t, []string{"i", "j", "k", "l"}, fixture.IDs(s.Messages), "what was appended")
	assert.Equal(t, fixture.Load(t, m, fixture.Anna).Version(), s.Version())
}

func TestSummarizeByHand(t *testing.T) {
	t.Parallel()
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{Mode: summary.Off, Summarizer: &fixture.Model{}})
	_, err := m.Summarize(t.Context(), fixture.Anna)
	require.ErrorIs(t, err, session.ErrNotFound)
	_, err = m.Summarize(t.Context(), session.Key{})
	require.ErrorIs(t, err, session.ErrKey)

	assert.Equal(t, summary.None, fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...).Summary.Status, "off")
	outcome, err := m.Summarize(t.Context(), fixture.Anna)
	require.NoError(t, err)
	assert.Equal(t, 4, outcome.Messages)
	fixture.Holds(t, m, "summary 1", "e", "f", "g", "h")
	outcome, err = m.Summarize(t.Context(), fixture.Anna)
	require.NoError(t, err)
	assert.Equal(t, summary.None, outcome.Status, "what is within Keep stays")
	fixture.Send(t, m, fixture.Long("i", 2))
	outcome, err = m.Summarize(t.Context(), fixture.Anna)
	require.NoError(t, err)
	assert.Equal(t, 1, outcome.Messages, "below the threshold too")
}

func TestOnSummaryIsTold(t *testing.T) {
	t.Parallel()
	var told []string
	writer := &fixture.Model{}
	m := fixture.Summarizing(t, memstore.New(nil), summary.Options{
		Summarizer: writer,
		OnSummary: func(key session.Key, o summary.Outcome) {
			told = append(told, fmt.Sprintf("%s %s %d", key.SessionID, o.Status, o.Messages))
		},
	})
	fixture.Send(t, m, fixture.Tens("a", "b", "c", "d")...)
	fixture.Send(t, m, fixture.Tens("e", "f", "g", "h")...)
	writer.Answer = func(context.Context, summary.Request) (string, error) { return "", nil }
	fixture.Send(t, m, fixture.Tens("i", "j", "k", "l")...)
	assert.Equal(t, []string{"s-1 done 4", "s-1 failed 0"}, told)
}

func TestWithoutAModelSummariesAreExtracts(t *testing.T) {
	t.Parallel()
	m, err := session.NewManager(memstore.New(nil), &session.Options{Window: 2000})
	require.NoError(t, err)
	for i := range 200 {
		_, err := m.Append(t.Context(), fixture.Anna, []session.Message{
			fixture.Says("", session.RoleUser, fmt.Sprintf("Where is order W-%d? It should have come on Monday.", i)),
			fixture.Says("", session.RoleAssistant, "It is on its way. Please wait until tomorrow."),
		}, nil)
		require.NoError(t, err)
	}
	s := fixture.Load(t, m, fixture.Anna)
	assert.LessOrEqual(t, s.Tokens(), 1400)
	require.NotEmpty(t, s.Context)
	stays := s.Context
	for _, message := range s.Messages {
		stays += "\n" + message.Content
	}
	for i := 150; i < 200; i++ {
		assert.Contains(t, stays, fmt.Sprintf("W-%d", i))
	}
}
