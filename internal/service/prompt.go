package service

import (
	"context"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// PromptRequest asks for the messages for a model.
type PromptRequest struct {
	// Query is what the user says.
	Query string
	// Session is the conversation that it goes on with; nil: none.
	Session *PromptSession
	// Search is what to find in long-term memory, the Query if it has no text; nil: nothing.
	Search *Search
}

// PromptSession is a session, and how it is read.
type PromptSession struct {
	Ref
	View
}

// Prompt is the messages for a model, and the memories among them.
type Prompt struct {
	Messages []prompt.Message
	LongTerm []Found
}

// Prompt returns the messages for a model: the summary of a session, its [WORKING MEMORY]
// block, its messages, what long-term memory has that fits, and what the user says. A session
// that is not there adds nothing. With a session, the search is among the memories of its
// namespace and user, unless it says otherwise. Errors: Bad, Invalid, Unavailable, and
// Internal for a session that is damaged.
func (s *Service) Prompt(ctx context.Context, t Tenant, request *PromptRequest) (*Prompt, error) {
	if fields := request.Check(); len(fields) > 0 {
		return nil, &Error{Kind: Invalid, Fields: fields}
	}
	search := request.search()
	switch {
	case request.Session == nil && search == nil:
		return nil, &Error{Kind: Bad, Detail: "Either session or long_term_search must be provided"}
	case search != nil && s.opts.Memory == nil:
		return nil, disabled()
	}
	p := &Prompt{LongTerm: []Found{}}
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

// search returns a copy of the Search with its text, nil for none.
func (r *PromptRequest) search() *Search {
	if r.Search == nil {
		return nil
	}
	search := *r.Search
	if strings.TrimSpace(search.Text) == "" {
		search.Text = r.Query
	}
	return &search
}

// ofOwner narrows a search to the owner of a session, where it says nothing of owners.
func ofOwner(search *Search, key session.Key) {
	for _, part := range []struct {
		of    **longterm.TextCondition
		owner string
	}{{&search.Filter.Namespace, key.Namespace}, {&search.Filter.UserID, key.UserID}} {
		if *part.of == nil || isEmpty(*part.of) {
			*part.of = &longterm.TextCondition{Eq: &part.owner}
		}
	}
}

// isEmpty reports whether a condition lets everything pass.
func isEmpty(t *longterm.TextCondition) bool {
	return t.Eq == nil && t.Ne == nil && t.StartsWith == nil && t.Any == nil && t.All == nil && t.None == nil
}

// addSession adds what a session has to say, and returns its key: of one that is not there,
// that which it would have.
func (s *Service) addSession(ctx context.Context, t Tenant, request *PromptRequest, p *Prompt) (session.Key, error) {
	ref := request.Session.Ref
	found, err := s.read(ctx, t, ref, request.Session.View)
	switch {
	case isKind(NotFound, err):
		_, _, key, _ := ref.resolve(t)
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

func say(p *Prompt, role, text string) {
	p.Messages = append(p.Messages, prompt.Message{Role: role, Content: text})
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
func relatedText(found []Found) string {
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
