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

// Type is the type of an item.
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

// defaultImportance is the importance of an item whose input has none.
const defaultImportance = 0.5

const (
	// maxTags is the largest number of tags of an item, each of at most
	// memory.MaxTypeBytes.
	maxTags = 32
	// maxMetadataBytes is the largest total size of the keys and values of an item's
	// metadata.
	maxMetadataBytes = 4 << 10
)

// ItemInput is the input of Store.Memorize. Only Text is required. The store keeps
// copies.
type ItemInput struct {
	// ID identifies the item, in at most memory.MaxIDBytes. If empty, the store
	// generates one.
	ID string
	// Type is the type of the item. If empty, TypeCustom is used.
	Type Type
	// Text is the text to remember. Invalid UTF-8 is replaced.
	Text string
	// AgentID is the agent to which the item belongs, in at most memory.MaxIDBytes.
	AgentID string
	// Tags are words by which the item is found: at most 32, each of at most
	// memory.MaxTypeBytes.
	Tags []string
	// Metadata is arbitrary data of the caller, of at most 4 KiB. Invalid UTF-8 in the
	// values is replaced.
	Metadata map[string]string
	// Timestamp is the time of the item. If it is zero or outside the years 0 to 9999,
	// the current time is used.
	Timestamp time.Time
	// StepIndex is the step of the item, which may be in the future. Values beyond
	// ±math.MaxInt/2 are clamped. If nil, the current step is used.
	StepIndex *int
	// Importance is from 0 to 1. If nil, 0.5 is used.
	Importance *float64
}

// Item is a copy of an item of a Store. Changing it does not change the store.
type Item struct {
	ID        string            `json:"id"`
	Type      Type              `json:"type"`
	Text      string            `json:"text"`
	Tokens    int               `json:"tokens"` // of Text, counted when it was added
	Timestamp time.Time         `json:"timestamp"`
	AgentID   string            `json:"agent_id,omitempty"`
	Tags      []string          `json:"tags,omitempty"`
	Metadata  map[string]string `json:"metadata,omitempty"`
	// Position is the position in the store. The oldest item has position 0.
	Position int `json:"position"`
	// StepIndex is the step of the item.
	StepIndex int `json:"step_index"`
	// Importance is from 0 to 1.
	Importance float64 `json:"importance"`
	// Deleted reports whether the item was forgotten softly and can be restored.
	Deleted bool `json:"deleted,omitempty"`
}

// copy returns a copy that shares no mutable memory.
func (it *Item) copy() Item {
	c := *it
	c.Tags, c.Metadata = slices.Clone(it.Tags), maps.Clone(it.Metadata)
	return c
}

// check validates the input, which must have an id by now. Errors: memory.ErrNoID,
// ErrNoText, ErrItemType, ErrImportance, *InputError.
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

var itemTypes = [...]Type{
	TypeConversation, TypeAction, TypeObservation, TypeGoal, TypeSkill, TypeFact, TypePattern, TypeError, TypeCustom,
}

func checkImportance(x float64) error {
	if math.IsNaN(x) || x < 0 || x > 1 {
		return ErrImportance
	}
	return nil
}

// checkBounds returns an *InputError for the first field that is too long or not valid
// UTF-8.
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

// item returns the item of a valid input. It shares no memory with the input, which may
// be part of something large. Timestamp and step are completed by itemList.complete.
func (in *ItemInput) item(counter memory.TokenCounter) Item {
	it := Item{
		ID:         strings.Clone(in.ID),
		Type:       TypeCustom,
		Text:       cloneValid(in.Text),
		AgentID:    strings.Clone(in.AgentID),
		Timestamp:  in.Timestamp.UTC().Round(0), // JSON keeps neither zone nor monotonic clock
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
			it.Metadata[strings.Clone(key)] = cloneValid(value)
		}
	}
	if in.Importance != nil {
		it.Importance = *in.Importance
	}
	it.Tokens = max(counter.CountTokens(it.Text), 0)
	return it
}

// cloneValid returns a copy of text as valid UTF-8.
func cloneValid(text string) string {
	if utf8.ValidString(text) {
		return strings.Clone(text)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
