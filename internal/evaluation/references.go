package evaluation

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// Reference is an identifier that a tool call needs and that the agent can know only
// from an earlier tool result of the episode.
type Reference struct {
	// Key is the name of the argument; "" if arguments have no names.
	Key string
	// Value is the identifier.
	Value string

	origin string  // kind of place where a result had it first
	labels wordSet // words that its header may use
	facts  wordSet // facts of its records
	seen   sightings
	shell  shellKind // "" for an argument as a whole
	first  bool      // no earlier call of the episode took the value
	again  bool      // a shell reference that is an argument as a whole, and listed as one
}

// Known reports whether a record of the reference has facts.
func (r *Reference) Known() bool { return len(r.facts) > 0 }

// Labels returns the words that a header over the reference may use, sorted.
func (r *Reference) Labels() []string { return r.labels.sorted() }

// sighting is the information of earlier results on an identifier.
type sighting struct {
	origin        string // kind of place where it stood first
	labels, facts wordSet
}

// sightings are the identifiers in earlier results.
type sightings map[string]*sighting

func (s sightings) add(id, origin string) *sighting {
	e, ok := s[id]
	if !ok {
		e = &sighting{origin: origin, labels: wordSet{}, facts: wordSet{}}
		s[id] = e
	}
	return e
}

// factsOf returns the facts of an identifier's records.
func (s sightings) factsOf(id string) wordSet {
	if e, ok := s[id]; ok {
		return e.facts
	}
	return nil
}

// tracker finds the references of an episode, step by step.
type tracker struct {
	lexicon lexicon
	user    strings.Builder // all messages of the user
	seen    sightings
	facts   map[*value]wordSet // of the records of one result
	shell   shellSeen
	taken   wordSet // values of references so far
}

func newTracker() *tracker {
	return &tracker{lexicon: newLexicon(), seen: sightings{}, facts: map[*value]wordSet{}, taken: wordSet{}}
}

// needed returns the references of a tool call, sorted by argument and value, and behind them
// its shell references. They are valid until the next call of learn.
func (t *tracker) needed(s *Step) []Reference {
	type argument struct{ key, value string }
	found := make(map[argument]struct{})
	var refs []Reference
	user, kinds := t.user.String(), t.statedKinds(s)
	for arg := range s.arguments().scalars() {
		known, ok := t.seen[arg.text]
		key := argument{arg.at.key(), arg.text}
		if _, again := found[key]; !ok || again || !arg.isReference() || !arg.isCopied() || strings.Contains(user, arg.text) {
			continue
		}
		found[key] = struct{}{}
		labels := maps.Clone(known.labels)
		labels.add(t.lexicon.stem(key.key))
		if t.lexicon.words(key.key).meets(nameWords) {
			labels.add(kinds)
		}
		refs = append(refs, Reference{Key: key.key, Value: key.value, origin: known.origin, labels: labels, facts: known.facts, seen: t.seen})
	}
	slices.SortFunc(refs, func(a, b Reference) int {
		if c := strings.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		return strings.Compare(a.Value, b.Value)
	})
	for i := range refs {
		_, again := t.taken[refs[i].Value]
		refs[i].first = !again
		t.taken[refs[i].Value] = struct{}{}
	}
	for _, ref := range t.shell.needed(s, user) {
		ref.again = slices.ContainsFunc(refs, func(r Reference) bool { return r.shell == "" && r.Value == ref.Value })
		refs = append(refs, ref)
	}
	return refs
}

var kindName = regexp.MustCompile(`^[A-Za-z_]{2,30}$`)

// statedKinds returns the kinds that a call states for its object: {"kind": "pod",
// "name": …}.
func (t *tracker) statedKinds(s *Step) wordSet {
	kinds := make(wordSet)
	for _, f := range s.arguments().fields {
		if f.value.kind == document.String && kindName.MatchString(f.value.text) && t.lexicon.words(f.key).meets(kindWords) {
			kinds.add(t.lexicon.words(f.value.text))
		}
	}
	return kinds
}

// learn updates the tracker with a step.
func (t *tracker) learn(s *Step) {
	switch s.Kind {
	case KindUser:
		t.user.WriteString(" " + s.Text)
	case KindTool:
		noun := t.lexicon.noun(s.Tool)
		noun.add(t.statedKinds(s))
		t.learnResult(s.data(), noun)
		t.shell.unread = append(t.shell.unread, s)
		clear(t.facts)
	}
}

func (t *tracker) learnResult(data *value, noun wordSet) {
	if !data.isData() {
		textIDs(data.text, func(label, id string) {
			e := t.seen.add(id, originText)
			e.labels.add(noun)
			e.labels.add(t.lexicon.words(label))
		})
		return
	}
	for s := range data.scalars() {
		if s.isReference() {
			t.learnScalar(&s, noun)
		}
	}
	walkKeys(data, nil, func(at place, key string, under *value) {
		if !isIdentifier(key) {
			return
		}
		e := t.seen.add(key, originMapKey)
		if len(at) > 0 {
			e.labels.add(t.lexicon.words(at.key()))
		} else {
			e.labels.add(noun)
		}
		e.facts.add(t.recordFacts(under))
	})
}

// learnScalar records an identifier of a record. The record's own id is labelled by
// the key above the record and by the record's kind, another id by its key.
func (t *tracker) learnScalar(s *scalar, noun wordSet) {
	e := t.seen.add(s.text, s.origin())
	key, stem, above := t.lexicon.words(s.at.key()), t.lexicon.stem(s.at.key()), t.lexicon.words(s.at.up(2))
	own, identifies := key.within(ownWords), key.within(ownWords) || key.meets(naturalWords)
	wrapped := above.within(wrapperWords)
	if !own {
		e.labels.add(stem)
	}
	if identifies {
		e.labels.add(above)
		if wrapped {
			e.labels.add(noun)
		}
		if s.record != nil {
			for _, name := range kindKeys {
				e.labels.add(t.lexicon.words(s.record.stringField(name)))
			}
		}
	}
	if identifies || stem.meets(above) || wrapped && stem.meets(noun) {
		e.facts.add(t.recordFacts(s.record))
	}
}

// recordFacts returns the facts of a record, computed once for all its identifiers.
func (t *tracker) recordFacts(record *value) wordSet {
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
