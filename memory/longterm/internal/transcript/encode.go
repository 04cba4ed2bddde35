package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Names in the records of a message.
const (
	// Prefix is what the ids of all records of messages begin with.
	Prefix            = "message:"
	metadataMessage   = "message"
	metadataPart      = "part"
	metadataRole      = "role"
	metadataExtracted = "extracted"
	metadataMade      = "made"
)

// maxPieceBytes is how long a piece of a message is at most. As JSON, six bytes for
// one, two pieces and a key stay far below MaxRecordBytes.
const maxPieceBytes = 256 << 10

// maxRoleBytes is how long a role is at most that the metadata have.
const maxRoleBytes = 256

// keptMessage is the JSON of all of a message but its content.
type keptMessage struct {
	ID         string                   `json:"id"`
	Role       string                   `json:"role"`
	Name       string                   `json:"name,omitempty"`
	Reasoning  string                   `json:"reasoning,omitempty"`
	ToolCalls  []sessiondriver.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string                   `json:"tool_call_id,omitempty"`
	CreatedAt  time.Time                `json:"created_at,omitzero"`
	Seq        uint64                   `json:"seq"`
	// Session is when the session was made: Seq counts from there.
	Session time.Time `json:"session,omitzero"`
}

// messageID is the id of the first record of a message. Any two messages of a user have
// different ones.
func messageID(key sessiondriver.Key, id string) string {
	return Prefix + record.Digest(key.SessionID, id)
}

// Records returns the records of a message. Errors: *driver.RecordError.
func Records(work *sessiondriver.PromoteRequest, m *sessiondriver.Message) ([]longtermdriver.Record, error) {
	rest, err := json.Marshal(&keptMessage{
		ID: m.ID, Role: m.Role, Name: m.Name, Reasoning: m.Reasoning, ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID,
		CreatedAt: m.CreatedAt.UTC(), Seq: m.Seq, Session: work.CreatedAt.UTC(),
	})
	if err != nil { // a year that JSON cannot write
		return nil, errors.New("longterm: a message cannot be written as JSON")
	}
	contents, rests := pieces(m.Content), pieces(string(rest))
	sum, id := record.Digest(m.Content, string(rest)), messageID(work.Key, m.ID)
	records := make([]longtermdriver.Record, max(len(contents), len(rests)))
	for i := range records {
		metadata := map[string]any{
			metadataPart: fmt.Sprintf("%d/%d/%s", i, len(records), sum),
			metadataMade: madeText(work.CreatedAt),
		}
		r := &records[i]
		*r = longtermdriver.Record{
			ID: id, Type: sessiondriver.RecordMessage, Namespace: work.Key.Namespace, UserID: work.Key.UserID, SessionID: work.Key.SessionID,
			CreatedAt: m.CreatedAt.UTC(), PersistedAt: work.Now, ExtractedFrom: []string{m.ID}, Metadata: metadata,
		}
		if i > 0 {
			r.ID = fmt.Sprintf("%s/%d", id, i)
		}
		if i < len(contents) {
			r.Text = contents[i]
		}
		if i < len(rests) {
			metadata[metadataMessage] = rests[i]
		}
		if len(m.Role) <= maxRoleBytes {
			metadata[metadataRole] = m.Role
		}
		if m.Extracted {
			metadata[metadataExtracted] = true
		}
		if err := longtermdriver.CheckRecord(r); err != nil {
			return nil, &longtermdriver.RecordError{Index: i, ID: r.ID, Err: err}
		}
	}
	return records, nil
}

// IsOf reports whether a record is one of a message of a session that was made at a time.
func IsOf(r *longtermdriver.Record, made time.Time) bool {
	return r.Metadata[metadataMade] == madeText(made)
}

// madeText is when a session was made, as records of its messages have it.
func madeText(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// pieces divides a text, if possible before a space, else before a rune. Together they
// are the text.
func pieces(text string) []string {
	var all []string
	for len(text) > maxPieceBytes {
		end := maxPieceBytes
		if space := strings.LastIndexByte(text[:end], ' '); space > maxPieceBytes/2 {
			end = space
		}
		for text[end]&0xC0 == 0x80 { // within a rune
			end--
		}
		all = append(all, text[:end])
		text = text[end:]
	}
	return append(all, text)
}
