package memory

import (
	"errors"
	"time"
)

// FallbackType is the type of an entity whose type is unknown. An entity that was
// first seen with it adopts a specific type when one arrives.
const FallbackType = "resource"

const (
	// MaxIDBytes is the length of the longest id of an entity or item. Longer ids are
	// rejected, because a truncated id would be a wrong id.
	MaxIDBytes = 512
	// MaxTypeBytes is the length of the longest type of an entity. Longer types are
	// rejected.
	MaxTypeBytes = 128
	// MaxTextBytes is the length of the longest name, slug, description, tool name or
	// path that is kept. Longer texts are cut at a rune boundary and end in "…", which
	// counts towards the limit.
	MaxTextBytes = 256
)

var (
	// ErrNoID is returned for an entity or item without an id.
	ErrNoID = errors.New("memory: no id")
	// ErrTooLong is returned when an id exceeds MaxIDBytes or a type MaxTypeBytes.
	ErrTooLong = errors.New("memory: id or type is too long")
	// ErrInvalidID is returned when an id or type is not valid UTF-8, because JSON
	// would not preserve it.
	ErrInvalidID = errors.New("memory: id or type is not valid UTF-8")
)

// Role describes how a tool result mentions an entity. A WorkingContext treats
// unknown values as RoleRecord.
type Role string

const (
	// RoleRecord is the role of an entity whose own record was seen. It is the zero
	// value.
	RoleRecord Role = ""
	// RoleReference is the role of an entity that another record points to, as by a
	// foreign key.
	RoleReference Role = "reference"
	// RoleCandidate is the role of a value that a tool may take as an identifier, though
	// no record says so.
	RoleCandidate Role = "candidate"
)

// StateActive is the state of an entity that is said to be alive. A WorkingContext does not
// keep it.
const StateActive = "active"

// Entity is one thing that a tool returned: a page, an order, an issue.
// Its strings do not share memory with the result in which it was found.
type Entity struct {
	// Type is a singular noun in lower case, its words joined by "_": page,
	// pull_request. If empty, FallbackType is used.
	Type string `json:"type"`
	// ID is the identifier that tools accept as an argument. It is never empty in a
	// WorkingContext.
	ID string `json:"id"`
	// Name is the record's own name. It is empty if the record has none.
	Name string `json:"name"`
	// Aliases are further identifiers of the same thing, the most useful first: the
	// number of an issue that also has an id. Lookups find the entity by each of them.
	Aliases []string `json:"aliases,omitempty"`
	// Preferred is the identifier to show first, one of Aliases: the one that tools took
	// last or, before any use, the one that people use. If empty, it is ID.
	Preferred string `json:"preferred,omitempty"`
	// Slug is the record's URL slug. It is empty if the record has none.
	Slug string `json:"slug,omitempty"`
	// Timestamp is the time of the last access, in UTC in a WorkingContext. If it is
	// zero or outside the years 0 to 9999, the context sets it.
	Timestamp time.Time `json:"timestamp"`

	// Description is a short text that distinguishes the record: "red, 10 hours".
	Description string `json:"description,omitempty"`
	// State is a word that says how the entity ended: cancelled, closed, archived. It is
	// empty for one that is alive or of which nothing is known. An entity that is added
	// with StateActive is alive: a known one loses its State.
	State string `json:"state,omitempty"`
	// Role describes how the result mentions the entity.
	Role Role `json:"role,omitempty"`
	// Tool is the name of the tool that returned the entity first. It is empty for an
	// entity of the program.
	Tool string `json:"tool,omitempty"`
	// Source is the MCP server or namespace of that tool: github of
	// mcp__github__get_issue. It is empty if the tool has none.
	Source string `json:"source,omitempty"`
	// Authority is the right of that call to rename the entity if it is known already.
	Authority Authority `json:"authority,omitempty"`
	// Place is the kind of place in the result where the entity stood.
	Place Place `json:"place,omitempty"`
	// Path is the position of the entity in the result, such as "$.pages[0]".
	Path string `json:"path,omitempty"`
	// TypedBy and NamedBy are where the type and the name came from. They are nil if
	// that is the call that returned the entity first.
	TypedBy *Origin `json:"typed_by,omitempty"`
	NamedBy *Origin `json:"named_by,omitempty"`
	// Held is set for an entity that the agent works with: a call had its id as an
	// argument or was made to get or create it, or a message mentioned it. Those held
	// last are evicted last: see ContextOptions.Capacity. An evicted one is no longer held.
	Held bool `json:"held,omitempty"`
	// Made is set for an entity that a call created or changed. It is held, and evicted after
	// the others that are.
	Made bool `json:"made,omitempty"`
	// Uses counts the later tool calls that had the id as an argument. It is never
	// negative.
	Uses int `json:"uses,omitempty"`
	// Repeats counts how often the entity was added again. An entity that appears in
	// one result after another tends to matter. It is never negative.
	Repeats int `json:"repeats,omitempty"`
}

// Label returns a text by which a reader recognizes the entity: the name, else the
// description, else "Unnamed <type>". The state of an entity that ended comes first.
func (e Entity) Label() string {
	label := e.Name
	switch {
	case label != "":
	case e.Description != "":
		label = e.Description
	default:
		label = Placeholder(e.Type)
	}
	return e.StatePrefix() + label
}

// StatePrefix returns what Label begins with if the entity ended, "cancelled: ", or "".
func (e Entity) StatePrefix() string {
	if e.State == "" || e.State == StateActive {
		return ""
	}
	return e.State + ": "
}

// Placeholder returns the label of an entity that has neither name nor description.
func Placeholder(typ string) string {
	if typ == "" {
		typ = FallbackType
	}
	return placeholderPrefix + typ
}

const placeholderPrefix = "Unnamed "

// Ref names an entity. If Type is empty, it names the only entity with the id,
// whatever its type, and nothing if several have it. Type is ignored for ids that
// are unambiguous (see IdentityFunc).
type Ref struct {
	Type string
	ID   string
}
