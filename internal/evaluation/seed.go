package evaluation

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Seed returns the method of seed 004 as originally written: four result patterns,
// types by the tool names of one CMS, 10 entities, 3 per type. JSON and YAML texts
// are parsed first, which the original left to its tools.
func Seed() Method {
	s := Settings{}
	return Method{Baseline: true, Family: FamilySeed, Setting: s.short(), Name: "seed: four patterns, " + s.String(), New: func() Memory { return &seed{} }}
}

// The number of items that the seed reads from a list.
const (
	seedMatches = 3
	seedItems   = 5
)

type seed struct{ entities []memory.Entity }

// Block implements Memory.
func (m *seed) Block() string { return plainBlock(m.entities, prompt.DefaultPerType) }

// Record implements Memory. The seed adds entities one by one, so that the last item
// of a list ends up first.
func (m *seed) Record(_ context.Context, _ int, call *Step) error {
	for _, e := range seedExtract(call.Tool, call.data()) {
		m.entities = slices.DeleteFunc(m.entities, func(old memory.Entity) bool { return old.ID == e.ID })
		m.entities = slices.Insert(m.entities, 0, e)
		m.entities = m.entities[:min(len(m.entities), memory.DefaultCapacity)]
	}
	return nil
}

func seedExtract(tool string, result *value) []memory.Entity {
	var found []memory.Entity
	typ := seedType(tool, result)
	if truthy(result, "id") && named(result, "name", "slug", "title") {
		found = append(found, seedEntity(typ, result))
	}
	for _, match := range first(result.field("matches"), seedMatches) {
		found = append(found, seedEntity(firstText(match, typ, "type"), match))
	}
	if result.kind == list {
		for _, item := range first(result, seedItems) {
			if truthy(item, "id") && named(item, "name", "slug", "title", "sectionKey") {
				found = append(found, seedEntity(typ, item))
			}
		}
	}
	for _, item := range first(result.field("data"), seedItems) {
		if truthy(item, "id") && named(item, "name", "slug", "title") {
			found = append(found, seedEntity(typ, item))
		}
	}
	return found
}

var seedTool = regexp.MustCompile(`cms_(?:get|find|list|create|update|delete)([A-Z]\w+)`)

func seedType(tool string, result *value) string {
	if truthy(result, "type") {
		return strings.ToLower(text(result.field("type")))
	}
	m := seedTool.FindStringSubmatch(tool)
	if m == nil {
		return memory.FallbackType
	}
	extracted := strings.ToLower(m[1])
	for _, special := range [...]struct{ in, typ string }{
		{"section", "section"}, {"page", "page"}, {"collection", "collection"},
		{"entry", "entry"}, {"entries", "entry"}, {"media", "media"},
	} {
		if strings.Contains(extracted, special.in) {
			return special.typ
		}
	}
	return extracted
}

func seedEntity(typ string, data *value) memory.Entity {
	name := firstText(data, "Unnamed "+typ, "name", "title", "slug")
	if typ == "section" || typ == "pagesection" {
		name = firstText(data, "Unnamed Section", "sectionName", "sectionKey", "name", "key")
		typ = "section"
	}
	return memory.Entity{Type: typ, ID: firstText(data, "undefined", "id"), Name: name}
}

func first(list *value, n int) []*value {
	if list == nil {
		return nil
	}
	return list.items[:min(len(list.items), n)]
}

// truthy reports whether a field exists and is not empty, zero, null or false.
func truthy(v *value, key string) bool {
	f := v.field(key)
	if f == nil {
		return false
	}
	switch f.kind {
	case document.Null:
		return false
	case document.Bool:
		return f.text == "true"
	case document.Number:
		return strings.Trim(f.text, "-0.") != ""
	case document.String:
		return f.text != ""
	}
	return true
}

func named(v *value, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return truthy(v, key) })
}

// firstText returns the first truthy field as text.
func firstText(v *value, otherwise string, keys ...string) string {
	for _, key := range keys {
		if truthy(v, key) {
			return text(v.field(key))
		}
	}
	return otherwise
}

func text(v *value) string {
	if v.isData() {
		return "[object Object]"
	}
	return v.text
}

// plainBlock renders entities as the seed does, at most perType of a type.
func plainBlock(newestFirst []memory.Entity, perType int) string {
	if len(newestFirst) == 0 {
		return ""
	}
	var types []string
	groups := make(map[string][]string)
	for _, e := range newestFirst {
		if _, ok := groups[e.Type]; !ok {
			types = append(types, e.Type)
		}
		if len(groups[e.Type]) < perType {
			groups[e.Type] = append(groups[e.Type], `  - "`+oneLine.Replace(e.Name)+`" (`+e.ID+`)`)
		}
	}
	lines := []string{"[WORKING MEMORY]"}
	for _, typ := range types {
		plural := typ
		if !strings.HasSuffix(typ, "s") {
			plural += "s"
		}
		lines = append(append(lines, oneLine.Replace(plural)+":"), groups[typ]...)
	}
	return strings.Join(lines, "\n")
}

// oneLine keeps names from breaking lines and quotes of the block.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ", `"`, "'", `\`, "/")
