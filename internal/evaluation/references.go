package evaluation

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/evaluation/pydata"
)

// Reference is an identifier that a tool call needs and only an earlier tool
// result of the episode could have told it.
type Reference struct {
	// Key is the name of the argument; "" if the arguments have no names.
	Key string
	// Value is the identifier.
	Value string

	labels wordSet // words that the header over it may use
	facts  wordSet // beginnings of what its records say about themselves
}

// Known reports whether a record of the reference says anything about itself.
func (r *Reference) Known() bool { return len(r.facts) > 0 }

// Labels are the words that a header over the reference may use, sorted.
func (r *Reference) Labels() []string { return r.labels.sorted() }

// tracker finds the references of an episode, step by step.
type tracker struct {
	lexicon lexicon
	user    strings.Builder // all that the user said
	seen    map[string]*sighting
	facts   map[*pydata.Value]wordSet
}

// sighting is what earlier results said of an identifier.
type sighting struct{ labels, facts wordSet }

func newTracker() *tracker {
	return &tracker{lexicon: newLexicon(), seen: map[string]*sighting{}, facts: map[*pydata.Value]wordSet{}}
}

// needed are the references of a tool call, sorted by argument and value.
func (t *tracker) needed(s *Step) []Reference {
	type argument struct{ key, value string }
	found := make(map[argument]struct{})
	var refs []Reference
	user := t.user.String()
	walkScalars(s.Args, nil, nil, func(at place, v, _ *pydata.Value) bool {
		known, ok := t.seen[v.Text]
		if !ok || !isReference(v) || strings.Contains(user, v.Text) {
			return true
		}
		arg := argument{at.key(), v.Text}
		if _, ok := found[arg]; !ok {
			found[arg] = struct{}{}
			labels := maps.Clone(known.labels)
			labels.add(t.lexicon.stem(arg.key))
			refs = append(refs, Reference{Key: arg.key, Value: arg.value, labels: labels, facts: maps.Clone(known.facts)})
		}
		return true
	})
	slices.SortFunc(refs, func(a, b Reference) int {
		if c := strings.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		return strings.Compare(a.Value, b.Value)
	})
	return refs
}

// learn takes in what a step said.
func (t *tracker) learn(s *Step) {
	switch s.Kind {
	case KindUser:
		t.user.WriteString(" " + s.Text)
	case KindTool:
		t.learnResult(s.resultData(), t.lexicon.noun(s.Tool))
		clear(t.facts)
	}
}

func (t *tracker) learnResult(data *pydata.Value, noun wordSet) {
	if !data.IsData() {
		textIDs(data.Text, func(label, id string) {
			e := t.sight(id)
			e.labels.add(noun)
			e.labels.add(t.lexicon.of(label))
		})
		return
	}
	walkScalars(data, nil, nil, func(at place, v, object *pydata.Value) bool {
		if isReference(v) {
			t.learnScalar(at, v.Text, object, noun)
		}
		return true
	})
	walkKeys(data, nil, func(at place, key string, under *pydata.Value) {
		if !isIdentifier(key) {
			return
		}
		e := t.sight(key)
		if len(at) > 0 {
			e.labels.add(t.lexicon.of(at.key()))
		} else {
			e.labels.add(noun)
		}
		e.facts.add(t.factsOf(under))
	})
}

// learnScalar takes in an identifier of a record: its own id is labelled by what
// the record stands under, another's by its key.
func (t *tracker) learnScalar(at place, id string, object *pydata.Value, noun wordSet) {
	e := t.sight(id)
	above := noun
	if len(at) > 1 {
		above = t.lexicon.of(at.up(2))
	}
	own := t.lexicon.of(at.key()).within(ownWords)
	stem := t.lexicon.stem(at.key())
	if own {
		e.labels.add(above)
	} else {
		e.labels.add(stem)
	}
	if own || stem.meets(above) {
		e.facts.add(t.factsOf(object))
	}
}

func (t *tracker) sight(id string) *sighting {
	e, ok := t.seen[id]
	if !ok {
		e = &sighting{labels: wordSet{}, facts: wordSet{}}
		t.seen[id] = e
	}
	return e
}

// factsOf are the facts of a record, found once for all the identifiers in it.
func (t *tracker) factsOf(record *pydata.Value) wordSet {
	if record == nil {
		return nil
	}
	facts, ok := t.facts[record]
	if !ok {
		facts = factsOf(record)
		t.facts[record] = facts
	}
	return facts
}
