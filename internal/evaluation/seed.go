package evaluation

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/evaluation/pydata"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Seed is the method of seed 004 as it was written: four patterns of results,
// types by the names of one CMS's tools, 10 entities, 3 a type. Results that are
// JSON or YAML text are read first, which the original left to its tools.
func Seed() Method {
	s := Settings{}
	return Method{Baseline: true, Family: FamilySeed, Setting: s.short(), Name: "seed: four patterns, " + s.String(), New: func() Memory { return &seed{} }}
}

// How many items of a list the seed looks at.
const (
	seedMatches = 3
	seedItems   = 5
)

type seed struct{ entities []memory.Entity }

// Block implements Memory.
func (m *seed) Block() string { return plainBlock(m.entities, prompt.DefaultPerType) }

// Record implements Memory. The seed adds one entity after the other, so that
// the last item of a list ends up in front.
func (m *seed) Record(_ context.Context, _ int, call *Step) error {
	for _, e := range seedExtract(call.Tool, call.resultData()) {
		m.entities = slices.DeleteFunc(m.entities, func(old memory.Entity) bool { return old.ID == e.ID })
		m.entities = slices.Insert(m.entities, 0, e)
		m.entities = m.entities[:min(len(m.entities), memory.DefaultCapacity)]
	}
	return nil
}

func seedExtract(tool string, result *pydata.Value) []memory.Entity {
	var found []memory.Entity
	typ := seedType(tool, result)
	if truthy(result, "id") && named(result, "name", "slug", "title") {
		found = append(found, seedEntity(typ, result))
	}
	for _, match := range first(result.Field("matches"), seedMatches) {
		found = append(found, seedEntity(firstText(match, typ, "type"), match))
	}
	if result.Kind == pydata.List {
		for _, item := range first(result, seedItems) {
			if truthy(item, "id") && named(item, "name", "slug", "title", "sectionKey") {
				found = append(found, seedEntity(typ, item))
			}
		}
	}
	for _, item := range first(result.Field("data"), seedItems) {
		if truthy(item, "id") && named(item, "name", "slug", "title") {
			found = append(found, seedEntity(typ, item))
		}
	}
	return found
}

var seedTool = regexp.MustCompile(`cms_(?:get|find|list|create|update|delete)([A-Z]\w+)`)

func seedType(tool string, result *pydata.Value) string {
	if truthy(result, "type") {
		return strings.ToLower(text(result.Field("type")))
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

func seedEntity(typ string, data *pydata.Value) memory.Entity {
	name := firstText(data, "Unnamed "+typ, "name", "title", "slug")
	if typ == "section" || typ == "pagesection" {
		name = firstText(data, "Unnamed Section", "sectionName", "sectionKey", "name", "key")
		typ = "section"
	}
	return memory.Entity{Type: typ, ID: firstText(data, "undefined", "id"), Name: name}
}

func first(list *pydata.Value, n int) []*pydata.Value {
	if list == nil {
		return nil
	}
	return list.Items[:min(len(list.Items), n)]
}

// truthy reports whether a field is there and neither empty, zero, null nor false.
func truthy(v *pydata.Value, key string) bool {
	f := v.Field(key)
	if f == nil {
		return false
	}
	switch f.Kind {
	case pydata.None:
		return false
	case pydata.Bool:
		return f.Text == "True"
	case pydata.Int, pydata.Float:
		return f.Text != "0" && f.Text != "0.0" && f.Text != "nan"
	case pydata.String:
		return f.Text != ""
	}
	return true
}

func named(v *pydata.Value, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return truthy(v, key) })
}

// firstText is the first truthy field as text.
func firstText(v *pydata.Value, otherwise string, keys ...string) string {
	for _, key := range keys {
		if truthy(v, key) {
			return text(v.Field(key))
		}
	}
	return otherwise
}

func text(v *pydata.Value) string {
	if v.IsData() {
		return "[object Object]"
	}
	return v.Text
}
