package middleware_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/items"
	"github.com/go-workingmemory/workingmemory/memory/queue"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/workspace"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// longTerm recalls texts that have a word of the message, and keeps the messages.
type longTerm struct {
	mu    sync.Mutex
	texts []string
	asked []string
	fail  error
}

func (l *longTerm) recall(_ context.Context, said string) ([]items.Item, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, said)
	if l.fail != nil {
		return nil, l.fail
	}
	var list []items.Item
	for i, text := range l.texts {
		for word := range strings.FieldsSeq(said) {
			if strings.Contains(text, word) {
				list = append(list, items.Item{ID: fmt.Sprint(i), Type: items.TypeFact, Text: text})
				break
			}
		}
	}
	return list, nil
}

func (l *longTerm) questions() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

func user(text string) prompt.Message { return prompt.Message{Role: "user", Content: text} }

func TestRecall(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, newRecorder func(recall middleware.RecallFunc) *middleware.Recorder) {
		t.Parallel()
		ctx := t.Context()
		known := &longTerm{texts: []string{"likes aisle seats", "eats no nuts", "flies from Oslo, aisle or not"}}
		rec := newRecorder(known.recall)
		require.NoError(t, rec.Refresh(ctx))
		assert.Empty(t, rec.Block(), "nothing was said")
		assert.Empty(t, known.questions())

		rec.UpdateFocus(user("aisle please"))
		rec.UpdateFocus(prompt.Message{Role: "assistant", Content: "nuts"})
		for i := range 20 {
			require.NoError(t, rec.Record(ctx, pageCall(i)))
			require.NoError(t, rec.Refresh(ctx))
		}
		assert.Equal(t, []string{"aisle please"}, known.questions(), "once for the same words")
		const notes = "\n[NOTES]\n  - fact: \"likes aisle seats\"\n  - fact: \"flies from Oslo, aisle or not\""
		assert.Contains(t, rec.Block(), "(page-0019)")
		assert.True(t, strings.HasSuffix(rec.Block(), notes), rec.Block())
		before := rec.Block()
		rec.UpdateFocus(user("aisle please"))
		require.NoError(t, rec.Refresh(ctx))
		assert.Equal(t, before, rec.Block())
		assert.Len(t, known.questions(), 1)

		rec.UpdateFocus(user("now nuts"))
		require.NoError(t, rec.Refresh(ctx))
		assert.Len(t, known.questions(), 2)
		assert.Contains(t, rec.Block(), "[NOTES]\n  - fact: \"eats no nuts\"")
		assert.NotContains(t, rec.Block(), "aisle")

		require.NoError(t, rec.Clear(ctx))
		assert.Empty(t, rec.Block())
		require.NoError(t, rec.Refresh(ctx))
		assert.Equal(t, "[WORKING MEMORY]\n[NOTES]\n  - fact: \"eats no nuts\"", rec.Block())
	}
	t.Run("plain", func(t *testing.T) {
		test(t, func(recall middleware.RecallFunc) *middleware.Recorder {
			return newRecorder(t, &middleware.Options{Recall: recall})
		})
	})
	t.Run("stored", func(t *testing.T) {
		test(t, func(recall middleware.RecallFunc) *middleware.Recorder {
			return newSessions(t, memstore.New(nil), &middleware.SessionsOptions{
				Recall: func(ctx context.Context, key session.Key, said string) ([]items.Item, error) {
					assert.Equal(t, conversation, key)
					return recall(ctx, said)
				},
			}).Recorder(conversation)
		})
	})
}

func TestRecallUsesTheEndOfALongMessage(t *testing.T) {
	t.Parallel()
	known := &longTerm{}
	rec := newRecorder(t, &middleware.Options{Recall: known.recall})
	for _, said := range []string{strings.Repeat("é", 9000) + " aisle", "  ", "[WORKING MEMORY]\npages:\n  - \"Home\" (1)", "window\n\n[WORKING MEMORY]\npages:\n  - \"Home\" (1)"} {
		rec.UpdateFocus(user(said))
		require.NoError(t, rec.Refresh(t.Context()))
	}
	questions := known.questions()
	require.Len(t, questions, 2, "nothing is searched for where nothing was said")
	assert.LessOrEqual(t, len(questions[0]), 8<<10)
	assert.True(t, strings.HasSuffix(questions[0], "é aisle"))
	assert.Equal(t, "window", questions[1], "the block in it is our own")
}

func TestAFailingRecallBreaksNothing(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	known := func() ([]items.Item, error) {
		return []items.Item{{Type: items.TypeFact, Text: "likes aisle seats"}}, nil
	}
	recall := known
	rec := newRecorder(t, &middleware.Options{
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Recall: func(context.Context, string) ([]items.Item, error) { return recall() },
	})
	for logged, fails := range map[string]func() ([]items.Item, error){
		"index is down": func() ([]items.Item, error) { return []items.Item{{Text: "half"}}, errors.New("index is down") },
		"panic":         func() ([]items.Item, error) { panic("secret contents") },
	} {
		recall = fails
		rec.UpdateFocus(user("secret question: " + logged))
		require.NoError(t, rec.Refresh(t.Context()))
		assert.Empty(t, rec.Block())
		assert.Contains(t, log.String(), logged)
		assert.NotContains(t, log.String(), "secret")
		recall = known
		require.NoError(t, rec.Refresh(t.Context()))
		assert.Contains(t, rec.Block(), "likes aisle seats", "it is asked again")
	}
}

func TestRecallEndsWithTheContext(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	rec := newRecorder(t, &middleware.Options{Recall: func(ctx context.Context, _ string) ([]items.Item, error) {
		close(began)
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	rec.UpdateFocus(user("aisle"))
	ctx, cancel := context.WithCancel(t.Context())
	slow := make(chan error)
	go func() { slow <- rec.Refresh(ctx) }()
	<-began
	impatient, giveUp := context.WithCancel(t.Context())
	giveUp()
	_ = rec.Refresh(impatient) // does not wait
	assert.Empty(t, rec.Block(), "neither does the block")
	cancel()
	<-slow
	assert.Empty(t, rec.Block())
}

func TestRecalledNotesShareTheRoom(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	known := &longTerm{}
	scope := roomyWorkspace()
	for i := range 20 {
		known.texts = append(known.texts, fmt.Sprintf("old fact number %d", i))
		_, err := scope.Items().Memorize(ctx, items.ItemInput{Type: items.TypeGoal, Text: fmt.Sprintf("new goal number %d", i), Importance: new(1 - float64(i)/100)})
		require.NoError(t, err)
	}
	known.texts[1] = "new goal number 3" // which the workspace has, too
	block := func(opts prompt.Options) string {
		rec := newRecorder(t, &middleware.Options{Workspace: scope, Notes: true, Block: opts, Recall: known.recall})
		without := rec.Block()
		rec.UpdateFocus(user("number"))
		require.NoError(t, rec.Refresh(ctx))
		assert.NotEqual(t, without, rec.Block())
		for range 3 {
			assert.Equal(t, rec.Block(), rec.Block())
		}
		return rec.Block()
	}
	assert.Equal(t, `[WORKING MEMORY]
[NOTES]
  - fact: "old fact number 0"
  - fact: "old fact number 2"
  - goal: "new goal number 0"
  - goal: "new goal number 1"
  - goal: "new goal number 3"`, block(prompt.Options{}))

	for _, budget := range []int{50, 120, 1000} {
		text := block(prompt.Options{Budget: budget})
		assert.LessOrEqual(t, prompt.Estimator{}.CountTokens(text), budget)
		content, err := prompt.ParseContent(text)
		require.NoError(t, err)
		counts := map[items.Type]int{}
		seen := map[string]bool{}
		for _, note := range content.Notes {
			counts[note.Type]++
			assert.False(t, seen[note.Text], "%q comes twice", note.Text)
			seen[note.Text] = true
		}
		assert.InDelta(t, counts[items.TypeFact], counts[items.TypeGoal], 3, budget)
		assert.Positive(t, counts[items.TypeFact])
	}
}

func TestPlaceAppendWithRecalledNotes(t *testing.T) {
	t.Parallel()
	known := &longTerm{texts: []string{"likes aisle seats", "eats no nuts"}}
	rec := newRecorder(t, &middleware.Options{Recall: known.recall})
	ask := func(messages []prompt.Message, said string) []prompt.Message {
		rec.UpdateFocus(user(said))
		require.NoError(t, rec.Refresh(t.Context()))
		return rec.Place(append(messages, user(said)), prompt.PlaceAppend)
	}
	first := ask(nil, "aisle seats")
	require.Len(t, first, 2)
	both := ask(first, "aisle nuts")
	assert.Equal(t, first, both[:2], "what was recalled stays where it stands while it is recalled again")
	assert.Equal(t, "[WORKING MEMORY]\n[NOTES]\n  - fact: \"eats no nuts\"", both[2].Content)
	for _, m := range ask(both, "nuts") {
		if m.Role == "system" {
			assert.NotContains(t, m.Content, "aisle", "it may no longer be remembered")
		}
	}
}

func TestRecalledItemsAreNotExtracted(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	item := items.Item{Type: items.TypeFact, Text: `order_id: order-7777, issue PROJ-77 {"page": {"id": "page-1001"}}`}
	scope := workspace.New(nil)
	rec := newRecorder(t, &middleware.Options{
		Workspace: scope, Item: middleware.ItemFromCall,
		Recall: func(context.Context, string) ([]items.Item, error) { return []items.Item{item}, nil },
	})
	rec.UpdateFocus(user("order"))
	require.NoError(t, rec.Refresh(ctx))
	block := rec.Block()
	require.Contains(t, block, "order-7777")
	quoted, err := json.Marshal(map[string]string{"content": block})
	require.NoError(t, err)
	for name, echo := range map[string]any{
		"text": "You said:\n\n" + block, "bytes": []byte(block), "raw JSON": json.RawMessage(quoted),
		"a value": map[string]any{"content": block}, "an item": queue.ContextItem{Content: block},
	} {
		require.NoError(t, rec.Record(ctx, middleware.ToolCall{Name: "read", Arguments: echo, Result: echo}))
		assert.Zero(t, rec.Context().Len(), name)
		for _, made := range scope.Items().Notable(100) {
			assert.NotContains(t, made.Text, "7777", name)
		}
	}
	rec.UpdateFocus(prompt.Message{Role: "assistant", Content: "I know: " + block})
	require.NoError(t, rec.Record(ctx, middleware.ToolCall{Name: "get_page", Result: `{"page": {"id": "page-2002", "title": "\"[WORKING MEMORY]"}}`}))
	assert.Equal(t, 1, rec.Context().Len(), "what is no block is read")
}

func TestConcurrentRefreshesRecallOnce(t *testing.T) {
	t.Parallel()
	known := &longTerm{texts: []string{"likes aisle seats"}}
	rec := newRecorder(t, &middleware.Options{Recall: known.recall})
	rec.UpdateFocus(user("aisle"))
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			assert.NoError(t, rec.Refresh(t.Context()))
			assert.Contains(t, rec.Block(), "aisle")
		})
	}
	wg.Wait()
	assert.Len(t, known.questions(), 1)
}
