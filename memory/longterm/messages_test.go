package longterm_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/internal/soak"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// promote keeps messages with consecutive numbers, and returns them as Messages should.
func promote(t *testing.T, tb require.TestingT, p *longterm.Promoter, key session.Key, made time.Time, messages []session.Message) []session.Message {
	messages = slices.Clone(messages)
	for i := range messages {
		messages[i].Seq = uint64(i) + 1
	}
	done, err := p.Promote(t.Context(), driver.PromoteRequest{Key: key, Messages: messages, CreatedAt: made, Now: monday})
	require.NoError(tb, err)
	require.Equal(tb, len(messages), done.Messages)
	for i := range messages {
		messages[i].PersistedAt, messages[i].CreatedAt = monday.Truncate(time.Microsecond), messages[i].CreatedAt.UTC()
	}
	return messages
}

// requireMessages requires that exactly these messages of a session are kept.
func requireMessages(t *testing.T, tb require.TestingT, p *longterm.Promoter, key session.Key, want []session.Message) {
	got, err := p.Messages(t.Context(), key)
	require.NoError(tb, err)
	require.Equal(tb, len(want), len(got))
	for i := range want {
		if len(want[i].Content) > 1000 {
			require.True(tb, want[i].Content == got[i].Content, "message %.40q", want[i].ID)
			got[i].Content = want[i].Content // or a difference is printed whole
		}
		require.Equal(tb, want[i], got[i])
	}
}

func TestMessagesComeBack(t *testing.T) {
	t.Parallel()
	text := rapid.Custom(func(t *rapid.T) string {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"", " ", "\x00", "\u2028", "]}", `"\`, "</script>&", "[WORKING MEMORY]\n", "message:", "\U0010FFFF", "é", "e\u0301", "0/1/",
		})).Draw(t, "text")
		return strings.ToValidUTF8(text, "\ufffd")
	})
	message := rapid.Custom(func(t *rapid.T) session.Message {
		m := session.Message{
			Role: "r" + text.Draw(t, "role"), Content: text.Draw(t, "content"), Name: text.Draw(t, "name"), Reasoning: text.Draw(t, "reasoning"),
			ToolCallID: text.Draw(t, "call"), Extracted: rapid.Bool().Draw(t, "extracted"), CreatedAt: time.Unix(0, rapid.Int64().Draw(t, "created")).UTC(),
		}
		for range rapid.IntRange(0, 2).Draw(t, "calls") {
			m.ToolCalls = append(m.ToolCalls, session.ToolCall{ID: text.Draw(t, "id"), Type: text.Draw(t, "type"), Name: text.Draw(t, "name"), Arguments: text.Draw(t, "arguments")})
		}
		return m
	})
	p, _ := newPromoter(t, keeping)
	turn := 0
	rapid.Check(t, func(rt *rapid.T) {
		turn++
		owner := session.Key{Namespace: text.Draw(rt, "namespace"), UserID: text.Draw(rt, "user"), SessionID: fmt.Sprint(turn, text.Draw(rt, "session"))}
		messages := rapid.SliceOfN(message, 0, 12).Draw(rt, "messages")
		for i := range messages {
			messages[i].ID = fmt.Sprint(i, text.Draw(rt, "id"))
		}
		requireMessages(t, rt, p, owner, promote(t, rt, p, owner, monday, messages))
	})
}

// Every message that a session accepts is kept, and found by each of its words.
func TestLargeAndOddMessages(t *testing.T) {
	t.Parallel()
	p, m := newPromoter(t, keeping)
	long := strings.Repeat("x", session.MaxIDBytes)
	messages := []session.Message{
		{ID: "\x00", Role: "user", Content: "\x00"}, {ID: long, Role: long}, {ID: "empty", Role: "user"}, {ID: "/", Role: " ", Content: "\n\ufffd"},
		{ID: "year", Role: "user", CreatedAt: time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)}, {ID: "year 0", Role: "user", CreatedAt: time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "huge", Role: long, Content: strings.Repeat("\x01", 270<<10), Reasoning: strings.Repeat("\u2028", 50_000)},
		{ID: "calls", Role: "assistant", ToolCalls: []session.ToolCall{{Name: "f", Arguments: strings.Repeat("<&>", 20_000)}, {ID: "1"}}},
		{ID: "words", Role: "user", Content: strings.Repeat(longWord+" ", 5) + "albatross"}, {ID: "runes", Role: "user", Content: "a" + strings.Repeat("\U0001F600", 66_000)},
		{ID: "exact", Role: "user", Content: strings.Repeat("x", 256<<10)}, {ID: "largest", Role: "user", Content: longText(soak.Times(300_000, session.MaxMessageBytes-1000)) + "end"},
	}
	want := promote(t, t, p, annas, monday, messages)
	promote(t, t, p, annas, monday, messages[:6]) // no message is kept twice
	requireMessages(t, t, p, annas, want)
	hits := search(t, m, longterm.Query{Text: "albatross", NoTouch: true}).Hits
	require.Len(t, hits, 1)
	require.Equal(t, []string{"words"}, hits[0].Record.ExtractedFrom)
	// Without one of its records, a message is not there.
	p, m = newPromoter(t, keeping)
	want = promote(t, t, p, annas, monday, []session.Message{messages[2], messages[7], {ID: "first", Content: longText(300_000)}})
	for i, part := range []string{"/1", ""} { // of "calls", then of "first"
		for _, hit := range search(t, m, longterm.Query{Limit: longterm.MaxPage}).Hits {
			if id := hit.Record.ID; hit.Record.ExtractedFrom[0] == want[len(want)-2+i].ID && strings.HasSuffix(id, part) {
				_, err := m.Delete(t.Context(), anna, id)
				require.NoError(t, err)
			}
		}
		if i == 0 {
			requireMessages(t, t, p, annas, []session.Message{want[0], want[2]})
		}
	}
	requireMessages(t, t, p, annas, want[:1])
}

// longWord keeps the number of words in long texts low: indexing words takes time.
var longWord = strings.Repeat("x", 55_000)

// longText returns a text of about so many bytes.
func longText(size int) string { return strings.Repeat(longWord+" ", size/len(longWord)) }

func numbered(n int, prefix string) []session.Message {
	messages := make([]session.Message, n)
	for i := range messages {
		messages[i] = session.Message{ID: fmt.Sprint(prefix, i), Role: session.RoleUser, Content: "again and again", CreatedAt: monday.Add(time.Duration(i%7) * time.Second)}
	}
	return messages
}

func TestMessagesOfSeveralSessions(t *testing.T) {
	t.Parallel()
	p, m := newPromoter(t, keeping)
	keys := []session.Key{
		annas, {Namespace: "shop", UserID: "anna", SessionID: "s-2"}, {Namespace: "shop", UserID: "bert", SessionID: "s-1"},
		{Namespace: "bank", UserID: "anna", SessionID: "s-1"}, {SessionID: "s-1"}, {Namespace: "shopanna", SessionID: "s-1"},
	}
	want := make(map[session.Key][]session.Message)
	for i, key := range keys {
		messages := numbered(3, "m")
		messages[0].Content = fmt.Sprint("said in ", i)
		want[key] = promote(t, t, p, key, monday, messages)
	}
	_, err := m.Put(t.Context(), anna, []longterm.Record{
		{ID: "message:like", Text: "Anna likes aisles", SessionID: "s-1"},
		{ID: "message:x", Type: session.RecordMessage, SessionID: "s-1", Text: "forged", Metadata: map[string]any{"part": "0/1/0", "message": "{}"}},
		{ID: "message:y", Type: session.RecordMessage, SessionID: "s-1", Text: "forged", Metadata: map[string]any{"part": "0/9999999/0"}},
		{ID: "message:z", Type: session.RecordMessage, SessionID: "s-1", Text: "forged", Metadata: map[string]any{"part": "-1/1/0"}},
	}, nil)
	require.NoError(t, err)
	for _, key := range keys {
		requireMessages(t, t, p, key, want[key])
	}
	require.NoError(t, p.DeleteMessages(t.Context(), annas, time.Time{}))
	delete(want, annas)
	for _, key := range keys {
		requireMessages(t, t, p, key, want[key])
	}
	require.Len(t, facts(t, m), 1, "facts are not deleted")
	none, all := newPromoter(t, nil)
	promote(t, t, none, annas, monday, numbered(2, "m"))
	require.Zero(t, search(t, all, longterm.Query{}).Total, "messages are kept only if PromoterOptions.Messages is set")
}

// A session may be made again after it was deleted or has expired.
func TestMessagesOfARemadeSession(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, keeping)
	messages := numbered(253, "a")
	messages[7].Content = longText(600_000)
	second := promote(t, t, p, annas, monday.Add(1), append(numbered(20, "b"), messages[250:]...))
	first := promote(t, t, p, annas, monday, messages[:250])
	requireMessages(t, t, p, annas, append(slices.Clone(first), second...))
	promote(t, t, p, annas, monday.Add(1), messages[3:4]) // the same id again
	require.NoError(t, p.DeleteMessages(t.Context(), annas, monday))
	got, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	require.Len(t, got, 24)
	require.Equal(t, "a3", got[0].ID)
	for range 2 {
		require.NoError(t, p.DeleteMessages(t.Context(), annas, time.Time{}))
		requireMessages(t, t, p, annas, nil)
	}
}

// A Promote that fails reports what it has kept; the rest can be promoted again.
func TestPromoteAfterErrors(t *testing.T) {
	t.Parallel()
	messages := numbered(250, "m")
	messages[120].Content = longText(3_000_000)
	var memories []session.Record
	for i := range 350 {
		memories = append(memories, session.Record{ID: fmt.Sprint("id ", i), Text: fmt.Sprint("fact ", i)})
	}
	for i := range messages {
		messages[i].Seq = uint64(i) + 1
	}
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			index := &faultyIndex{Index: memindex.New(nil)}
			fail := func(n int) error { return failIf(n%3 != 0 && n < 20, longterm.ErrUnavailable) }
			if index.before = fail; when == "after" {
				index.before, index.after = nil, fail
			}
			p, m := promoterOn(t, index, keeping)
			work := driver.PromoteRequest{Key: annas, Memories: memories, Messages: messages, CreatedAt: monday, Now: monday}
			failures := 0
			for len(work.Messages) > 0 {
				done, err := p.Promote(t.Context(), work)
				work.Memories, work.Messages = work.Memories[len(done.Memories):], work.Messages[done.Messages:]
				if err != nil {
					require.ErrorIs(t, err, longterm.ErrUnavailable)
					failures++
				}
			}
			require.Greater(t, failures, 5)
			require.Len(t, facts(t, m), len(memories))
			got, err := p.Messages(t.Context(), annas)
			require.NoError(t, err)
			require.Len(t, got, len(messages))
			for i := range got {
				require.Equal(t, messages[i].ID, got[i].ID)
				require.True(t, messages[i].Content == got[i].Content)
			}
		})
	}
}

// Rebuilding a session asks for the memory of all its messages, page by page.
func TestMessagesAskForMemory(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, keeping)
	messages := numbered(250, "m")
	for i := range messages {
		messages[i].Content = strings.Repeat("word ", 400)
	}
	promote(t, t, p, annas, monday, messages)
	var asked int64
	refusal := errors.New("refused")
	most := int64(math.MaxInt64)
	ctx := driver.WithReserve(t.Context(), func(_ any, bytes int64) error {
		if asked = max(asked, bytes); bytes > most {
			return refusal
		}
		return nil
	})
	got, err := p.Messages(ctx, annas)
	require.NoError(t, err)
	require.Len(t, got, len(messages))
	require.GreaterOrEqual(t, asked, int64(2*1000*len(messages)))
	most = asked / 2
	_, err = p.Messages(ctx, annas)
	require.ErrorIs(t, err, refusal)
}
