package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	longtermdriver "github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	sessiondriver "github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// Reader assembles messages from their records.
type Reader struct{ parts map[string]*messageParts }

// Messages returns the complete messages of a session, ordered by the creation of their session
// and their Seq.
func (x *Reader) Messages(key sessiondriver.Key) []sessiondriver.Message {
	var found []foundMessage
	for _, all := range x.parts {
		if m, ok := all.message(key); ok {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b foundMessage) int {
		return cmp.Or(a.session.Compare(b.session), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
	var messages []sessiondriver.Message
	for i := range found {
		messages = append(messages, found[i].Message)
	}
	return messages
}

type foundMessage struct {
	sessiondriver.Message
	session time.Time
}

// messageParts holds the records of a message found so far.
type messageParts struct {
	id, sum   string
	contents  []string
	rests     []string
	have      int
	found     []bool
	persisted time.Time
	extracted bool
}

// maxMessageParts exceeds the parts of a message of session.MaxMessageBytes.
const maxMessageParts = 1 << 12

// Add adds a record to its message. Records of other forms are ignored.
func (x *Reader) Add(r *longtermdriver.Record) {
	text, _ := r.Metadata[metadataPart].(string)
	fields := strings.SplitN(text, "/", 3)
	if len(fields) != 3 {
		return
	}
	number, err := strconv.Atoi(fields[0])
	many, err2 := strconv.Atoi(fields[1])
	if err != nil || err2 != nil || number < 0 || number >= many || many > maxMessageParts {
		return
	}
	id, _, _ := strings.Cut(r.ID, "/")
	all := x.parts[id+fields[2]]
	if all == nil {
		if x.parts == nil {
			x.parts = make(map[string]*messageParts)
		}
		all = &messageParts{id: id, sum: fields[2], contents: make([]string, many), rests: make([]string, many), found: make([]bool, many)}
		x.parts[id+fields[2]] = all
	}
	if many != len(all.found) || all.found[number] {
		return
	}
	all.found[number] = true
	all.have++
	all.contents[number] = r.Text
	all.rests[number], _ = r.Metadata[metadataMessage].(string)
	if number == 0 {
		all.persisted = r.PersistedAt
		all.extracted, _ = r.Metadata[metadataExtracted].(bool)
	}
}

// message assembles the parts. It reports false unless they form a complete message of the
// session.
func (all *messageParts) message(key sessiondriver.Key) (m foundMessage, ok bool) {
	if all.have != len(all.found) {
		return m, false
	}
	content, rest := strings.Join(all.contents, ""), strings.Join(all.rests, "")
	var kept keptMessage
	if record.Digest(content, rest) != all.sum || json.Unmarshal([]byte(rest), &kept) != nil || messageID(key, kept.ID) != all.id {
		return m, false
	}
	return foundMessage{session: kept.Session, Message: sessiondriver.Message{
		ID: kept.ID, Role: kept.Role, Content: content, Name: kept.Name, Reasoning: kept.Reasoning, ToolCalls: kept.ToolCalls,
		ToolCallID: kept.ToolCallID, CreatedAt: kept.CreatedAt, Seq: kept.Seq, PersistedAt: all.persisted, Extracted: all.extracted,
	}}, true
}
