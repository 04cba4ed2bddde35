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

// Names in the records of messages.
const (
	// Prefix begins the ids of all records of messages.
	Prefix            = "message:"
	metadataMessage   = "message"
	metadataPart      = "part"
	metadataRole      = "role"
	metadataExtracted = "extracted"
	metadataMade      = "made"
)

// maxPieceBytes limits a piece of a message. Even if each byte takes six in JSON, two pieces
// and a key stay far below MaxRecordBytes.
const maxPieceBytes = 256 << 10

// maxRoleBytes limits a role in the metadata.
const maxRoleBytes = 256

// keptMessage is the JSON of a message without its content.
type keptMessage struct {
	ID         string                   `json:"id"`
	Role       string                   `json:"role"`
	Name       string                   `json:"name,omitempty"`
	Reasoning  string                   `json:"reasoning,omitempty"`
	ToolCalls  []sessiondriver.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string                   `json:"tool_call_id,omitempty"`
	CreatedAt  time.Time                `json:"created_at,omitzero"`
	Seq        uint64                   `json:"seq"`
	// Session is when the session was created: Seq counts from there.
	Session time.Time `json:"session,omitzero"`
}

// messageID returns the id of the first record of a message, unique among those of a user.
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
		return nil, errors.New("longterm: encoding a message as JSON failed")
	}
	contents, rests := splitPieces(m.Content), splitPieces(string(rest))
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

// IsOf reports whether a record belongs to a message of a session created at a time.
func IsOf(r *longtermdriver.Record, made time.Time) bool {
	return r.Metadata[metadataMade] == madeText(made)
}

// madeText formats the creation time of a session for the metadata.
func madeText(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// splitPieces splits a text before spaces if possible, else before runes.
func splitPieces(text string) []string {
	var all []string
	for len(text) > maxPieceBytes {
		end := maxPieceBytes
		if space := strings.LastIndexByte(text[:end], ' '); space > maxPieceBytes/2 {
			end = space
		}
		for text[end]&0xC0 == 0x80 { // inside a rune
			end--
		}
		all = append(all, text[:end])
		text = text[end:]
	}
	return append(all, text)
}
