package mcpserver

import (
	"context"
	"errors"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// addPromptTools adds the tools that start a turn.
func addPromptTools(s *Server) error {
	return errors.Join(
		addTool(s, tool{
			name: "memory_prompt", title: "Prompt with memory", effect: reads, shape: shapePrompt,
			text: "Makes the messages for a model of a query: the summary and the messages of a session, the entities that its tools returned, and memories that bear on the query.",
		}, s.prompt),
		addTool(s, tool{
			name: "get_current_datetime", title: "Now", effect: reads,
			text: "Returns the current time. Ask it before you memorize something that happened at a time.",
		}, s.datetime),
	)
}

// parseFilter reads an argument that is a text or a filter.
func parseFilter(argument any, name string) (*wire.TextFilter, error) {
	switch v := argument.(type) {
	case nil:
		return nil, nil
	case string:
		return &wire.TextFilter{Eq: &v}, nil
	case map[string]any:
		encoded, err := wire.Encode(v)
		if err != nil {
			return nil, err
		}
		f := new(wire.TextFilter)
		return f, relocate(wire.Decode(encoded, f), part{nil, []any{name}})
	}
	return nil, invalidArgument("Input should be a text or a filter", name)
}

// equalTo returns the value that a filter requires, or nil.
func equalTo(f *wire.TextFilter) *string {
	if f == nil {
		return nil
	}
	return f.Eq
}

type prompt struct {
	Query string `json:"query" wire:"required" jsonschema:"what the user says"`
	// Each of these three is a text, as other tools take it, or a filter.
	SessionID any `json:"session_id,omitempty" jsonschema:"the id of the session, or a filter with it as eq"`
	Namespace any `json:"namespace,omitempty" jsonschema:"the namespace of the session and of memories, or a filter"`
	UserID    any `json:"user_id,omitempty" jsonschema:"the user of the session and of memories, or a filter"`
	window
	LongTerm *wire.Bool `json:"include_long_term_search,omitempty" jsonschema:"search long-term memory; true where it is missing"`

	Mode         *string          `json:"search_mode,omitempty" jsonschema:"semantic, keyword or hybrid; semantic where it is missing, which is hybrid with the word vectors of wmem unless there is a distance_threshold"`
	HybridAlpha  *wire.Float      `json:"hybrid_alpha,omitempty" jsonschema:"how much vectors count in a hybrid search, 0 to 1; 0.7, or that of the embedder, where it is missing"`
	Distance     *wire.Float      `json:"distance_threshold,omitempty" jsonschema:"how far a vector may be, for semantic searches alone"`
	Limit        *wire.Int        `json:"limit,omitempty" jsonschema:"how many memories, 1 to 100; 10 where it is missing"`
	Offset       *wire.Int        `json:"offset,omitempty" jsonschema:"how many of the best memories are passed over"`
	Topics       *wire.TextFilter `json:"topics,omitempty"`
	Entities     *wire.TextFilter `json:"entities,omitempty"`
	Type         *wire.TextFilter `json:"memory_type,omitempty"`
	CreatedAt    *wire.TimeFilter `json:"created_at,omitempty"`
	LastAccessed *wire.TimeFilter `json:"last_accessed,omitempty"`
	EventDate    *wire.TimeFilter `json:"event_date,omitempty"`
	RecencyBoost *wire.Bool       `json:"recency_boost,omitempty" jsonschema:"let fresh memories rank higher; true where it is missing"`
}

// shapePrompt describes the arguments that are a text or a filter.
func shapePrompt(schema *jsonschema.Schema) {
	filter := schema.Properties["topics"]
	for _, name := range []string{"session_id", "namespace", "user_id"} {
		schema.Properties[name] = &jsonschema.Schema{
			Description: schema.Properties[name].Description,
			AnyOf:       []*jsonschema.Schema{{Type: "string"}, filter.CloneSchemas()},
		}
	}
}

func (s *Server) prompt(ctx context.Context, t service.Tenant, in *prompt) (*wire.Prompt, string, error) {
	id, errID := parseFilter(in.SessionID, "session_id")
	namespace, errNamespace := parseFilter(in.Namespace, "namespace")
	user, errUser := parseFilter(in.UserID, "user_id")
	if err := errors.Join(errID, errNamespace, errUser); err != nil {
		return nil, "", err
	}
	request := &wire.PromptRequest{Query: in.Query}
	if name := equalTo(id); name != nil {
		ref := s.ref(t, place{*name, equalTo(namespace), equalTo(user)})
		request.Session = &wire.PromptSession{
			SessionID: *name, Namespace: ref.Namespace, UserID: ref.UserID, ModelName: in.ModelName, ContextWindowMax: in.ContextWindowMax,
		}
	}
	if in.LongTerm == nil || bool(*in.LongTerm) {
		search := in.search()
		search.Namespace, search.UserID = namespace, user
		s.narrow(t, search)
		request.LongTerm = &wire.SearchOrBool{Search: search}
	}
	if request.Session == nil && request.LongTerm == nil {
		return nil, "", &service.Error{Kind: service.Bad, Detail: "Either session_id or include_long_term_search=True must be provided"}
	}
	made, err := s.makePrompt(ctx, t, request)
	return made, "", relocate(err, part{[]any{"session"}, nil}, part{[]any{"long_term_search"}, nil})
}

func (s *Server) makePrompt(ctx context.Context, t service.Tenant, asked *wire.PromptRequest) (*wire.Prompt, error) {
	request, err := translate.PromptRequest(asked)
	if err != nil {
		return nil, err
	}
	made, err := s.service.Prompt(ctx, t, request)
	if err != nil {
		return nil, err
	}
	return translate.Prompt(made), nil
}

// search returns the search of long-term memory. It is not limited to the session of the prompt.
func (p *prompt) search() *wire.Search {
	return &wire.Search{
		Text: &p.Query, Mode: p.Mode, HybridAlpha: p.HybridAlpha, Distance: p.Distance, Limit: p.Limit, Offset: p.Offset,
		Topics: p.Topics, Entities: p.Entities, Type: p.Type,
		CreatedAt: p.CreatedAt, LastAccessed: p.LastAccessed, EventDate: p.EventDate, RecencyBoost: p.RecencyBoost,
	}
}

type nothing struct{}

// datetime is the result of get_current_datetime.
type datetime struct {
	ISO  string `json:"iso_utc" jsonschema:"RFC 3339, in UTC"`
	Unix int64  `json:"unix_ts" jsonschema:"seconds since 1970"`
}

func (s *Server) datetime(context.Context, service.Tenant, *nothing) (*datetime, string, error) {
	now := s.opts.Now().UTC()
	d := &datetime{ISO: now.Format(time.RFC3339), Unix: now.Unix()}
	return d, d.ISO, nil
}
