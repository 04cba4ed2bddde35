package cms

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Tool is one tool of a site, whose input is text: a JSON object of its arguments.
type Tool struct {
	site              *Site
	name, description string
}

// Tools are the site's tools.
func (s *Site) Tools() []Tool {
	return []Tool{
		{s, "cms_listPages", `Lists all pages. Input: {}`},
		{s, "cms_getPage", `Gets a page. Input: {"slug": "…"} or {"id": "…"}`},
		{s, "cms_updatePage", `Changes a page's title. Input: {"id": "…", "title": "…"}`},
		{s, "cms_createPage", `Creates a page. Input: {"title": "…"}`},
		{s, "cms_deletePage", `Deletes a page. Input: {"id": "…"}`},
	}
}

// Tool returns the tool with a name. Calls of an unknown tool fail.
func (s *Site) Tool(name string) Tool {
	for _, t := range s.Tools() {
		if t.name == name {
			return t
		}
	}
	return Tool{site: s, name: name}
}

// Name is the tool's name.
func (t Tool) Name() string { return t.name }

// Description describes the tool and its arguments to a model.
func (t Tool) Description() string { return t.description }

// Call runs the tool. A failure is part of the result, so that the model can see it.
func (t Tool) Call(ctx context.Context, input string) (string, error) {
	args := map[string]string{}
	if err := json.Unmarshal([]byte(input), &args); err != nil {
		args = map[string]string{"slug": strings.Trim(input, ` "`)} // some models pass the bare value
	}
	result, err := t.site.Call(ctx, t.name, args)
	if err != nil {
		return fmt.Sprintf(`{"success":false,"error":%q}`, err), nil
	}
	return result, nil
}
