package mcpproxy

import (
	"context"
	"sync"
)

// maxPages limits the pages of a list that are read from a server.
const maxPages = 1000

// entry is an entry of a list of a server.
type entry struct {
	server *hubServer
	text   []byte
	name   string // or URI
	at     span   // of the name
}

// listMembers returns the members that hold the entries of a list, and that name an entry.
func listMembers(method string) (entries, name string) {
	switch method {
	case methodListTools:
		return "tools", "name"
	case methodResources:
		return "resources", "uri"
	case methodTemplates:
		return "resourceTemplates", "uriTemplate"
	default:
		return "prompts", "name"
	}
}

// lookUp returns the server that listed a name. It reads the lists if they are not known.
func (h *Hub) lookUp(ctx context.Context, list, name string) (target, bool) {
	h.mu.Lock()
	known := h.targets[list]
	h.mu.Unlock()
	if known == nil {
		h.list(ctx, list)
		h.mu.Lock()
		known = h.targets[list]
		h.mu.Unlock()
	}
	t, ok := known[name]
	return t, ok
}

// list returns the result of a list of all servers, and notes which server each entry is of.
func (h *Hub) list(ctx context.Context, method string) []byte {
	servers := h.alive()
	lists := make([][]entry, len(servers))
	var all sync.WaitGroup
	for i, s := range servers {
		all.Go(func() { lists[i] = h.entriesOf(ctx, s, method) })
	}
	all.Wait()
	count := map[string]int{}
	for _, entries := range lists {
		for _, e := range entries {
			count[e.name]++
		}
	}
	held, named := listMembers(method)
	targets, parts := map[string]target{}, [][]byte(nil)
	for _, entries := range lists {
		for _, e := range entries {
			name, text := e.name, e.text
			if count[name] > 1 && named == "name" {
				name = e.server.name + "__" + name
				text = apply(text, []edit{{e.at, quoted(name)}})
			}
			if _, twice := targets[name]; !twice {
				targets[name] = target{e.server, e.name}
				parts = append(parts, text)
			}
		}
	}
	h.mu.Lock()
	h.targets[method] = targets
	h.mu.Unlock()
	result := append([]byte(`{"`+held+`":[`), joined(parts)...)
	return append(result, "]}"...)
}

// entriesOf reads all pages of a list of a server. A server that does not have it has no entries.
func (h *Hub) entriesOf(ctx context.Context, s *hubServer, method string) (all []entry) {
	held, named := listMembers(method)
	var params []byte
	for range maxPages {
		answer, err := h.ask(ctx, s, method, params)
		if err != nil || !answer.result.isPresent() {
			return all
		}
		found, _ := members(answer.text, answer.result, held, "nextCursor")
		list, _ := elements(answer.text, found[0])
		for _, at := range list {
			text := at.of(answer.text)
			name, _ := members(text, whole(text), named)
			if value, ok := stringOf(text, name[0]); ok {
				all = append(all, entry{s, text, value, name[0]})
			}
		}
		cursor, _ := stringOf(answer.text, found[1])
		if cursor == "" {
			return all
		}
		params = []byte(`{"cursor":` + string(quoted(cursor)) + `}`)
	}
	return all
}
