package longterm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

var keeping = &longterm.PromoterOptions{Messages: true}

// keep keeps messages, with numbers that follow each other, and returns them as they
// are to come back.
func keep(ctx context.Context, tb require.TestingT, p *longterm.Promoter, key session.Key, made time.Time, messages []session.Message) []session.Message {
	messages = slices.Clone(messages)
	for i := range messages {
		messages[i].Seq = uint64(i) + 1
	}
	done, err := p.Promote(ctx, driver.PromoteRequest{Key: key, Messages: messages, CreatedAt: made, Now: monday})
	require.NoError(tb, err)
	require.Equal(tb, len(messages), done.Messages)
	for i := range messages {
		messages[i].PersistedAt = monday.Truncate(time.Microsecond)
		messages[i].CreatedAt = messages[i].CreatedAt.UTC()
		messages[i].Tokens = 0
		if len(messages[i].ToolCalls) == 0 {
			messages[i].ToolCalls = nil
		}
	}
	return messages
}

func hostileText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"", " ", "\x00", "\u2028", "]}", `"\`, "</script>&", "[WORKING MEMORY]\n", "message:", "\U0010FFFF", "é", "e\u0301", "0/1/",
		})).Draw(t, "text")
		return strings.ToValidUTF8(text, "\ufffd")
	})
}

func anyMessage() *rapid.Generator[session.Message] {
	return rapid.Custom(func(t *rapid.T) session.Message {
		text := hostileText()
		m := session.Message{
			Role: "r" + text.Draw(t, "role"), Content: text.Draw(t, "content"), Name: text.Draw(t, "name"), Reasoning: text.Draw(t, "reasoning"),
			ToolCallID: text.Draw(t, "call"), Extracted: rapid.Bool().Draw(t, "extracted"),
			CreatedAt: time.Unix(0, rapid.Int64().Draw(t, "created")).UTC(),
		}
		for range rapid.IntRange(0, 2).Draw(t, "calls") {
			m.ToolCalls = append(m.ToolCalls, session.ToolCall{ID: text.Draw(t, "id"), Type: text.Draw(t, "type"), Name: text.Draw(t, "name"), Arguments: text.Draw(t, "arguments")})
		}
		return m
	})
}

func TestMessagesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, keeping)
	turn := 0
	rapid.Check(t, func(rt *rapid.T) {
		turn++
		owner := session.Key{Namespace: hostileText().Draw(rt, "namespace"), UserID: hostileText().Draw(rt, "user"), SessionID: fmt.Sprint(turn, hostileText().Draw(rt, "session"))}
		messages := rapid.SliceOfN(anyMessage(), 0, 12).Draw(rt, "messages")
		for i := range messages {
			messages[i].ID = fmt.Sprint(i, hostileText().Draw(rt, "id"))
		}
		want := keep(t.Context(), rt, p, owner, monday, messages)
		got, err := p.Messages(t.Context(), owner)
		require.NoError(rt, err)
		require.Equal(rt, len(want), len(got))
		for i := range want {
			require.Equal(rt, want[i], got[i])
		}
	})
}

func numbered(n int, prefix string) []session.Message {
	messages := make([]session.Message, n)
	for i := range messages {
		messages[i] = session.Message{ID: fmt.Sprint(prefix, i), Role: session.RoleUser, Content: "again and again", CreatedAt: monday.Add(time.Duration(i%7) * time.Second)}
	}
	return messages
}

func TestManyMessagesAreReadInPages(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, keeping)
	want := keep(t.Context(), t, p, annas, monday, numbered(1203, "m"))
	got, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestMessagesOfASessionThatWasMadeAgainFollow(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, keeping)
	second := keep(t.Context(), t, p, annas, monday.Add(time.Hour), numbered(3, "second "))
	first := keep(t.Context(), t, p, annas, monday, numbered(5, "first "))
	got, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	assert.Equal(t, append(first, second...), got)
}

func TestLongMessagesComeBackWhole(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, keeping)
	var messages []session.Message
	for i, text := range []string{
		strings.Repeat("words of all kinds ", 15_000), strings.Repeat("\x01", 300<<10), strings.Repeat(" é", 100_001),
		strings.Repeat("<&>", 100_000), strings.Repeat("\U0001F600", 70_000), strings.Repeat("x", 256<<10),
	} {
		m := session.Message{ID: fmt.Sprint("m", i), Role: "user", Content: text}
		switch i % 3 {
		case 1:
			m.Reasoning = text
		case 2:
			m.Content, m.ToolCalls = "short", []session.ToolCall{{Name: "f", Arguments: text}}
		}
		messages = append(messages, m)
	}
	want := keep(t.Context(), t, p, annas, monday, messages)
	keep(t.Context(), t, p, annas, monday, messages) // twice is once
	got, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	require.Equal(t, len(want), len(got))
	for i := range want {
		assert.True(t, assert.ObjectsAreEqual(want[i], got[i]), "message %q", want[i].ID)
	}
}

func TestTheLargestMessageComesBackWhole(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, keeping)
	text := strings.Repeat(" ", session.MaxMessageBytes-1000) + "end"
	want := keep(t.Context(), t, p, annas, monday, []session.Message{{ID: "m", Role: "user", Content: text}})
	got, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	require.Equal(t, len(want), len(got))
	assert.True(t, want[0].Content == got[0].Content)
}

func TestWhatAMessageSaysIsFoundToItsEnd(t *testing.T) {
	t.Parallel()
	p, m := newPromoter(t, keeping)
	keep(t.Context(), t, p, annas, monday, []session.Message{{ID: "m", Role: "user", Content: strings.Repeat("blah ", 200_000) + "albatross"}})
	found, err := m.Search(t.Context(), longterm.Of(annas.Namespace, annas.UserID), longterm.Query{Text: "albatross", NoTouch: true})
	require.NoError(t, err)
	require.Len(t, found.Hits, 1)
	assert.Equal(t, []string{"m"}, found.Hits[0].Record.ExtractedFrom)
}

func TestMessagesOfOthersAreTheirs(t *testing.T) {
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
		want[key] = keep(t.Context(), t, p, key, monday, messages)
	}
	for _, key := range keys {
		got, err := p.Messages(t.Context(), key)
		require.NoError(t, err)
		assert.Equal(t, want[key], got)
	}
	fact := longterm.Record{ID: "message:like", Text: "Anna likes aisles", SessionID: "s-1"}
	forged := longterm.Record{ID: "message:x", Type: session.RecordMessage, SessionID: "s-1", Text: "forged", Metadata: map[string]any{"part": "0/1/0", "message": "{}"}}
	_, err := m.Put(t.Context(), longterm.Of("shop", "anna"), []longterm.Record{withOwner(fact), withOwner(forged)}, nil)
	require.NoError(t, err)
	got, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	assert.Equal(t, want[annas], got, "what is no message of ours is none")

	require.NoError(t, p.DeleteMessages(t.Context(), annas, time.Time{}))
	for _, key := range keys {
		got, err := p.Messages(t.Context(), key)
		require.NoError(t, err)
		if key == annas {
			assert.Empty(t, got)
		} else {
			assert.Equal(t, want[key], got)
		}
	}
	assert.Len(t, all(t, m, annas), 1, "facts stay")
}

func withOwner(r longterm.Record) longterm.Record {
	r.Namespace, r.UserID = annas.Namespace, annas.UserID
	return r
}

func TestAllMessagesAreDeleted(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, keeping)
	messages := numbered(350, "m")
	messages[7].Content = longText(1_500_000)
	keep(t.Context(), t, p, annas, monday, messages)
	require.NoError(t, p.DeleteMessages(t.Context(), annas, time.Time{}))
	got, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	assert.Empty(t, got)
	require.NoError(t, p.DeleteMessages(t.Context(), annas, time.Time{}), "there are none")
}

// longText is a text of so many bytes, in few words: indexing words takes time.
func longText(size int) string {
	const word = 50_000
	return strings.Repeat(strings.Repeat("x", word-1)+" ", size/word)
}

func TestMessagesOfOneLifeOfASessionAreDeleted(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, keeping)
	first, again := numbered(250, "a"), numbered(20, "b")
	first[7].Content = longText(1_500_000)
	keep(t.Context(), t, p, annas, monday, first)
	keep(t.Context(), t, p, annas, monday.Add(1), again)
	keep(t.Context(), t, p, annas, monday.Add(1), first[3:4]) // said again, with the same id
	require.NoError(t, p.DeleteMessages(t.Context(), annas, monday))
	got, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	var ids []string
	for i := range got {
		ids = append(ids, got[i].ID)
	}
	assert.Len(t, ids, 21)
	assert.Contains(t, ids, first[3].ID)
	assert.NotContains(t, ids, first[7].ID)
}

func TestMessagesAreKeptOnceWhateverFails(t *testing.T) {
	t.Parallel()
	for _, broken := range []*brokenIndex{{before: 2}, {after: 3}, {before: 1, after: 1}} {
		t.Run(fmt.Sprintf("%d before and %d after", broken.before, broken.after), func(t *testing.T) {
			t.Parallel()
			broken.Index = memindex.New(nil)
			p, _ := promoterOn(t, broken, keeping)
			messages := numbered(250, "m")
			messages[120].Content = longText(5_000_000)
			for i := range messages {
				messages[i].Seq = uint64(i) + 1
			}
			kept, failures := 0, 0
			for kept < len(messages) {
				done, err := p.Promote(t.Context(), driver.PromoteRequest{Key: annas, Messages: messages[kept:], CreatedAt: monday, Now: monday})
				kept += done.Messages
				if err != nil {
					require.ErrorIs(t, err, longterm.ErrUnavailable)
					failures++
				}
			}
			assert.Positive(t, failures)
			got, err := p.Messages(t.Context(), annas)
			require.NoError(t, err)
			require.Len(t, got, len(messages))
			for i := range got {
				assert.Equal(t, messages[i].ID, got[i].ID)
				assert.True(t, messages[i].Content == got[i].Content)
			}
		})
	}
}

func TestAMessageThatIsNotAllThereIsNone(t *testing.T) {
	t.Parallel()
	p, m := newPromoter(t, keeping)
	keep(t.Context(), t, p, annas, monday, []session.Message{{ID: "long", Role: "user", Content: strings.Repeat("x", 1<<20)}, {ID: "short", Role: "user"}})
	results, err := m.Search(t.Context(), longterm.Of("shop", "anna"), longterm.Query{Filter: longterm.RecordFilter{ID: &longterm.TextCondition{StartsWith: new("message:")}}, NoTouch: true})
	require.NoError(t, err)
	for _, hit := range results.Hits {
		if strings.HasSuffix(hit.Record.ID, "/2") {
			_, err := m.Delete(t.Context(), longterm.Of("shop", "anna"), hit.Record.ID)
			require.NoError(t, err)
		}
	}
	got, err := p.Messages(t.Context(), annas)
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.Equal(t, "short", got[0].ID)
}

func TestMessagesOfAKeyThatRecordsCannotHave(t *testing.T) {
	t.Parallel()
	p, _ := newPromoter(t, keeping)
	key := session.Key{UserID: "\xff", SessionID: "s"}
	done, err := p.Promote(t.Context(), driver.PromoteRequest{Key: key, Messages: numbered(1, "m"), Memories: []session.Record{{ID: "a", Text: "b"}}, Now: monday})
	require.ErrorIs(t, err, longterm.ErrInvalidUTF8)
	assert.Equal(t, driver.PromoteResult{Refused: []string{"a"}}, done)
}

func TestMessagesAreNotKeptWhereTheyAreNotWanted(t *testing.T) {
	t.Parallel()
	p, m := newPromoter(t, nil)
	keep(t.Context(), t, p, annas, monday, numbered(2, "m"))
	results, err := m.Search(t.Context(), longterm.Everyone(), longterm.Query{NoTouch: true})
	require.NoError(t, err)
	assert.Zero(t, results.Total)
}
