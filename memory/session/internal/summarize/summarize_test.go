package summarize_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
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

func TestAFailingSummarizerLosesNothing(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	saying := func(text string, err error) func(context.Context, summary.Request) (string, error) {
		return func(context.Context, summary.Request) (string, error) { return text, err }
	}
	for _, tc := range []struct {
		name   string
		answer func(context.Context, summary.Request) (string, error)
		want   error
		text   string
	}{
		{"failing", saying("half a summary", broken), broken, "broken"},
		{"empty", saying("", nil), summary.ErrEmpty, ""},
		{"blank", saying(" \n\t ", nil), summary.ErrEmpty, ""},
		{"refusing", saying("I'm sorry, but I can't assist with that.", nil), summary.ErrRefused, ""},
		{"slow", func(ctx context.Context, _ summary.Request) (string, error) {
			<-ctx.Done()
			return "too late", ctx.Err()
		}, context.DeadlineExceeded, ""},
		{"panicking", func(context.Context, summary.Request) (string, error) { panic("boom") }, memory.ErrPanic, "panicked: string"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			writer := &fixture.Model{Answer: tc.answer}
			clock := fixture.NewClock()
			m := fixture.SummarizingAt(t, memstore.New(nil), summary.Options{Summarizer: writer, Timeout: 10 * time.Millisecond}, clock.Now)
			_, err := m.UpdateHead(t.Context(), fixture.Anna, func(s *session.Session) error {
				s.Context = "before"
				return nil
			}, nil)
			require.NoError(t, err)

			at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
			assert.Equal(t, summary.Failed, at.Summary.Status)
			require.ErrorIs(t, at.Summary.Err, tc.want)
			require.ErrorContains(t, at.Summary.Err, tc.text)
			assert.NotContains(t, at.Summary.Err.Error(), "boom")
			fixture.Holds(t, m, "before", "a", "b", "c", "d", "e", "f", "g", "h")
			assert.Equal(t, fixture.Load(t, m, fixture.Anna).Version(), at.Version())

			writer.SetAnswer(nil)
			clock.Sleep(summary.DefaultRetryAfter)
			assert.Equal(t, summary.Done, fixture.Send(t, m, fixture.Long("i", 2)).Summary.Status, "a later write tries again")
			fixture.Holds(t, m, "summary 2", "f", "g", "h", "i")
			assert.Equal(t, "before", writer.Asked()[1].Previous)
		})
	}
}

func TestACancelledWriteGivesItsLeaseBack(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	writer := &fixture.Model{Answer: func(ctx context.Context, _ summary.Request) (string, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	}}
	store := memstore.New(nil)
	at, err := fixture.Summarizing(t, store, summary.Options{Summarizer: writer}).Append(ctx, fixture.Anna, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h"), nil)
	require.NoError(t, err, "the messages were written")
	require.ErrorIs(t, at.Summary.Err, context.Canceled)
	other := fixture.Summarizing(t, store, summary.Options{Summarizer: &fixture.Model{}})
	assert.Equal(t, summary.Done, fixture.Send(t, other, fixture.Long("i", 2)).Summary.Status)
}

func TestBeforeSeesWhatLeaves(t *testing.T) {
	t.Parallel()
	fail := errors.New("not indexed")
	var err error
	var seen [][]string
	writer := &fixture.Model{}
	clock := fixture.NewClock()
	m := fixture.SummarizingAt(t, memstore.New(nil), summary.Options{
		Summarizer: writer,
		Before: func(_ context.Context, key session.Key, messages []session.Message) error {
			assert.Equal(t, fixture.Anna, key)
			seen = append(seen, fixture.IDs(messages))
			messages[0].Content = "not the session's"
			return err
		},
	}, clock.Now)
	err = fail
	at := fixture.Send(t, m, fixture.Tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	require.ErrorIs(t, at.Summary.Err, fail)
	assert.Empty(t, writer.Asked())
	fixture.Holds(t, m, "", "a", "b", "c", "d", "e", "f", "g", "h")
	err = nil
	clock.Sleep(summary.DefaultRetryAfter)
	fixture.Send(t, m, fixture.Long("i", 2))
	assert.Equal(t, [][]string{{"a", "b", "c", "d"}, {"a", "b", "c", "d", "e"}}, seen)
	assert.Equal(t, fixture.Tens("a")[0].Content, writer.Asked()[0].Messages[0][len("user: "):])
}

func TestSummariesAreHeldToTheirLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name              string
		window, set, want int
	}{
		{"a tenth", 10_000, 0, 1000},
		{"at most", 1_000_000, 0, 2000},
		{"at least", 400, 0, 64},
		{"a quarter of a small window", 200, 0, 50},
		{"a tiny window", 1, 0, 16},
		{"as set", 10_000, 300, 300},
		{"not beyond a quarter", 400, 300, 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			writer := &fixture.Model{Answer: func(context.Context, summary.Request) (string, error) {
				return strings.Repeat("One two three four five. ", 1000), nil
			}}
			m, err := session.NewManager(memstore.New(nil), &session.Options{
				Counter: fixture.WordCounter{}, Window: tc.window, Summaries: summary.Options{Summarizer: writer, Tokens: tc.set, InputTokens: 10_000_000},
			})
			require.NoError(t, err)
			at := fixture.Send(t, m, fixture.Long("a", tc.window), fixture.Long("b", 2))
			require.Equal(t, summary.Done, at.Summary.Status)
			assert.Equal(t, tc.want, writer.Asked()[0].MaxTokens)
			assert.LessOrEqual(t, at.Summary.Tokens, tc.want)
			assert.Greater(t, at.Summary.Tokens, tc.want/2)
			text, _, _ := strings.Cut(fixture.Load(t, m, fixture.Anna).Context, "\n\n")
			assert.Equal(t, at.Summary.Tokens, fixture.WordCounter{}.CountTokens(text))
		})
	}
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

func TestSummariesOptions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		s    summary.Options
		want string
	}{
		{summary.Options{Threshold: -0.1}, "Threshold"},
		{summary.Options{Threshold: 1.1}, "Threshold"},
		{summary.Options{Threshold: 1e-9}, "Threshold"},
		{summary.Options{Keep: 0.7}, "Keep"},
		{summary.Options{Keep: -1}, "Keep"},
		{summary.Options{Mode: 3}, "Mode"},
		{summary.Options{Mode: -1}, "Mode"},
		{summary.Options{InputTokens: 255}, "InputTokens"},
		{summary.Options{InputTokens: -1}, "InputTokens"},
		{summary.Options{Tokens: -1}, "negative"},
		{summary.Options{Timeout: -1}, "negative"},
		{summary.Options{RetryAfter: -1}, "negative"},
		{summary.Options{Workers: -1}, "negative"},
		{summary.Options{QueueLimit: -1}, "negative"},
		{summary.Options{Threshold: 1, Keep: 0.99, InputTokens: 256}, ""},
		{summary.Options{Threshold: 0.2}, ""},
	} {
		_, err := session.NewManager(memstore.New(nil), &session.Options{Summaries: tc.s})
		if tc.want == "" {
			assert.NoError(t, err, "%+v", tc.s)
			continue
		}
		assert.ErrorContains(t, err, tc.want, "%+v", tc.s)
	}
}

func TestSummaryStatusNames(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "outrun", summary.Outrun.String())
	assert.Equal(t, "summary.Status(99)", summary.Status(99).String())
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
