package service

import (
	"context"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Prompt returns the messages for a model: the summary of a session, its [WORKING MEMORY]
// block, its messages, what long-term memory has that fits, and what the user says. A session
// that is not there adds nothing. With a session, the search is among the memories of its
// namespace and user, unless it says otherwise. Errors: Bad, Invalid, Unavailable, and
// Internal for a session that is damaged.
func (s *Service) Prompt(ctx context.Context, t Tenant, request *wire.PromptRequest) (*wire.Prompt, error) {
	if err := invalidIf(request.Check()); err != nil {
		return nil, err
	}
	search := promptSearch(request)
	switch {
	case request.Session == nil && search == nil:
		return nil, &Error{Kind: Bad, Detail: "Either session or long_term_search must be provided"}
	case search != nil && s.opts.Memory == nil:
		return nil, disabled()
	}
	p := &wire.Prompt{LongTerm: []wire.Found{}}
	if request.Session != nil {
		key, err := s.addSession(ctx, t, request, p)
		if err != nil {
			return nil, err
		}
		if search != nil {
			ofOwner(search, key)
		}
	}
	if search != nil {
		found, err := s.search(ctx, t, search)
		if err != nil {
			return nil, err
		}
		p.LongTerm = found.Memories
		say(p, session.RoleSystem, relatedText(found.Memories))
	}
	say(p, session.RoleUser, request.Query)
	return p, nil
}

// promptSearch is the search that a prompt asks for, nil for none. Without a text of its
// own it is for what the user says.
func promptSearch(request *wire.PromptRequest) *wire.Search {
	asked := request.LongTerm
	if asked == nil || asked.Search == nil && !asked.Bool {
		return nil
	}
	search := wire.Search{}
	if asked.Search != nil {
		search = *asked.Search
	}
	if strings.TrimSpace(orElse(search.Text, "")) == "" {
		search.Text = &request.Query
	}
	return &search
}

// ofOwner narrows a search to the owner of a session, where it says nothing of owners.
func ofOwner(search *wire.Search, key session.Key) {
	for _, part := range []struct {
		of    **wire.TextFilter
		owner string
	}{{&search.Namespace, key.Namespace}, {&search.UserID, key.UserID}} {
		if *part.of == nil || **part.of == (wire.TextFilter{}) {
			*part.of = &wire.TextFilter{Eq: &part.owner}
		}
	}
}

// addSession adds what a session has to say, and returns its key: of one that is not there,
// that which it would have.
func (s *Service) addSession(ctx context.Context, t Tenant, request *wire.PromptRequest, p *wire.Prompt) (session.Key, error) {
	asked := request.Session
	ref := Ref{SessionID: asked.SessionID, Namespace: asked.Namespace, UserID: asked.UserID}
	view := View{Model: orElse(asked.ModelName, "")}
	if asked.ContextWindowMax != nil {
		view.Window = int64(*asked.ContextWindowMax)
	}
	found, err := s.read(ctx, t, ref, view)
	switch {
	case of(NotFound, err):
		_, _, key, _ := ref.of(t)
		return key, nil
	case err != nil:
		return session.Key{}, err
	}
	block, err := s.recorder.Block(ctx, found.Key, prompt.Message{Role: session.RoleUser, Content: request.Query})
	if err != nil {
		return session.Key{}, s.fail(ctx, err)
	}
	if found.Context != "" {
		say(p, session.RoleSystem, "## A summary of the conversation so far:\n"+found.Context)
	}
	if block != "" {
		say(p, session.RoleSystem, block)
	}
	for i := range found.Messages {
		m := &found.Messages[i]
		if strings.TrimSpace(m.Content) != "" { // one that only calls tools says nothing
			say(p, promptRole(m.Role), m.Content)
		}
	}
	return found.Key, nil
}

func say(p *wire.Prompt, role, text string) {
	p.Messages = append(p.Messages, wire.PromptMessage{Role: role, Content: wire.TextContent{Type: "text", Text: text}})
}

// promptRole is a role that every model knows: what tools returned is the assistant's, as
// agent-memory-server has it.
func promptRole(role string) string {
	switch role {
	case session.RoleUser, session.RoleSystem, session.RoleAssistant:
		return role
	default:
		return session.RoleAssistant
	}
}

// relatedText is what was found, as agent-memory-server writes it, the space before the
// list included. Texts are often strangers': each takes one line, so that none forges
// another memory, a header or a block.
func relatedText(found []wire.Found) string {
	const header = "## Long term memories related to the user's query\n "
	if len(found) == 0 {
		return header + "No relevant long-term memories found."
	}
	lines := make([]string, len(found))
	for i := range found {
		lines[i] = "- " + inOneLine(found[i].Text) + " (ID: " + inOneLine(found[i].ID) + ")"
	}
	return header + strings.Join(lines, "\n")
}

// inOneLine is a text with spaces for whatever ends a line.
func inOneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return '\n' <= r && r <= '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
	}), " ")
}
