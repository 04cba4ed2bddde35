package translate

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

// SessionWrite converts a body. The owner and the TTL of the body replace those of v.
func SessionWrite(body *wire.SessionBody, v *service.WriteView) *service.SessionWrite {
	if body.Namespace != nil {
		v.Namespace = body.Namespace
	}
	if body.UserID != nil {
		v.UserID = body.UserID
	}
	if body.TTLSeconds != nil {
		v.TTLSeconds = integer(body.TTLSeconds)
	}
	w := &service.SessionWrite{
		Messages: Messages(body.Messages), Cleared: map[int][]string{},
		Memories: Memories(body.Memories), Unpinned: map[int]bool{},
		Context: orElse(body.Context, ""), Data: body.Data, Strategy: strategyIn(body.Strategy),
		Tokens: int64(body.Tokens), CreatedAt: timeIn(body.CreatedAt), Entities: body.Entities,
	}
	for i := range body.Messages {
		for _, field := range []string{"name", "reasoning", "tool_call_id", "tool_calls"} {
			if body.Messages[i].Emptied(field) {
				w.Cleared[i] = append(w.Cleared[i], field)
			}
		}
	}
	for i := range body.Memories {
		if pinned := body.Memories[i].Pinned; pinned != nil && !bool(*pinned) {
			w.Unpinned[i] = true
		}
	}
	return w
}

// Messages converts the messages of a request.
func Messages(given []wire.Message) []session.Message {
	messages := make([]session.Message, len(given))
	for i := range given {
		m := &given[i]
		messages[i] = session.Message{
			ID: m.ID, Role: m.Role, Content: m.Content, Name: m.Name, Reasoning: m.Reasoning,
			ToolCalls: toolCalls(m.ToolCalls), ToolCallID: m.ToolCallID, CreatedAt: timeIn(m.CreatedAt),
			PersistedAt: timeIn(m.PersistedAt), Extracted: bool(m.Extracted),
		}
	}
	return messages
}

// toolCalls converts the tool calls of a message. It returns nil for nil.
func toolCalls(given []wire.ToolCall) []session.ToolCall {
	if given == nil {
		return nil
	}
	calls := make([]session.ToolCall, len(given))
	for i := range given {
		calls[i] = session.ToolCall(given[i])
	}
	return calls
}

// strategyIn converts a strategy. It returns nil for nil.
func strategyIn(given *wire.Strategy) *session.StrategyConfig {
	if given == nil {
		return nil
	}
	return &session.StrategyConfig{Name: given.Strategy, Config: given.Config}
}

// Session converts a session. A minimal one has no messages, memories, data and entities.
func Session(found *service.Session, minimal bool) *wire.Session {
	a := &wire.Session{
		SessionID: found.Key.SessionID, Namespace: orNull(found.Key.Namespace), UserID: orNull(found.Key.UserID),
		Messages: []wire.Message{}, Memories: []wire.Memory{}, Data: map[string]any{}, Entities: []memory.Entity{},
		Context: orNull(found.Context), Strategy: strategyOut(found.Strategy), Tokens: int(found.ReportedTokens),
		CreatedAt: wire.Time{Time: found.CreatedAt.UTC()}, UpdatedAt: wire.Time{Time: found.UpdatedAt().UTC()},
		LastAccessed: wire.Time{Time: found.LastAccessed.UTC()}, Version: found.Version(),
	}
	if found.TTL > 0 {
		a.TTLSeconds = new(int64((found.TTL + time.Second - 1) / time.Second))
	}
	if found.Usage != nil {
		a.TotalUsed, a.UntilSummarization = &found.Usage.Total, &found.Usage.UntilSummarization
	}
	if minimal {
		return a
	}
	for i := range found.Messages {
		a.Messages = append(a.Messages, messageOut(&found.Messages[i]))
	}
	for i := range found.Memories {
		a.Memories = append(a.Memories, Memory(&found.Memories[i]))
	}
	// Clients refuse answers that have a null.
	for name, value := range found.Data {
		if value != nil {
			a.Data[name] = value
		}
	}
	a.Entities = append(a.Entities, found.Entities.Recent(found.Entities.Len())...)
	return a
}

func strategyOut(strategy *session.StrategyConfig) wire.Strategy {
	out := wire.Strategy{Strategy: service.DefaultStrategy, Config: map[string]any{}}
	if strategy == nil {
		return out // clients require one
	}
	out.Strategy = strategy.Name
	if strategy.Config != nil {
		out.Config = strategy.Config
	}
	return out
}

func messageOut(m *session.Message) wire.Message {
	out := wire.Message{
		Role: m.Role, Content: m.Content, ID: m.ID, CreatedAt: timeOut(m.CreatedAt), PersistedAt: timeOut(m.PersistedAt),
		Extracted: wire.Flag(m.Extracted), Name: m.Name, Reasoning: m.Reasoning, ToolCallID: m.ToolCallID,
	}
	for _, c := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, wire.ToolCall(c))
	}
	return out
}

// Versions returns the versions in the lines of a header of ETags, or nil if there are no
// lines. Weak tags count only if weak is true. Tags that are no version are ignored, and quotes
// are optional.
func Versions(lines []string, weak bool) *service.Versions {
	if len(lines) == 0 {
		return nil
	}
	v := &service.Versions{}
	for tag := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		tag, isWeak := strings.CutPrefix(strings.TrimSpace(tag), "W/")
		text := strings.Trim(tag, `"`)
		version, err := strconv.ParseUint(text, 10, 64)
		switch {
		case tag == "*" && !isWeak:
			v.Any = true
		case isWeak && !weak:
		case err == nil && strconv.FormatUint(version, 10) == text:
			v.Some = append(v.Some, version)
		}
	}
	return v
}

// SessionList converts a page of sessions.
func SessionList(page session.Listing) *wire.SessionList {
	list := &wire.SessionList{Sessions: []string{}, Total: page.Total}
	for _, key := range page.Keys {
		list.Sessions = append(list.Sessions, key.SessionID)
	}
	return list
}

// Summarized converts the outcome of a summary.
func Summarized(outcome summary.Outcome) *wire.Summarized {
	return &wire.Summarized{Status: outcome.Status.String(), Messages: outcome.Messages, Tokens: outcome.Tokens}
}
