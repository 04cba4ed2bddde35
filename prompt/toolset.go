package prompt

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Tool describes the ids that a tool accepts.
type Tool struct {
	// Name is the tool's name, in any style: get_order, orders.get.
	Name string
	// Parameters are the names of its parameters, in any style: order_id, itemIds.
	Parameters []string
}

// ParseTool returns the Tool with a JSON schema of its parameters, in the form of model
// APIs and MCP servers: {"type": "object", "properties": {"order_id": …}}. No schema, and
// null, mean no parameters. Any other JSON, and invalid JSON, returns an error.
func ParseTool(name string, schema []byte) (Tool, error) {
	tool := Tool{Name: name}
	if len(schema) == 0 {
		return tool, nil
	}
	var parameters struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(schema, &parameters); err != nil {
		return tool, fmt.Errorf("prompt: schema of tool %q: %w", name, err)
	}
	tool.Parameters = slices.Sorted(maps.Keys(parameters.Properties))
	return tool, nil
}

// Toolset is the set of types whose ids an agent's tools accept. It is immutable and safe
// for concurrent use; share one among the renderers of an agent. The zero value is empty.
type Toolset struct {
	nouns map[string]struct{}
	links bool // a tool takes a URL
}

// NewToolset returns the Toolset of the tools that an agent can call. A tool accepts the
// types named by its parameters (order_id, items). If a parameter is called only id,
// number or the like, the tool accepts the types named by its own name.
func NewToolset(tools ...Tool) *Toolset {
	t := &Toolset{nouns: make(map[string]struct{})}
	for _, tool := range tools {
		for _, parameter := range tool.Parameters {
			if !t.add(parameter) {
				t.add(tool.Name)
			}
		}
	}
	return t
}

// add adds the nouns of a name, and reports whether it has any that names a type.
func (t *Toolset) add(name string) bool {
	found := false
	for _, word := range english.Words(name) {
		word = english.Singular(word)
		t.links = t.links || word == "url" || word == "uri" || word == "link" || word == "href"
		switch word {
		case "id", "identifier", "uuid", "guid", "uid", "number", "no", "code", "ref", "reference", "key", "sku", "arn", "name", "token", "handle", "url":
		default:
			t.nouns[word] = struct{}{}
			found = true
		}
	}
	return found
}

// takes reports whether a tool may take the id of an entity of a type. A link is one only
// where a parameter is a link or takes ids of the type.
func (t *Toolset) takes(e *memory.Entity, typ string) bool {
	return t == nil || t.links || !strings.Contains(e.ID, "://") || t.accepts(typ)
}

// accepts reports whether the tools accept ids of a type. A nil Toolset, of unknown
// tools, accepts any.
func (t *Toolset) accepts(typ string) bool {
	if t == nil {
		return true
	}
	for word := range strings.SplitSeq(typ, "_") {
		if _, ok := t.nouns[english.Singular(word)]; ok {
			return true
		}
	}
	return false
}
