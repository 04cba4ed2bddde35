package record

// Reason says what a value was taken for, and why. Those behind Name stand for
// identifiers.
type Reason uint8

const (
	// Undecided is that of a value that nothing was decided about.
	Undecided Reason = iota
	Fact
	Name
	OwnID
	OwnTypedID
	FirstTypedID
	OnlyTypedID
	TracedID
	Namesake
	WeakID
	NameAsID
	LeadingCode
	MapKey
	Adopted
	NamedInMap
	Alias
	ForeignKey
	OwnPrefix
	NamedReference
	CodeOfThing
	Candidate
)
