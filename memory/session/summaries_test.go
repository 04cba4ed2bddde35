package session_test

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
)

func TestAboveTheThresholdTheOldestLeave(t *testing.T) {
	t.Parallel()
	writer := &model{}
	m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Summarizer: writer})
	at := send(t, m, tens("a", "b", "c", "d", "e", "f", "g")...)
	assert.Equal(t, session.SummaryOutcome{}, at.Summary, "exactly at the threshold")
	assert.Empty(t, writer.asked())

	at = send(t, m, long("h", 2))
	assert.Equal(t, session.SummaryDone, at.Summary.Status)
	assert.Equal(t, 4, at.Summary.Messages)
	assert.Equal(t, 2, at.Summary.Tokens)
	assert.Equal(t, 32, at.Tokens(), "where the session stands after the summary")
	holds(t, m, "summary 1", "e", "f", "g", "h")
	assert.Equal(t, load(t, m, anna).Version(), at.Version())

	var want []string
	for _, message := range tens("a", "b", "c", "d") {
		want = append(want, message.Text())
	}
	assert.Equal(t, []session.SummaryRequest{{Messages: want, MaxTokens: 25}}, writer.asked())
}

func TestThePreviousSummaryIsCarriedOn(t *testing.T) {
	t.Parallel()
	writer := &model{}
	m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Summarizer: writer})
	send(t, m, tens("A1", "b", "c", "d", "e", "f", "g", "h")...)
	holds(t, m, "summary 1\n\nIdentifiers: A1", "e", "f", "g", "h")
	send(t, m, tens("i", "j", "k", "l")...)
	holds(t, m, "summary 2\n\nIdentifiers: A1", "i", "j", "k", "l")
	asked := writer.asked()
	require.Len(t, asked, 2)
	assert.Equal(t, "summary 1", asked[1].Previous, "without the identifiers")
	assert.Len(t, asked[1].Messages, 4)
}

func TestIdentifiersInTheTextOfASummarySurviveTheNext(t *testing.T) {
	t.Parallel()
	var texts []string
	writer := &model{}
	writer.answer = func(context.Context, session.SummaryRequest) (string, error) {
		texts = append(texts, [...]string{"They spoke of ORD-12345.", "They spoke of much.", "And of more."}[len(texts)%3])
		return texts[len(texts)-1], nil
	}
	m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Summarizer: writer})
	send(t, m, long("ORD-12345", 10))
	for i := range 30 {
		send(t, m, tens(fmt.Sprint("so", i))...)
		s, err := m.Load(t.Context(), anna, nil)
		require.NoError(t, err)
		require.Contains(t, s.Context+s.Messages[0].Content, "ORD-12345")
	}
	require.Greater(t, len(texts), 3)
}

func TestGiantMessagesStay(t *testing.T) {
	t.Parallel()
	writer := &model{}
	m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Summarizer: writer})
	assert.Equal(t, session.SummaryNone, send(t, m, long("giant", 5000)).Summary.Status)
	holds(t, m, "", "giant")
	assert.Empty(t, writer.asked())

	// With the next one it leaves; a giant one at the end stays.
	assert.Equal(t, 1, send(t, m, long("giant2", 6000)).Summary.Messages)
	holds(t, m, "summary 1", "giant2")
	assert.Len(t, writer.asked(), 1)
}

func TestToolCallsStayWithTheirResults(t *testing.T) {
	t.Parallel()
	m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Summarizer: &model{}})
	call, result := long("call", 5), long("result", 25)
	call.Role, call.ToolCalls = session.RoleAssistant, []session.ToolCall{{ID: "1", Name: "get"}}
	result.Role, result.ToolCallID = session.RoleTool, "1"
	send(t, m, append(tens("a", "b", "c"), call, result, long("x", 16))...)
	holds(t, m, "summary 1", "x")
}

func TestAFailingSummarizerLosesNothing(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	saying := func(text string, err error) func(context.Context, session.SummaryRequest) (string, error) {
		return func(context.Context, session.SummaryRequest) (string, error) { return text, err }
	}
	for _, tc := range []struct {
		name   string
		answer func(context.Context, session.SummaryRequest) (string, error)
		want   error
		text   string
	}{
		{"failing", saying("half a summary", broken), broken, "broken"},
		{"empty", saying("", nil), session.ErrNoSummary, ""},
		{"blank", saying(" \n\t ", nil), session.ErrNoSummary, ""},
		{"refusing", saying("I'm sorry, but I can't assist with that.", nil), session.ErrRefused, ""},
		{"slow", func(ctx context.Context, _ session.SummaryRequest) (string, error) {
			<-ctx.Done()
			return "too late", ctx.Err()
		}, context.DeadlineExceeded, ""},
		{"panicking", func(context.Context, session.SummaryRequest) (string, error) { panic("boom") }, memory.ErrPanic, "panicked: string"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			writer := &model{answer: tc.answer}
			clock := newClock()
			m := summarizingAt(t, session.NewMemoryStore(nil), session.Summaries{Summarizer: writer, Timeout: 10 * time.Millisecond}, clock.Now)
			_, err := m.UpdateHead(t.Context(), anna, func(s *session.Session) error {
				s.Context = "before"
				return nil
			}, nil)
			require.NoError(t, err)

			at := send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
			assert.Equal(t, session.SummaryFailed, at.Summary.Status)
			require.ErrorIs(t, at.Summary.Err, tc.want)
			require.ErrorContains(t, at.Summary.Err, tc.text)
			assert.NotContains(t, at.Summary.Err.Error(), "boom")
			holds(t, m, "before", "a", "b", "c", "d", "e", "f", "g", "h")
			assert.Equal(t, load(t, m, anna).Version(), at.Version())

			writer.mu.Lock()
			writer.answer = nil
			writer.mu.Unlock()
			clock.Sleep(session.DefaultRetryAfter)
			assert.Equal(t, session.SummaryDone, send(t, m, long("i", 2)).Summary.Status, "a later write tries again")
			holds(t, m, "summary 2", "f", "g", "h", "i")
			assert.Equal(t, "before", writer.asked()[1].Previous)
		})
	}
}

func TestACancelledWriteGivesItsLeaseBack(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	writer := &model{answer: func(ctx context.Context, _ session.SummaryRequest) (string, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	}}
	store := session.NewMemoryStore(nil)
	at, err := summarizing(t, store, session.Summaries{Summarizer: writer}).Append(ctx, anna, tens("a", "b", "c", "d", "e", "f", "g", "h"), nil)
	require.NoError(t, err, "the messages were written")
	require.ErrorIs(t, at.Summary.Err, context.Canceled)
	other := summarizing(t, store, session.Summaries{Summarizer: &model{}})
	assert.Equal(t, session.SummaryDone, send(t, other, long("i", 2)).Summary.Status)
}

func TestBeforeSeesWhatLeaves(t *testing.T) {
	t.Parallel()
	fail := errors.New("not indexed")
	var err error
	var seen [][]string
	writer := &model{}
	clock := newClock()
	m := summarizingAt(t, session.NewMemoryStore(nil), session.Summaries{
		Summarizer: writer,
		Before: func(_ context.Context, key session.Key, messages []session.Message) error {
			assert.Equal(t, anna, key)
			seen = append(seen, ids(messages))
			messages[0].Content = "not the session's"
			return err
		},
	}, clock.Now)
	err = fail
	at := send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...)
	require.ErrorIs(t, at.Summary.Err, fail)
	assert.Empty(t, writer.asked())
	holds(t, m, "", "a", "b", "c", "d", "e", "f", "g", "h")
	err = nil
	clock.Sleep(session.DefaultRetryAfter)
	send(t, m, long("i", 2))
	assert.Equal(t, [][]string{{"a", "b", "c", "d"}, {"a", "b", "c", "d", "e"}}, seen)
	assert.Equal(t, tens("a")[0].Content, writer.asked()[0].Messages[0][len("user: "):])
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
			writer := &model{answer: func(context.Context, session.SummaryRequest) (string, error) {
				return strings.Repeat("One two three four five. ", 1000), nil
			}}
			m, err := session.NewManager(session.NewMemoryStore(nil), &session.Options{
				Counter: wordCounter{}, Window: tc.window, Summaries: session.Summaries{Summarizer: writer, Tokens: tc.set, InputTokens: 10_000_000},
			})
			require.NoError(t, err)
			at := send(t, m, long("a", tc.window), long("b", 2))
			require.Equal(t, session.SummaryDone, at.Summary.Status)
			assert.Equal(t, tc.want, writer.asked()[0].MaxTokens)
			assert.LessOrEqual(t, at.Summary.Tokens, tc.want)
			assert.Greater(t, at.Summary.Tokens, tc.want/2)
			text, _, _ := strings.Cut(load(t, m, anna).Context, "\n\n")
			assert.Equal(t, at.Summary.Tokens, wordCounter{}.CountTokens(text))
		})
	}
}

func TestSavedSessionsAreWhatTheSummaryLeased(t *testing.T) {
	t.Parallel()
	m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Summarizer: &model{}})
	s := m.New(anna)
	s.Messages = tens("a", "b", "c", "d", "e", "f", "g", "h")
	require.NoError(t, m.Save(t.Context(), s, nil))
	assert.Equal(t, session.SummaryDone, s.Summary().Status)
	assert.Equal(t, []string{"e", "f", "g", "h"}, ids(s.Messages))
	assert.Equal(t, "summary 1", s.Context)
	s.Data = map[string]any{"x": "y"}
	require.NoError(t, m.Save(t.Context(), s, nil), "it can be saved again")
	assert.Equal(t, session.SummaryNone, s.Summary().Status)

	s, err := m.UpdateHead(t.Context(), anna, func(s *session.Session) error {
		s.Messages = tens("i", "j", "k", "l")
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, session.SummaryDone, s.Summary().Status)
	assert.Equal(t, "summary 2", s.Context)
	assert.Equal(t, []string{"i", "j", "k", "l"}, ids(s.Messages), "what was appended")
	assert.Equal(t, load(t, m, anna).Version(), s.Version())
}

func TestSummarizeByHand(t *testing.T) {
	t.Parallel()
	m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{Mode: session.SummarizeOff, Summarizer: &model{}})
	_, err := m.Summarize(t.Context(), anna)
	require.ErrorIs(t, err, session.ErrNotFound)
	_, err = m.Summarize(t.Context(), session.Key{})
	require.ErrorIs(t, err, session.ErrKey)

	assert.Equal(t, session.SummaryNone, send(t, m, tens("a", "b", "c", "d", "e", "f", "g", "h")...).Summary.Status, "off")
	outcome, err := m.Summarize(t.Context(), anna)
	require.NoError(t, err)
	assert.Equal(t, 4, outcome.Messages)
	holds(t, m, "summary 1", "e", "f", "g", "h")
	outcome, err = m.Summarize(t.Context(), anna)
	require.NoError(t, err)
	assert.Equal(t, session.SummaryNone, outcome.Status, "what is within Keep stays")
	send(t, m, long("i", 2))
	outcome, err = m.Summarize(t.Context(), anna)
	require.NoError(t, err)
	assert.Equal(t, 1, outcome.Messages, "below the threshold too")
}

func TestOnSummaryIsTold(t *testing.T) {
	t.Parallel()
	var told []string
	writer := &model{}
	m := summarizing(t, session.NewMemoryStore(nil), session.Summaries{
		Summarizer: writer,
		OnSummary: func(key session.Key, o session.SummaryOutcome) {
			told = append(told, fmt.Sprintf("%s %s %d", key.SessionID, o.Status, o.Messages))
		},
	})
	send(t, m, tens("a", "b", "c", "d")...)
	send(t, m, tens("e", "f", "g", "h")...)
	writer.answer = func(context.Context, session.SummaryRequest) (string, error) { return "", nil }
	send(t, m, tens("i", "j", "k", "l")...)
	assert.Equal(t, []string{"s-1 done 4", "s-1 failed 0"}, told)
}

func TestSummariesOptions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		s    session.Summaries
		want string
	}{
		{session.Summaries{Threshold: -0.1}, "Threshold"},
		{session.Summaries{Threshold: 1.1}, "Threshold"},
		{session.Summaries{Threshold: 1e-9}, "Threshold"},
		{session.Summaries{Keep: 0.7}, "Keep"},
		{session.Summaries{Keep: -1}, "Keep"},
		{session.Summaries{Mode: 3}, "Mode"},
		{session.Summaries{Mode: -1}, "Mode"},
		{session.Summaries{InputTokens: 255}, "InputTokens"},
		{session.Summaries{InputTokens: -1}, "InputTokens"},
		{session.Summaries{Tokens: -1}, "negative"},
		{session.Summaries{Timeout: -1}, "negative"},
		{session.Summaries{RetryAfter: -1}, "negative"},
		{session.Summaries{Workers: -1}, "negative"},
		{session.Summaries{QueueLimit: -1}, "negative"},
		{session.Summaries{Threshold: 1, Keep: 0.99, InputTokens: 256}, ""},
		{session.Summaries{Threshold: 0.2}, ""},
	} {
		_, err := session.NewManager(session.NewMemoryStore(nil), &session.Options{Summaries: tc.s})
		if tc.want == "" {
			assert.NoError(t, err, "%+v", tc.s)
			continue
		}
		assert.ErrorContains(t, err, tc.want, "%+v", tc.s)
	}
}

func TestSummaryStatusNames(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "outrun", session.SummaryOutrun.String())
	assert.Equal(t, "summary.Status(99)", session.SummaryStatus(99).String())
}

func TestWithoutAModelSummariesAreExtracts(t *testing.T) {
	t.Parallel()
	m, err := session.NewManager(session.NewMemoryStore(nil), &session.Options{Window: 2000})
	require.NoError(t, err)
	for i := range 200 {
		_, err := m.Append(t.Context(), anna, []session.Message{
			says("", session.RoleUser, fmt.Sprintf("Where is order W-%d? It should have come on Monday.", i)),
			says("", session.RoleAssistant, "It is on its way. Please wait until tomorrow."),
		}, nil)
		require.NoError(t, err)
	}
	s := load(t, m, anna)
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
