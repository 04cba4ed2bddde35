// Package scripted is a deterministic stand-in for a language model, for the
// examples. It understands a handful of requests about a site's pages and knows only its
// prompt: the meaning of "it" and "the one you just created" must come from a
// [WORKING MEMORY] block.
package scripted

import (
	"regexp"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// Step is what the model does next: it calls a tool, or answers.
type Step struct {
	Tool   string // empty: it answers
	Args   map[string]string
	Answer string
}

// Lost is the answer to a request whose "it" the prompt does not explain.
const Lost = "I do not know which page you mean."

// requests are the requests that the model understands. Page is set for those that refer to a
// page without naming it.
var requests = []struct {
	pattern *regexp.Regexp
	page    bool
	step    func(words []string, id string) Step
}{
	{regexp.MustCompile(`(?i)get the (\S+) page`), false, func(words []string, _ string) Step {
		return Step{Tool: "cms_getPage", Args: map[string]string{"slug": words[1]}}
	}},
	{regexp.MustCompile(`(?i)change its title to (.+)`), true, func(words []string, id string) Step {
		return Step{Tool: "cms_updatePage", Args: map[string]string{"id": id, "title": words[1]}}
	}},
	{regexp.MustCompile(`(?i)create a page called (.+)`), false, func(words []string, _ string) Step {
		return Step{Tool: "cms_createPage", Args: map[string]string{"title": words[1]}}
	}},
	{regexp.MustCompile(`(?i)delete (it|the one you just created)`), true, func(_ []string, id string) Step {
		return Step{Tool: "cms_deletePage", Args: map[string]string{"id": id}}
	}},
	{regexp.MustCompile(`(?i)link to it`), true, func(_ []string, id string) Step {
		return Step{Answer: "/admin/pages/" + id}
	}},
}

// Next returns the step for the last user message of a prompt. A tool message after it means
// that the tool was called.
func Next(messages []prompt.Message) Step {
	var request, result string
	for _, m := range messages {
		switch m.Role {
		case "user":
			request, result = m.Content, ""
		case "tool":
			result = m.Content
		}
	}
	if result != "" {
		return Step{Answer: "Done."}
	}
	for _, r := range requests {
		words := r.pattern.FindStringSubmatch(request)
		if words == nil {
			continue
		}
		id := latestPage(messages)
		if r.page && id == "" {
			return Step{Answer: Lost}
		}
		return r.step(words, id)
	}
	return Step{Answer: "I can get, create, change and delete pages."}
}

// latestPage returns the id of the first page in the prompt's block.
func latestPage(messages []prompt.Message) string {
	for _, m := range messages {
		start, end, ok := prompt.Find(m.Content)
		if !ok || m.Role != "system" && m.Role != "user" {
			continue
		}
		entities, err := prompt.Parse(m.Content[start:end])
		if err != nil {
			continue
		}
		for _, e := range entities {
			if e.Type == "page" {
				return e.ID
			}
		}
	}
	return ""
}
