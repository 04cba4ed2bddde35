package record

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/go-workingmemory/workingmemory/extractor/internal/finding"
	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
	"github.com/go-workingmemory/workingmemory/internal/english"
	"github.com/go-workingmemory/workingmemory/memory"
)

// Call describes the call while its result is read.
type Call struct {
	// Name is the tool's name. Tool describes the tool, or the command that it runs.
	Name string
	Tool naming.Tool
	// Forced is the type that a rule gives to all records; empty without a rule.
	Forced string
	// Own is the argument that identifies the tool's subject, if any.
	Own memory.Ref
	// Secrets is set if the call prints secrets, of which only names are read.
	Secrets bool
	// Spaced is set if the tool names things whose names have spaces: files, sheets.
	Spaced bool
	// Directory is the path in the call's arguments that may be a directory.
	Directory string
	// Listed is set if the result lists names in Directory.
	Listed bool
	// Source is set if the result is the source code of programs.
	Source bool
	// Paths are the paths with spaces among the call's arguments, which a text about the call
	// may repeat.
	Paths [][]byte
	// Failed is set once the result is known to report an error.
	Failed bool
	// TypeOf returns the type that the arguments give to an identifier, or "". It is nil if Arguments is set.
	TypeOf func(id []byte) string
	// Arguments is set while the arguments of the call are read, as the record Own.
	Arguments bool
	// Adopted is set once an object was taken for the tool's subject.
	Adopted bool
}

// Object is an object whose fields have been read. The zero value is the object at the
// root of a result.
type Object struct {
	// Fields are the scalars of the object, and of its parts that are not records.
	Fields []Field
	// Key is the name of the object; nil in arrays and at the root.
	Key *naming.Key
	// Noun is the type that the enclosing keys give to the object's records.
	Noun string
	// Wrapper is the singular of the generic key of the object: item of items. It
	// becomes the type if the enclosing object turns out to be a record.
	Wrapper string
	// First is the object's first key.
	First *naming.Key
	// Inherited is set while Noun comes from the tool's name or passed through wrappers.
	Inherited bool
	// ByID is set if Key is the identifier of the object.
	ByID bool
	// Blank is set if the object's id is null or empty: it has no identity.
	Blank bool
	// Void is set for an answer whose result is null: its id is that of the request.
	Void bool
	// TypeFrom is where the type of the record comes from, once Record has set it.
	TypeFrom TypeReason
	// HasParts is set if the object contains objects or arrays.
	HasParts bool
	Place

	has       naming.Traits // of all fields
	described bool          // see describeLate
	call      *Call
	scratch   *Scratch
}

// Place is the position of an object in the result.
type Place struct {
	// Outermost is set for the object that is the whole document, and ListsOwn if it has a list
	// of the tool's subjects.
	Outermost, ListsOwn bool
	// Listed is set for an item of an array, and List is the array's key.
	Listed bool
	List   *naming.Key
	// ListOutermost is set if that array is the whole document.
	ListOutermost bool
	// InList is set if any array is around the object.
	InList bool
	// Around is the object whose field the object is, with the fields before it; nil in
	// arrays and at the root. Property is set if it describes properties: {"properties":
	// {"Name": {"id": "title", …}}}.
	Around   *Object
	Property bool
}

// Scratch is memory for the texts that a judgement builds. They are valid until the next
// Judge.
type Scratch struct {
	text  []byte
	found []Found
}

// Reset empties the scratch memory and keeps it, but for buffers larger than most bytes.
func (s *Scratch) Reset(most int) {
	clear(s.found[:cap(s.found)])
	*s = Scratch{text: finding.Emptied(s.text, most), found: finding.Emptied(s.found, most)}
}

// Kind is what an object is.
type Kind uint8

const (
	// Loose is an object without an identity: its facts belong to the object around it.
	Loose Kind = iota
	// Description has an identifier of another entity but only describes the record
	// around it: all its fields are that record's.
	Description
	// Value is one value in the form of an object, a field of the object around it.
	Value
	// Record has an identity.
	Record
	// Names is a map between names and identifiers.
	Names
	// Junk has no values that a tool takes: the environment of a process.
	Junk
)

// Verdict is what an object is taken for.
type Verdict struct {
	Kind Kind
	// ID is the identity of a record.
	ID Identity
	// Field is the field of a Value. Its key is nil if nothing of it is kept; KeyText, if set, is
	// the name of the key.
	Field   Field
	KeyText []byte
	// Found are the entities of a map of names and identifiers.
	Found []Found
}

// Found is an entity that a field refers to.
type Found struct {
	finding.Sighting
	Field *Field
}

// Judge decides what an object is. The verdict is valid until the next call.
func (o *Object) Judge(call *Call, scratch *Scratch) Verdict {
	o.call, o.scratch = call, scratch
	if o.Around != nil {
		o.Around.call = call
	}
	scratch.text, scratch.found = scratch.text[:0], scratch.found[:0]
	o.has = 0
	for i := range o.Fields {
		o.has |= o.Fields[i].Key.Traits
	}
	if fd, key, ok := o.asValue(); ok {
		return Verdict{Kind: Value, Field: fd, KeyText: key}
	}
	own := Verdict{Kind: Record, ID: Identity{key: call.Own.ID, why: Adopted}}
	switch {
	case call.Arguments && o.Outermost:
		o.dropContents()
		return own
	case call.Arguments:
		return Verdict{}
	case o.isEnvironment():
		return Verdict{Kind: Junk}
	case o.has.Has(naming.TraitType) && o.find(isOutcome) != nil:
		call.Failed = call.Failed || o.find(isGrave) != nil
		return Verdict{Kind: Junk}
	}
	o.disown()
	id := o.identify()
	switch {
	case o.isDescription(id):
		return Verdict{Kind: Description}
	case id.is():
		return Verdict{Kind: Record, ID: id}
	}
	if found := o.nameMap(); found != nil {
		return Verdict{Kind: Names, Found: found}
	}
	if o.adopts() {
		call.Adopted = true
		return own
	}
	return Verdict{}
}

// Record returns the entity of the object. If brief is set, an entity with a name has no
// description.
func (o *Object) Record(id Identity, brief bool) finding.Sighting {
	typ, from := o.typeOf(id)
	o.TypeFrom = from
	s := finding.Sighting{Type: typ, ID: o.idText(id), State: o.state()}
	name := o.nameOf(typ, id.field)
	if name == nil || isCalling(name) {
		if s.Name = o.personName(false); len(s.Name) > 0 {
			name = nil
		}
	}
	if name != nil {
		s.Name = o.clean(name.Text)
		name.Became = Name
	}
	if slug := o.find(func(fd *Field) bool { return fd.Key.Name == "slug" && !fd.Nested }); slug != nil {
		s.Slug = o.clean(slug.Text)
	}
	if name == nil || !brief {
		s.Description = o.describe(&s, id.field, name)
	}
	isName := id.why == NameAsID ||
		id.why == Namesake && (shape.IsHandle(s.ID) && !shape.HasDigit(s.ID) || id.field.Key.Snake == "version") ||
		id.why == WeakID && (shape.IsPath(s.ID) || shape.IsProgramName(s.ID) || shape.IsUpperWord(s.ID))
	if len(s.Name) == 0 && isName {
		s.Name = s.ID
	}
	o.aliases(id, &s)
	if alias := s.Preferred(); len(s.Name) == 0 && HasLetter(alias) { // the number of an invoice, INV-7
		if s.Name = alias; bytes.Equal(s.Description, alias) {
			s.Description = nil
		}
	}
	switch {
	case o.Key != nil && o.Key.Traits.Has(naming.TraitPart): // the status of an issue
		s.Role, s.Type = memory.RoleCandidate, o.Key.Snake
	case o.isPart() || o.isCommit(id):
		s.Role = memory.RoleReference
	}
	s.Unavailable = o.isUnavailable()
	if id.field != nil {
		id.field.Became = id.why
	}
	return s
}

// dropContents removes arguments of a call that do not describe the thing that it
// wrote: its id and, for an edit, the text written into it.
func (o *Object) dropContents() {
	edits := o.call.Tool.Effect == naming.EffectUpdated
	o.Fields = slices.DeleteFunc(o.Fields, func(fd Field) bool {
		k := fd.Key.Snake
		return string(fd.Text) == o.call.Own.ID || vocabulary.QueryKeys.Has(k) || edits && vocabulary.ContentKeys.Has(k)
	})
}

// Label returns the name of a record for the record that contains it. It is empty if the record has
// too few facts.
func Label(s *finding.Sighting) []byte {
	if len(s.Name) > 0 {
		return s.Name
	}
	return shortFacts(s.Description)
}

// isPart reports whether an object is under a singular key of a record, not in a
// list. The record refers to it, as an order does to its customer.
func (o *Object) isPart() bool {
	return o.Around != nil && !o.Key.Plural && !o.Inherited && o.Around.isIdentified() // by the fields read so far
}

// adopts reports whether a record without an id, {"name": …, "email": …}, has the id
// that the tool was called with.
func (o *Object) adopts() bool {
	facts := 0 // besides the names of its children, which have identities of their own, and counts
	for i := range o.Fields {
		if fd := &o.Fields[i]; !fd.Child && !(fd.Kind == document.Number && naming.HasWord(fd.Key.Snake, &vocabulary.FigureWords)) {
			facts++
		}
	}
	c := o.call
	return facts >= 2 && !c.Failed && !c.Adopted && c.Own.ID != "" && o.Noun == c.Tool.Noun && o.Noun != "" && !o.InList
}

// isIdentified reports whether the fields read so far identify a record.
func (o *Object) isIdentified() bool {
	return o.find(func(fd *Field) bool {
		_, why := o.identityRank(fd)
		return !fd.Nested && (why != Undecided || fd.Key.Class == naming.ClassWeakID && fd.Key == o.First && o.isWeakID(fd, true))
	}) != nil
}

// isDescription reports whether a part with other entities' identifiers only
// describes the record around it: {"id": …, "snippet": {"title": …, "channelId": …}}.
func (o *Object) isDescription(id Identity) bool {
	isOthers := id.field != nil && id.field.Key.Class == naming.ClassTypedID && !english.IsHead(id.field.Key.Noun, o.Noun)
	return o.Around != nil && o.Key.Traits.Has(naming.TraitDescribes) && o.has.Has(naming.TraitRefers) &&
		(isOthers || !id.is() && o.Key.Traits.Has(naming.TraitNames)) && len(o.Around.Fields) < MaxFields && o.Around.isIdentified()
}

// isOutcome reports whether a field is the type of FHIR's answer to a failed call or a dry run.
func isOutcome(fd *Field) bool { return string(fd.Text) == "OperationOutcome" }

// isGrave reports whether a field of an OperationOutcome says that the call failed.
func isGrave(fd *Field) bool {
	return fd.Key.Snake == "severity" && (string(fd.Text) == "error" || string(fd.Text) == "fatal")
}

// isEnvironment reports whether an object is the environment of a process: {"PATH": "/bin", "HOME":
// "/root"}.
func (o *Object) isEnvironment() bool {
	known, shouted := 0, o.Key != nil && vocabulary.EnvironmentKeys.Has(o.Key.Snake) && len(o.Fields) > 0
	for i := range o.Fields {
		name := o.Fields[i].Key.Name
		shouted = shouted && !strings.ContainsFunc(name, unicode.IsLower)
		if vocabulary.EnvironmentNames.Has(name) {
			known++
		}
	}
	return known > 1 || shouted
}

// disown prevents the fields of an answer that reports success and has its records in a list from
// identifying a record: {"Id": …, "Status": "OK", "Invoices": […]}.
func (o *Object) disown() {
	succeeded := func(fd *Field) bool {
		return !fd.Nested && (fd.Key.Snake == "status" || fd.Key.Snake == "success") && saysNothing(fd.Text)
	}
	if o.Outermost && o.ListsOwn && o.find(succeeded) != nil {
		for i := range o.Fields {
			o.Fields[i].Nested = true
		}
	}
}
