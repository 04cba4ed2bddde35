package longterm

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// Messages implements session.LongTerm. A message is as it was given to Promote, with
// its Seq, and with PersistedAt. Where a session was made again after it had been deleted
// or had expired, its messages follow those from before. Records that are no
// messages of ours, or are not all there, are left out. Errors are the Memory's.
func (p *Promoter) Messages(ctx context.Context, key session.Key) ([]session.Message, error) {
	parts := make(map[string]*messageParts)
	err := p.eachPage(ctx, key, func(hits []Hit) error {
		for i := range hits {
			addPart(parts, &hits[i].Record)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var found []foundMessage
	for _, all := range parts {
		if m, ok := all.message(key); ok {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b foundMessage) int {
		return cmp.Or(a.session.Compare(b.session), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
	var messages []session.Message
	for i := range found {
		messages = append(messages, found[i].Message)
	}
	return messages, nil
}

type foundMessage struct {
	session.Message
	session time.Time
}

// messageParts are the records of a message that were found.
type messageParts struct {
	id, sum   string
	contents  []string
	rests     []string
	have      int
	there     []bool
	persisted time.Time
	extracted bool
}

// maxMessageParts is more than a message of session.MaxMessageBytes has.
const maxMessageParts = 1 << 12

// addPart adds a record to those of its message.
func addPart(parts map[string]*messageParts, r *Record) {
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
	all := parts[id+fields[2]]
	if all == nil {
		all = &messageParts{id: id, sum: fields[2], contents: make([]string, many), rests: make([]string, many), there: make([]bool, many)}
		parts[id+fields[2]] = all
	}
	if many != len(all.there) || all.there[number] {
		return
	}
	all.there[number] = true
	all.have++
	all.contents[number] = r.Text
	all.rests[number], _ = r.Metadata[metadataMessage].(string)
	if number == 0 {
		all.persisted = r.PersistedAt
		all.extracted, _ = r.Metadata[metadataExtracted].(bool)
	}
}

// message puts the parts together, and reports false unless they are a message of the
// session, whole.
func (all *messageParts) message(key session.Key) (m foundMessage, ok bool) {
	if all.have != len(all.there) {
		return m, false
	}
	content, rest := strings.Join(all.contents, ""), strings.Join(all.rests, "")
	var kept keptMessage
	if record.Digest(content, rest) != all.sum || json.Unmarshal([]byte(rest), &kept) != nil || messageID(key, kept.ID) != all.id {
		return m, false
	}
	return foundMessage{session: kept.Session, Message: session.Message{
		ID: kept.ID, Role: kept.Role, Content: content, Name: kept.Name, Reasoning: kept.Reasoning, ToolCalls: kept.ToolCalls,
		ToolCallID: kept.ToolCallID, CreatedAt: kept.CreatedAt, Seq: kept.Seq, PersistedAt: all.persisted, Extracted: all.extracted,
	}}, true
}
