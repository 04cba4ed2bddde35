package service

import (
	"context"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/inert"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// PromptRequest asks for the messages for a model.
type PromptRequest struct {
	// Query is the user's new message.
	Query string
	// Session is the conversation that the query continues. It may be nil.
	Session *PromptSession
	// Search is the search of long-term memory, by the Query if it has no text. If nil,
	// nothing is searched for.
	Search *Search
	// NoNotice leaves out the message that no memories were found.
	NoNotice bool
	// ContextOnly leaves out the messages of the session and the query, which a caller has
	// that only adds to a conversation.
	ContextOnly bool
}

// PromptSession names a session and how it is read.
type PromptSession struct {
	Ref
	View
}

// Prompt has the messages for a model and the memories in them.
type Prompt struct {
	Messages []prompt.Message
	LongTerm []Found
}

// Prompt returns the messages for a model: the summary of a session, its [WORKING MEMORY]
// block, its messages, the memories found, and the query. A session that does not exist adds
// nothing. With a session, the search is restricted to the memories of its owner unless the
// search names others. Errors: Bad, Invalid, Unavailable, and Internal for a damaged session.
func (s *Service) Prompt(ctx context.Context, t Tenant, request *PromptRequest) (*Prompt, error) {
	if fields := request.Check(); len(fields) > 0 {
		return nil, &Error{Kind: Invalid, Fields: fields}
	}
	search := request.search()
	switch {
	case request.Session == nil && search == nil:
		return nil, &Error{Kind: Bad, Detail: "Either session or long_term_search must be provided"}
	case search != nil && s.opts.Memory == nil:
		return nil, memoryDisabled()
	}
	p := &Prompt{LongTerm: []Found{}}
	if request.Session != nil {
		key, err := s.addSession(ctx, t, request, p)
		if err != nil {
			return nil, err
		}
		if search != nil {
			narrowToOwner(search, key)
		}
	}
	if search != nil {
		found, err := s.search(ctx, t, search)
		if err != nil {
			return nil, err
		}
		p.LongTerm = found.Memories
		if len(found.Memories) > 0 || !request.NoNotice {
			addMessage(p, session.RoleSystem, relatedText(found.Memories))
		}
	}
	if !request.ContextOnly {
		addMessage(p, session.RoleUser, request.Query)
	}
	return p, nil
}

// search returns a copy of r.Search with a text, or nil if there is no search.
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

// narrowToOwner restricts a search to the owner of a session unless it names an owner.
func narrowToOwner(search *Search, key session.Key) {
	for _, part := range []struct {
		of    **longterm.TextCondition
		owner string
	}{{&search.Filter.Namespace, key.Namespace}, {&search.Filter.UserID, key.UserID}} {
		if *part.of == nil || isEmpty(*part.of) {
			*part.of = &longterm.TextCondition{Eq: &part.owner}
		}
	}
}

// isEmpty reports whether every text passes a condition.
func isEmpty(t *longterm.TextCondition) bool {
	return t.Eq == nil && t.Ne == nil && t.StartsWith == nil && t.Any == nil && t.All == nil && t.None == nil
}

// addSession adds the messages of a session to p and returns its key. It returns the key of a
// session that does not exist too.
func (s *Service) addSession(ctx context.Context, t Tenant, request *PromptRequest, p *Prompt) (session.Key, error) {
	ref := request.Session.Ref
	found, err := s.readFor(ctx, t, request)
	switch {
	case isKind(NotFound, err):
		_, _, key, _ := ref.resolve(t)
		return key, nil
	case err != nil:
		return session.Key{}, err
	}
	block, err := s.recorders.issuing().Block(ctx, found.Key, prompt.Message{Role: session.RoleUser, Content: request.Query})
	if err != nil {
		return session.Key{}, s.reportError(ctx, err)
	}
	if found.Context != "" {
		addMessage(p, session.RoleSystem, "## A summary of the conversation so far:\n"+inert.Text(found.Context))
	}
	if block != "" {
		addMessage(p, session.RoleSystem, prompt.WithGuidance(block))
	}
	for i := range found.Messages {
		m := &found.Messages[i]
		if strings.TrimSpace(m.Content) != "" { // a message may have tool calls only
			addMessage(p, promptRole(m.Role), promptText(m))
		}
	}
	return found.Key, nil
}

// readFor reads the session of a request, without the messages if they are left out.
func (s *Service) readFor(ctx context.Context, t Tenant, request *PromptRequest) (*session.Session, error) {
	if request.ContextOnly {
		return s.load(ctx, t, request.Session.Ref, &session.LoadOptions{Last: -1})
	}
	return s.read(ctx, t, request.Session.Ref, request.Session.View)
}

// promptText returns the text of a message. What users and agents say passes unchanged; what
// tools returned would speak with the voice of the assistant.
func promptText(m *session.Message) string {
	if m.Role == session.RoleTool {
		return inert.Text(m.Content)
	}
	return m.Content
}

func addMessage(p *Prompt, role, text string) {
	p.Messages = append(p.Messages, prompt.Message{Role: role, Content: text})
}

// promptRole returns a role that every model knows. Results of tools become the assistant's,
// as in agent-memory-server.
func promptRole(role string) string {
	switch role {
	case session.RoleUser, session.RoleSystem, session.RoleAssistant:
		return role
	default:
		return session.RoleAssistant
	}
}

// relatedText lists memories in the format of agent-memory-server, including the space before
// the list. Each text takes one line: it may be untrusted, and must not forge another memory,
// a header, a block or the markers of a chat.
func relatedText(found []Found) string {
	const header = "## Long term memories related to the user's query\n "
	if len(found) == 0 {
		return header + "No relevant long-term memories found."
	}
	lines := make([]string, len(found))
	for i := range found {
		lines[i] = "- " + inert.Line(found[i].Text) + " (ID: " + inert.Line(found[i].ID) + ")"
	}
	return header + strings.Join(lines, "\n")
}
