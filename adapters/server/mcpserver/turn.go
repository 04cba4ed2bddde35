package mcpserver

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// addTurnTools adds the tools that begin a turn.
func addTurnTools(s *Server) error {
	return errors.Join(
		addTool(s, tool{
			name: turnName, title: turnTitle, effect: reads, core: true,
			text: "Returns what is known at the beginning of a turn: the summary of the session, the things that its tools returned with their ids, and memories that match the query.",
		}, s.turnText),
		addTool(s, tool{
			name: "memory_prompt", title: "Prompt with memory", effect: reads,
			text: "Returns the messages for another model as JSON: those of begin_turn, the messages of the session, and the query.",
		}, s.memoryPrompt),
		addTool(s, tool{
			name: "get_current_datetime", title: "Now", effect: reads,
			text: "Returns the current time.",
		}, s.datetime),
	)
}

// Names of the tool and the prompt that begin a turn.
const (
	turnName  = "begin_turn"
	turnTitle = "Begin a turn"
)

type beginTurn struct {
	Query string    `json:"query,omitempty" jsonschema:"what the user says"`
	Limit *wire.Int `json:"limit,omitempty" jsonschema:"memories at most; default 5"`
	place
}

// turnText returns what is known at the beginning of a turn. The messages of the session are left
// out, because the client has them.
func (s *Server) turnText(ctx context.Context, t service.Tenant, in *beginTurn) (any, error) {
	request := &service.PromptRequest{Query: in.Query, NoNotice: true, ContextOnly: true}
	searches := s.opts.Memory != nil && strings.TrimSpace(in.Query) != ""
	if in.SessionID != nil || ownSession(ctx) != "" || !searches {
		ref, err := s.ref(ctx, t, in.place)
		if err != nil {
			return nil, err
		}
		request.Session = &service.PromptSession{Ref: ref}
	}
	if searches {
		asked := &wire.Search{Limit: in.Limit, Namespace: equalTo(in.Namespace), UserID: equalTo(in.UserID)}
		if asked.Limit == nil {
			asked.Limit = new(wire.Int(rememberLimit))
		}
		s.narrow(t, asked)
		search, err := translate.Search(asked)
		if err != nil {
			return nil, err
		}
		request.Search = search
	}
	made, err := s.service.Prompt(ctx, t, request)
	if err != nil {
		return nil, relocate(err, part{[]any{"session"}, nil}, part{[]any{"long_term_search", "text"}, []any{"query"}}, part{[]any{"long_term_search"}, nil})
	}
	texts := make([]string, len(made.Messages))
	for i, m := range made.Messages {
		texts[i] = m.Content
	}
	return strings.Join(texts, "\n\n"), nil
}

// addPrompt adds the prompt that begins a turn, for clients whose users choose prompts.
func (s *Server) addPrompt() {
	s.mcp.AddPrompt(&mcp.Prompt{
		Name: turnName, Title: turnTitle,
		Description: "What is known at the beginning of a turn: the summary of the session, the things that its tools returned, and memories that match the query.",
		Arguments: []*mcp.PromptArgument{
			{Name: "query", Description: "What you want to say. It follows what is known."},
			{Name: "session_id", Description: "The session; by default your own."},
		},
	}, s.getPrompt)
}

func (s *Server) getPrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	result := &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{}}
	add := func(text string) {
		if text != "" {
			result.Messages = append(result.Messages, &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: text}})
		}
	}
	in := &beginTurn{}
	for name, value := range req.Params.Arguments {
		switch name {
		case "query":
			in.Query = value
		case "session_id":
			in.SessionID = &value
		default:
			return nil, protocolError("", invalidArgument("Unknown argument: known are query and session_id", cutName(name)))
		}
	}
	text, err := s.within(ctx, req.Session, func(ctx context.Context, t service.Tenant) (any, error) { return s.turnText(ctx, t, in) })
	if err != nil {
		return nil, protocolError("", err)
	}
	add(text)
	add(in.Query)
	return result, nil
}

type nothing struct{}

// datetime is the result of get_current_datetime.
type datetime struct {
	ISO  string `json:"iso_utc"`
	Unix int64  `json:"unix_ts"`
}

func (s *Server) datetime(context.Context, service.Tenant, *nothing) (any, error) {
	now := s.opts.Now().UTC()
	return &datetime{ISO: now.Format(time.RFC3339), Unix: now.Unix()}, nil
}
