package prompt

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/memory"
)

// namesakes are the lines of a group that begin with the same name, or read the same.
type namesakes struct {
	group int32
	name  string
	cut   bool
}

// speaker is who named the first of several namesakes, and whether another one named others.
type speaker struct {
	namespace string
	several   bool
}

// markSources shows, behind lines with the same name under one header, where their names are
// from, if tools of different namespaces gave them: what follows a name may be forged too. Names that no tool about such entities
// gave come after the others, and so does what has ended.
func (d *draft) markSources(shown []int32) {
	for i := range d.groups {
		d.groups[i].trailing = false
	}
	for i := range d.lines {
		l := &d.lines[i]
		l.source, l.trails = "", l.entity.StatePrefix() != ""
		d.groups[l.group].trailing = d.groups[l.group].trailing || l.trails
	}
	if !d.hasNamespaces(shown) {
		return
	}
	clear(d.speakers)
	if d.speakers == nil {
		d.speakers = make(map[namesakes]speaker)
	}
	for _, i := range shown {
		key, namespace := d.lines[i].namesakes(), namespaceOf(d.lines[i].entity)
		first, ok := d.speakers[key]
		switch {
		case !ok:
			d.speakers[key] = speaker{namespace: namespace}
		case first.namespace != namespace:
			d.speakers[key] = speaker{first.namespace, true}
		}
	}
	for _, i := range shown {
		l := &d.lines[i]
		key := l.namesakes()
		if key.name == "" || !hasLabel(l.entity) || !d.speakers[key].several {
			continue
		}
		from := l.entity.NameOrigin()
		l.source, l.trails = cmp.Or(from.Source, from.Tool), l.trails || from.Authority == memory.AuthorityNone
		d.groups[l.group].trailing = d.groups[l.group].trailing || l.trails
	}
}

// hasNamespaces reports whether the names of lines are from more than one namespace.
func (d *draft) hasNamespaces(shown []int32) bool {
	if len(shown) == 0 {
		return false
	}
	first := namespaceOf(d.lines[shown[0]].entity)
	return slices.ContainsFunc(shown[1:], func(i int32) bool { return namespaceOf(d.lines[i].entity) != first })
}

// namesakes returns the key of the lines that are named like l, in any case. Of a name that was cut,
// or ends like one that was, it is what the line shows.
func (l *line) namesakes() namesakes {
	name := l.entity.Name
	if name != "" && strings.HasPrefix(l.label, l.entity.StatePrefix()+name) && !strings.HasSuffix(name, cutMark) {
		return namesakes{l.group, strings.ToLower(name), false}
	}
	label, marked := strings.CutSuffix(l.label, cutMark)
	return namesakes{l.group, strings.ToLower(label), l.cut || marked}
}

// namespaceOf returns the namespace that an entity's name is from. A tool without one is
// that of what it is not about.
func namespaceOf(e *memory.Entity) string {
	from := e.NameOrigin()
	if from.Source == "" && from.Authority == memory.AuthorityNone {
		return from.Tool
	}
	return from.Source
}
