package prompt

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

// Tool is what the schema of a tool says of the ids that it takes.
type Tool struct {
	// Name is the tool's name, in any style: get_order, orders.get.
	Name string
	// Parameters are the names of its parameters, in any style: order_id, itemIds.
	Parameters []string
}

// ParseTool reads a tool's JSON schema of its parameters, as model APIs and MCP
// servers have it: {"type": "object", "properties": {"order_id": …}}. No schema,
// and null, mean no parameters. What is not such a schema gives an error.
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

// Toolset is what an agent's tools take, by type. It is immutable and safe for
// concurrent use; share one among the renderers of an agent. The zero value
// takes nothing.
type Toolset struct {
	nouns map[string]struct{}
}

// NewToolset makes a Toolset of the tools that an agent can call. They take a
// type that a parameter names (order_id, items), and where a parameter is
// called only id, number or the like, the type that the tool's name names.
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

// add takes in the words of a name, and reports whether any says of what an id is.
func (t *Toolset) add(name string) bool {
	found := false
	for _, word := range english.Words(name) {
		switch word = english.Singular(word); word {
		case "id", "identifier", "uuid", "guid", "uid", "number", "no", "code", "ref", "reference", "key", "sku", "arn", "name", "token", "handle", "url":
		default:
			t.nouns[word] = struct{}{}
			found = true
		}
	}
	return found
}

// takes reports whether the tools take ids of a type. Of a nil Toolset nothing
// is known: it may take any.
func (t *Toolset) takes(typ string) bool {
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
