package benchmarks

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	lcmemory "github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"

	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// conversation is what histories are compared by.
type conversation interface {
	// turn adds what the user said and the answer, and reads what the next prompt
	// needs.
	turn(ctx context.Context) error
	// reset makes it a conversation of n messages.
	reset(ctx context.Context, n int) error
}

// text is what is said: 200 bytes.
var text = strings.Repeat("word ", 40)

// BenchmarkHistories is a turn of a stored conversation of some messages beside
// langchaingo's own histories. These read the whole conversation at each turn: they
// have no other way; ours reads the last 20 messages, which is what a window keeps.
// On the other hand ours keeps ids, times and counted tokens of messages.
func BenchmarkHistories(b *testing.B) {
	for _, messages := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("process/messages=%d", messages), func(b *testing.B) {
			store := memstore.New(nil)
			b.Cleanup(func() { _ = store.Close() })
			compareTurns(b, messages, newStored(b, store), &history{lcmemory.NewChatMessageHistory()})
		})
	}
}

// compareTurns times turns of ours and of theirs, one after the other, in
// conversations that grow by a tenth, or 20 messages, and are then reset.
func compareTurns(b *testing.B, messages int, ours, theirs conversation) {
	ctx := b.Context()
	both := []conversation{ours, theirs}
	took := make([]time.Duration, len(both))
	turns := max(messages/10, 20) / 2
	for n := range b.N {
		for i, c := range both {
			if n%turns == 0 {
				require.NoError(b, c.reset(ctx, messages))
			}
			start := time.Now()
			if err := c.turn(ctx); err != nil {
				b.Fatal(err)
			}
			took[i] += time.Since(start)
		}
	}
	b.ReportMetric(perOperation(took[0], b.N), "ns/op")
	b.ReportMetric(perOperation(took[1], b.N), "langchaingo-ns/op")
	b.ReportMetric(float64(took[1])/float64(took[0]), "x-langchaingo")
}

// stored is a session in a store.
type stored struct {
	manager *session.Manager
	key     session.Key
}

func newStored(b *testing.B, store driver.Store) *stored {
	b.Helper()
	m, err := session.NewManager(store, &session.Options{Summaries: summary.Options{Mode: summary.Off}})
	require.NoError(b, err)
	return &stored{m, session.Key{SessionID: "s"}}
}

func (s *stored) turn(ctx context.Context) error {
	_, err := s.manager.Append(ctx, s.key, []session.Message{
		{Role: session.RoleUser, Content: text}, {Role: session.RoleAssistant, Content: text},
	}, nil)
	if err != nil {
		return err
	}
	loaded, err := s.manager.Load(ctx, s.key, &session.LoadOptions{Last: 20})
	if err == nil && len(loaded.Messages) < 12 {
		err = fmt.Errorf("%d messages", len(loaded.Messages))
	}
	return err
}

func (s *stored) reset(ctx context.Context, n int) error {
	_, err := s.manager.Update(ctx, s.key, func(s *session.Session) error {
		s.Messages = nil
		for range n {
			s.Messages = append(s.Messages, session.Message{Role: session.RoleUser, Content: text})
		}
		return nil
	}, nil)
	return err
}

// history is one of langchaingo's.
type history struct{ schema.ChatMessageHistory }

func (h *history) turn(ctx context.Context) error {
	if err := h.AddUserMessage(ctx, text); err != nil {
		return err
	}
	if err := h.AddAIMessage(ctx, text); err != nil {
		return err
	}
	messages, err := h.Messages(ctx)
	if err == nil && len(messages) < 12 {
		err = fmt.Errorf("%d messages", len(messages))
	}
	return err
}

func (h *history) reset(ctx context.Context, n int) error {
	messages := make([]llms.ChatMessage, n)
	for i := range messages {
		messages[i] = llms.HumanChatMessage{Content: text}
	}
	return h.SetMessages(ctx, messages)
}
