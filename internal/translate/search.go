package translate

import (
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// Search converts a search. If its filters are invalid, it returns a *wire.Invalid with all
// mistakes of the search.
func Search(s *wire.Search) (*service.Search, error) {
	search := searchOf(s)
	if wrong := filterMistakes(s, "body"); len(wrong) > 0 {
		return nil, &wire.Invalid{Fields: append(Fields(search.Check(), inBody), wrong...)}
	}
	return search, nil
}

func searchOf(s *wire.Search) *service.Search {
	return &service.Search{
		Text: orElse(s.Text, ""), Filter: filterOf(s), Mode: s.Mode,
		HybridAlpha: float(s.HybridAlpha), Distance: float(s.Distance), Limit: integer(s.Limit), Offset: integer(s.Offset),
		NoRecency: s.RecencyBoost != nil && !bool(*s.RecencyBoost),
		Semantic:  float(s.Semantic), Recency: float(s.Recency), Freshness: float(s.Freshness), Novelty: float(s.Novelty),
		HalfAccess: float(s.HalfAccess), HalfCreated: float(s.HalfCreated),
	}
}

// Results converts a page of search results.
func Results(found *service.Results) *wire.Results {
	results := &wire.Results{Memories: foundOut(found.Memories), Total: found.Total}
	if found.Next >= 0 {
		results.NextOffset = &found.Next
	}
	return results
}

func foundOut(found []service.Found) []wire.Found {
	by := map[longterm.SearchMode]string{longterm.ModeKeyword: "keyword", longterm.ModeSemantic: "semantic", longterm.ModeHybrid: "hybrid"}
	out := make([]wire.Found, len(found))
	for i := range found {
		f := &found[i]
		out[i] = wire.Found{Memory: Memory(&f.Record)}
		if f.By != longterm.ModeList {
			out[i].Dist, out[i].Score, out[i].ScoreType = f.Distance, &f.Score, new(by[f.By])
		}
	}
	return out
}

// PromptRequest converts a request for a prompt. Errors: as Search.
func PromptRequest(r *wire.PromptRequest) (*service.PromptRequest, error) {
	request := &service.PromptRequest{Query: r.Query}
	if s := r.Session; s != nil {
		request.Session = &service.PromptSession{
			Ref:  service.Ref{SessionID: s.SessionID, Namespace: s.Namespace, UserID: s.UserID},
			View: service.View{Model: orElse(s.ModelName, "")},
		}
		if s.ContextWindowMax != nil {
			request.Session.Window = int64(*s.ContextWindowMax)
		}
	}
	switch asked := r.LongTerm; {
	case asked == nil:
	case asked.Search != nil:
		request.Search = searchOf(asked.Search)
		if wrong := filterMistakes(asked.Search, "body", "long_term_search"); len(wrong) > 0 {
			return nil, &wire.Invalid{Fields: append(Fields(request.Check(), inBody), wrong...)}
		}
	case asked.Bool:
		request.Search = &service.Search{}
	}
	return request, nil
}

// Prompt converts the messages for a model.
func Prompt(p *service.Prompt) *wire.Prompt {
	out := &wire.Prompt{}
	if len(p.LongTerm) > 0 {
		out.LongTerm = new(foundOut(p.LongTerm))
	}
	for _, m := range p.Messages {
		out.Messages = append(out.Messages, wire.PromptMessage{Role: m.Role, Content: wire.TextContent{Type: "text", Text: m.Content}})
	}
	return out
}
