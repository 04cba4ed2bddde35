package items

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory"
)

// Type says what an item of a Store is.
type Type string

// The types of items.
const (
	TypeConversation Type = "conversation"
	TypeAction       Type = "action"
	TypeObservation  Type = "observation"
	TypeGoal         Type = "goal"
	TypeSkill        Type = "skill"
	TypeFact         Type = "fact"
	TypePattern      Type = "pattern"
	TypeError        Type = "error"
	TypeCustom       Type = "custom"
)

// defaultImportance is the importance of an item that comes without one.
const defaultImportance = 0.5

const (
	// maxTags is how many tags an item may have, each of at most memory.MaxTypeBytes.
	maxTags = 32
	// maxMetadataBytes is how long the keys and values of an item's metadata may
	// be together.
	maxMetadataBytes = 4 << 10
)

// ItemInput is what Store.Memorize takes. Only Text is required. A store
// keeps copies.
type ItemInput struct {
	// ID names the item, in at most memory.MaxIDBytes; "" lets the store make one.
	ID string
	// Type says what it is. "" means TypeCustom.
	Type Type
	// Text is what is remembered. What of it is not valid UTF-8 is replaced.
	Text string
	// AgentID is the agent that it belongs to, in at most memory.MaxIDBytes.
	AgentID string
	// Tags are words to find it by: at most 32.
	Tags []string
	// Metadata is whatever else the caller wants back, of at most
	// 4 KiB. What of the values is not valid UTF-8 is replaced.
	Metadata map[string]string
	// Timestamp is when it came about; zero, or a year outside 0 to 9999, means
	// now.
	Timestamp time.Time
	// StepIndex is the step in which it came about, which may be one to come;
	// nil means the current one, beyond ±math.MaxInt/2 that bound.
	StepIndex *int
	// Importance is from 0 to 1; nil means 0.5.
	Importance *float64
}

// Item is an item of a Store, as it was when the store was asked. It is a
// copy: to change it changes nothing in the store.
type Item struct {
	ID        string            `json:"id"`
	Type      Type              `json:"type"`
	Text      string            `json:"text"`
	Tokens    int               `json:"tokens"` // of Text, counted on entry
	Timestamp time.Time         `json:"timestamp"`
	AgentID   string            `json:"agent_id,omitempty"`
	Tags      []string          `json:"tags,omitempty"`
	Metadata  map[string]string `json:"metadata,omitempty"`
	// Position is the place in the store: 0 is the oldest item, without gaps.
	Position int `json:"position"`
	// StepIndex is the step in which it came about.
	StepIndex int `json:"step_index"`
	// Importance is from 0 to 1.
	Importance float64 `json:"importance"`
	// Deleted says that it was forgotten softly, and can be restored.
	Deleted bool `json:"deleted,omitempty"`
}

// copy returns an item that shares nothing that can change.
func (it *Item) copy() Item {
	c := *it
	c.Tags, c.Metadata = slices.Clone(it.Tags), maps.Clone(it.Metadata)
	return c
}

// check returns what is wrong with an item that has an id: ErrNoID, ErrNoText,
// ErrItemType, ErrImportance or a *InputError.
func (in *ItemInput) check() error {
	switch {
	case in.ID == "":
		return memory.ErrNoID
	case in.Text == "":
		return ErrNoText
	case in.Type != "" && !slices.Contains(itemTypes[:], in.Type):
		return ErrItemType
	case in.Importance != nil:
		if err := checkImportance(*in.Importance); err != nil {
			return err
		}
	}
	return in.checkBounds()
}

// itemTypes are the types that there are.
var itemTypes = [...]Type{
	TypeConversation, TypeAction, TypeObservation, TypeGoal, TypeSkill, TypeFact, TypePattern, TypeError, TypeCustom,
}

func checkImportance(x float64) error {
	if math.IsNaN(x) || x < 0 || x > 1 {
		return ErrImportance
	}
	return nil
}

// checkBounds returns an *InputError for the first field that is refused.
func (in *ItemInput) checkBounds() error {
	if err := checkField("id", in.ID, memory.MaxIDBytes); err != nil {
		return err
	}
	if err := checkField("agent_id", in.AgentID, memory.MaxIDBytes); err != nil {
		return err
	}
	if len(in.Tags) > maxTags {
		return &InputError{Field: "tags", Err: memory.ErrTooLong}
	}
	for _, tag := range in.Tags {
		if err := checkField("tags", tag, memory.MaxTypeBytes); err != nil {
			return err
		}
	}
	return in.checkMetadata()
}

func (in *ItemInput) checkMetadata() error {
	size := 0
	for key, value := range in.Metadata {
		size += len(key) + len(value)
	}
	if size > maxMetadataBytes {
		return &InputError{Field: "metadata", Err: memory.ErrTooLong}
	}
	for key := range in.Metadata {
		if err := checkField("metadata", key, maxMetadataBytes); err != nil {
			return err
		}
	}
	return nil
}

func checkField(name, value string, limit int) error {
	switch {
	case len(value) > limit:
		return &InputError{Field: name, Err: memory.ErrTooLong}
	case !utf8.ValidString(value):
		return &InputError{Field: name, Err: memory.ErrInvalidID}
	}
	return nil
}

// item makes the item of an input that was checked. Nothing of it shares memory
// with the input, which may be a part of something large. Timestamp and step may
// be missing still.
func (in *ItemInput) item(counter memory.TokenCounter) Item {
	it := Item{
		ID:         strings.Clone(in.ID),
		Type:       TypeCustom,
		Text:       mended(in.Text),
		AgentID:    strings.Clone(in.AgentID),
		Timestamp:  in.Timestamp.UTC().Round(0), // without what JSON does not keep
		Importance: defaultImportance,
	}
	if i := slices.Index(itemTypes[:], in.Type); i >= 0 {
		it.Type = itemTypes[i]
	}
	for _, tag := range in.Tags {
		it.Tags = append(it.Tags, strings.Clone(tag))
	}
	if len(in.Metadata) > 0 {
		it.Metadata = make(map[string]string, len(in.Metadata))
		for key, value := range in.Metadata {
			it.Metadata[strings.Clone(key)] = mended(value)
		}
	}
	if in.Importance != nil {
		it.Importance = *in.Importance
	}
	it.Tokens = max(counter.CountTokens(it.Text), 0)
	return it
}

// mended returns a copy that is valid UTF-8.
func mended(text string) string {
	if utf8.ValidString(text) {
		return strings.Clone(text)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
