package memory

import (
	"errors"
	"time"
)

// FallbackType is the type of an entity of which only the id is known. An
// entity that was first seen under it takes the specific type when one arrives.
const FallbackType = "resource"

const (
	// MaxIDBytes is the longest id an entity or item may have. A longer one is refused:
	// an id that was cut is a wrong id.
	MaxIDBytes = 512
	// MaxTypeBytes is the longest type an entity may have; a longer one is refused.
	MaxTypeBytes = 128
	// MaxTextBytes is the longest name, slug, description, tool name or path
	// that is kept; a longer one is cut at a rune boundary and ends in "…",
	// which the limit includes.
	MaxTextBytes = 256
)

var (
	// ErrNoID says that an entity or item without an id was refused.
	ErrNoID = errors.New("memory: no id")
	// ErrTooLong says that an id or type exceeds MaxIDBytes or MaxTypeBytes.
	ErrTooLong = errors.New("memory: id or type is too long")
	// ErrInvalidID says that an id or type is not valid UTF-8. It is refused
	// because JSON would give back another one.
	ErrInvalidID = errors.New("memory: id or type is not valid UTF-8")
)

// Role says how a tool result spoke of an entity. A WorkingContext takes any
// value but those below for RoleRecord.
type Role string

const (
	// RoleRecord is an entity whose own record was seen. The zero value.
	RoleRecord Role = ""
	// RoleReference is an entity that another record points to (a foreign key).
	RoleReference Role = "reference"
	// RoleAlias is a second identifier of a record that has a better one, such
	// as the number of an issue that also has an id.
	RoleAlias Role = "alias"
)

// Entity is one thing that a tool returned: a page, an order, an issue.
// Its strings are its own: none shares memory with the result it was found in.
type Entity struct {
	// Type is singular, lower case, words joined by "_": page, pull_request.
	// Empty means FallbackType.
	Type string `json:"type"`
	// ID is what tools take as an argument. Never empty in a WorkingContext.
	ID string `json:"id"`
	// Name is what the record calls itself; empty if it has no name.
	Name string `json:"name"`
	// Slug is the record's URL slug; empty if it has none.
	Slug string `json:"slug,omitempty"`
	// Timestamp is when the entity was last accessed. A WorkingContext keeps it
	// in UTC; zero, or a year outside 0 to 9999, lets the context set it.
	Timestamp time.Time `json:"timestamp"`

	// Description is a short text that tells the record apart: "red, 10 hours".
	Description string `json:"description,omitempty"`
	// Role says how the result spoke of the entity.
	Role Role `json:"role,omitempty"`
	// Tool is the name of the tool whose result brought the entity.
	Tool string `json:"tool,omitempty"`
	// Path is where in that result it stood, as in "$.pages[0]".
	Path string `json:"path,omitempty"`
	// Uses is how many times a later tool call took the id as an argument. Never negative.
	Uses int `json:"uses,omitempty"`
	// Repeats is how many times the entity was added again after the first
	// time: what comes back in result after result tends to matter. Never negative.
	Repeats int `json:"repeats,omitempty"`
}

// Label is the text that tells a reader which entity this is: the name, else
// the description, else "Unnamed <type>".
func (e Entity) Label() string {
	switch {
	case e.Name != "":
		return e.Name
	case e.Description != "":
		return e.Description
	default:
		return Placeholder(e.Type)
	}
}

// Placeholder is the label of an entity of which nothing but type and id is known.
func Placeholder(typ string) string {
	if typ == "" {
		typ = FallbackType
	}
	return placeholderPrefix + typ
}

const placeholderPrefix = "Unnamed "

// Ref names an entity. With an empty Type it names the entity of any type that
// has the id, if only one has. Where the id can only mean one thing (see
// IdentityFunc), the Type does not matter.
type Ref struct {
	Type string
	ID   string
}
