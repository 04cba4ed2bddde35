package evaluation

import (
	"context"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/evaluation/pydata"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// NaiveConstants is the method "every id, most recent first", with the seed's
// constants: 10 entities are kept and 3 of a type shown.
func NaiveConstants() Method {
	s := Settings{}
	return Method{Baseline: true, Family: FamilyEveryID, Setting: s.short(), Name: "every id, " + s.String(), New: func() Memory {
		return &naive{lexicon: newLexicon(), capacity: memory.DefaultCapacity, show: func(es []memory.Entity) string {
			return plainBlock(es, prompt.DefaultPerType)
		}}
	}}
}

// NaiveBudget is the method "every id, most recent first", cut at a number of tokens.
func NaiveBudget(tokens int, counter prompt.TokenCounter) Method {
	s := Settings{Budget: tokens}
	return Method{Baseline: true, Family: FamilyEveryID, Setting: s.short(), Budget: tokens, Name: "every id, " + s.String(), New: func() Memory {
		return &naive{lexicon: newLexicon(), capacity: s.capacity(), show: func(es []memory.Entity) string {
			return cutBlock(es, tokens, counter)
		}}
	}}
}

// naive takes every identifier-like argument and every identifier-like scalar
// of a result for an entity. Its type is what its key says; of a record's own
// id, the key above it or the tool's name. Its name is the record's, if it has one.
type naive struct {
	lexicon  lexicon
	capacity int
	entities []memory.Entity // newest first
	show     func([]memory.Entity) string
	block    string
}

// Block implements Memory.
func (m *naive) Block() string { return m.block }

// Record implements Memory.
func (m *naive) Record(_ context.Context, _ int, call *Step) error {
	found := m.find(nil, call.Args, call.Tool)
	if data := call.resultData(); data.IsData() {
		found = m.find(found, data, call.Tool)
	} else {
		textIDs(data.Text, func(_, id string) {
			found = append(found, memory.Entity{Type: m.noun(call.Tool), ID: id})
		})
	}
	m.entities = dedupe(append(found, m.entities...))
	m.entities = m.entities[:min(len(m.entities), m.capacity)]
	m.block = m.show(m.entities)
	return nil
}

func dedupe(es []memory.Entity) []memory.Entity {
	seen := make(map[string]bool, len(es))
	return slices.DeleteFunc(es, func(e memory.Entity) bool {
		was := seen[e.ID]
		seen[e.ID] = true
		return was
	})
}

func (m *naive) find(found []memory.Entity, data *pydata.Value, tool string) []memory.Entity {
	walkScalars(data, nil, nil, func(at place, v, object *pydata.Value) bool {
		if isReference(v) {
			found = append(found, memory.Entity{Type: m.typeOf(at, tool), ID: v.Text, Name: nameIn(object)})
		}
		return true
	})
	return found
}

func (m *naive) typeOf(at place, tool string) string {
	switch own := m.lexicon.of(at.key()).within(ownWords); {
	case own && len(at) > 1:
		return strings.ToLower(at.up(2))
	case own:
		return m.noun(tool)
	}
	key := at.key()
	if m := idSuffix.FindStringSubmatch(key); m != nil && m[1] != "" {
		key = m[1]
	}
	return strings.ToLower(key)
}

// noun is what a tool's name says besides its verb.
func (m *naive) noun(tool string) string {
	words := strings.FieldsFunc(strings.ToLower(tool), func(r rune) bool { return !inWord(r) || r == '_' })
	words = slices.DeleteFunc(words, func(w string) bool { _, ok := genericWords[singular(w)]; return ok })
	if len(words) == 0 {
		return memory.FallbackType
	}
	return strings.Join(words, "_")
}

// nameIn is the name that a record has.
func nameIn(record *pydata.Value) string {
	if record == nil {
		return ""
	}
	for _, key := range [...]string{"name", "title"} {
		if v := record.Field(key); v != nil && v.Kind == pydata.String {
			return v.Text
		}
	}
	return ""
}

// plainBlock writes entities as the seed does, at most perType of a type.
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

// oneLine keeps names from breaking the block's lines and quotes.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ", `"`, "'", `\`, "/")

// cutBlock is the block of as many of the newest entities as fit.
func cutBlock(newestFirst []memory.Entity, tokens int, counter prompt.TokenCounter) string {
	low, high := 0, len(newestFirst) // low fit, more than high do not
	for low < high {
		n := (low + high + 1) / 2
		if counter.CountTokens(plainBlock(newestFirst[:n], n)) <= tokens {
			low = n
		} else {
			high = n - 1
		}
	}
	return plainBlock(newestFirst[:low], low)
}
