package langchain

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tmc/langchaingo/llms"

	"github.com/go-workingmemory/workingmemory/memory/session"
)

// roleFunction is the role of the result of a function call, the predecessor of tool
// calls.
const roleFunction = "function"

// Markers in stored messages for what a session.Message has no field for.
const (
	// genericRole prefixes the role of a generic message if the role is reserved.
	genericRole = "generic:"
	// legacyCall is the type of a call from AIChatMessage.FunctionCall.
	legacyCall = "function_call"
	// noFunction prefixes the type of a tool call without a function.
	noFunction = "empty:"
	// otherType prefixes the type of a tool call that begins with another marker.
	otherType = "type:"
)

// toStored converts a message to that of a session. Invalid bytes of UTF-8 become
// U+FFFD, as in the JSON that is sent to providers.
func toStored(m llms.ChatMessage) (session.Message, error) {
	m, err := valueOf(m)
	if err != nil {
		return session.Message{}, err
	}
	s := session.Message{Content: valid(m.GetContent())}
	if named, ok := m.(llms.Named); ok {
		s.Name = valid(named.GetName())
	}
	switch m.GetType() {
	case llms.ChatMessageTypeHuman:
		s.Role = session.RoleUser
	case llms.ChatMessageTypeAI:
		s.Role = session.RoleAssistant
		putCalls(&s, m)
	case llms.ChatMessageTypeSystem:
		s.Role = session.RoleSystem
	case llms.ChatMessageTypeTool:
		s.Role, s.ToolCallID = session.RoleTool, valid(callID(m))
	case llms.ChatMessageTypeFunction:
		s.Role = roleFunction
	case llms.ChatMessageTypeGeneric:
		generic, _ := m.(llms.GenericChatMessage)
		s.Role = storedRole(valid(generic.Role))
	default:
		s.Role = storedRole(valid(string(m.GetType())))
	}
	return s, nil
}

// valueOf dereferences pointers to langchaingo's messages.
func valueOf(m llms.ChatMessage) (llms.ChatMessage, error) {
	switch p := m.(type) {
	case nil:
		return nil, ErrNoMessage
	case *llms.AIChatMessage:
		return deref(p)
	case *llms.HumanChatMessage:
		return deref(p)
	case *llms.SystemChatMessage:
		return deref(p)
	case *llms.GenericChatMessage:
		return deref(p)
	case *llms.FunctionChatMessage:
		return deref(p)
	case *llms.ToolChatMessage:
		return deref(p)
	}
	return m, nil
}

func deref[M llms.ChatMessage](p *M) (llms.ChatMessage, error) {
	if p == nil {
		return nil, ErrNoMessage
	}
	return *p, nil
}

// putCalls stores the reasoning and the calls of a model's message.
func putCalls(s *session.Message, m llms.ChatMessage) {
	ai, ok := m.(llms.AIChatMessage)
	if calling, has := m.(interface{ GetFunctionCall() *llms.FunctionCall }); has && !ok {
		ai.FunctionCall = calling.GetFunctionCall()
	}
	s.Reasoning = valid(ai.ReasoningContent)
	if f := ai.FunctionCall; f != nil {
		s.ToolCalls = append(s.ToolCalls, session.ToolCall{Type: legacyCall, Name: valid(f.Name), Arguments: valid(f.Arguments)})
	}
	for _, call := range ai.ToolCalls {
		stored := session.ToolCall{ID: valid(call.ID), Type: valid(call.Type)}
		switch f := call.FunctionCall; {
		case f == nil:
			stored.Type = noFunction + stored.Type
		default:
			stored.Name, stored.Arguments = valid(f.Name), valid(f.Arguments)
			if stored.Type == legacyCall || strings.HasPrefix(stored.Type, noFunction) || strings.HasPrefix(stored.Type, otherType) {
				stored.Type = otherType + stored.Type
			}
		}
		s.ToolCalls = append(s.ToolCalls, stored)
	}
}

// reservedRoles are the roles of messages that are not generic.
var reservedRoles = [...]string{"", session.RoleUser, session.RoleAssistant, session.RoleSystem, session.RoleTool, roleFunction}

func storedRole(role string) string {
	if slices.Contains(reservedRoles[:], role) || strings.HasPrefix(role, genericRole) {
		return genericRole + role
	}
	return role
}

// fromStored converts a message of a session, written by any program, to langchaingo's.
func fromStored(s *session.Message) llms.ChatMessage {
	switch s.Role {
	case session.RoleUser:
		return llms.HumanChatMessage{Content: s.Content}
	case session.RoleAssistant:
		return modelMessage(s)
	case session.RoleSystem:
		return llms.SystemChatMessage{Content: s.Content}
	case session.RoleTool:
		return llms.ToolChatMessage{ID: s.ToolCallID, Content: s.Content}
	case roleFunction:
		return llms.FunctionChatMessage{Name: s.Name, Content: s.Content}
	}
	return llms.GenericChatMessage{Role: strings.TrimPrefix(s.Role, genericRole), Name: s.Name, Content: s.Content}
}

func modelMessage(s *session.Message) llms.ChatMessage {
	m := llms.AIChatMessage{Content: s.Content, ReasoningContent: s.Reasoning}
	for i, call := range s.ToolCalls {
		f := &llms.FunctionCall{Name: call.Name, Arguments: call.Arguments}
		if i == 0 && call.Type == legacyCall {
			m.FunctionCall = f
			continue
		}
		typ, empty := strings.CutPrefix(call.Type, noFunction)
		if empty {
			f = nil
		} else {
			typ = strings.TrimPrefix(typ, otherType)
		}
		m.ToolCalls = append(m.ToolCalls, llms.ToolCall{ID: call.ID, Type: typ, FunctionCall: f})
	}
	return m
}

// valid returns text with invalid bytes replaced by U+FFFD.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}
