package middleware

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// JournalCall is a call in a Journal, without its texts and what it left.
type JournalCall struct {
	// ID identifies the entry in its journal.
	ID string `json:"-"`
	// Time is when the call was recorded, in UTC and to the microsecond.
	Time time.Time `json:"time"`
	// CallID is the model's id of the call. It may be empty, and so may Source.
	CallID string `json:"call_id,omitempty"`
	Tool   string `json:"tool"`
	Source string `json:"source,omitempty"`
	// Duration is how long the call took; 0 if unknown.
	Duration time.Duration `json:"duration,omitempty"`
	// Failed is set if the call returned an error.
	Failed bool `json:"failed,omitempty"`
	// Action, Format and Reason are those of extractor.Extraction, and Found is the number of
	// entities and candidates in the result.
	Action extractor.Action `json:"action,omitempty"`
	Format string           `json:"format,omitempty"`
	Reason string           `json:"reason,omitempty"`
	Found  int              `json:"found,omitempty"`
	// Bytes is the size of the texts of its arguments, its result and its error.
	Bytes int `json:"bytes,omitempty"`
	// Stored is the handle of the result if it is stored whole, or "".
	Stored string `json:"stored,omitempty"`
	// Changed is set if the entry has the entities after the call. Otherwise they are those of
	// the entry before.
	Changed bool `json:"changed,omitempty"`
	// Decisions are those that the call caused. Their Call is the number of the entry, from 1.
	Decisions []Decision `json:"-"`
	// Omitted is the number of further decisions, beyond 32 KiB.
	Omitted int `json:"omitted,omitempty"`

	size int64
}

// JournalText is the beginning of a text in which secrets are blacked out.
type JournalText struct {
	Text string `json:"text"`
	// Size is the size of the whole text in bytes.
	Size int `json:"size"`
}

// JournalEntry is a call in a Journal with its texts and what it left.
type JournalEntry struct {
	JournalCall
	// Arguments, Result and Err are texts: JSON for values that are none.
	Arguments, Result, Err JournalText

	sessions *Sessions
	state    entryContent
}

// State returns the entities and the handles after the call, which are new: nil unless Changed.
func (e *JournalEntry) State() (*memory.WorkingContext, *handle.Table, error) {
	if !e.Changed {
		return nil, nil, nil
	}
	entities, handles := e.sessions.newContext(), handle.NewTable(e.sessions.opts.Handles)
	if entities.UnmarshalJSON(e.state.Entities) != nil || len(e.state.Handles) > 0 && handles.UnmarshalJSON(e.state.Handles) != nil {
		return nil, nil, errJournal
	}
	return entities, handles, nil
}

// draftEntry is the entry of a call that is not stored yet.
type draftEntry struct {
	info    JournalCall
	content entryContent
	large   string // id of the stored result
}

// entryContent is the compressed part of an entry.
type entryContent struct {
	Arguments JournalText     `json:"arguments"`
	Result    JournalText     `json:"result"`
	Err       JournalText     `json:"error"`
	Entities  json.RawMessage `json:"entities,omitempty"`
	Handles   json.RawMessage `json:"handles,omitempty"`
}

// drafter returns the entry of a call, given what was found in its result and, unless it is nil,
// the result to store.
type drafter func(call *ToolCall, found *extractor.Extraction, large *largeResult) *draftEntry

func newDraft(call *ToolCall, found *extractor.Extraction, large *largeResult, maxText int) *draftEntry {
	e := &draftEntry{info: JournalCall{
		ID: ulid.Make().String(), CallID: bounded(call.ID),
		Tool: bounded(call.Name), Source: bounded(call.Source), Duration: call.Duration, Failed: call.Err != nil || found.Failed,
		Action: found.Action, Format: found.Format, Reason: bounded(found.Reason), Found: len(found.Entities),
	}}
	e.content.Arguments, e.content.Result = journalText(call.Arguments, maxText), journalText(call.Result, maxText)
	if call.Err != nil {
		e.content.Err = journalText(call.Err.Error(), maxText)
	}
	e.info.Bytes = e.content.Arguments.Size + e.content.Result.Size + e.content.Err.Size
	if large != nil {
		e.large = large.ref.ID
	}
	return e
}

// cutMargin is how far behind a cut a secret is looked for that begins before it.
const cutMargin = 4 << 10

// journalText returns the beginning of the text of a value.
func journalText(value any, maxBytes int) JournalText {
	text, ok := textOf(value)
	if !ok {
		return JournalText{}
	}
	t := JournalText{Size: len(text)}
	t.Text = secret.Redact(strings.Clone(text[:min(len(text), maxBytes+cutMargin)]))
	if len(t.Text) > maxBytes {
		t.Text = strings.ToValidUTF8(t.Text[:maxBytes], "")
	}
	return t
}

// decided sets the decisions that the call caused, given those of all calls of its write and its
// number among them.
func (e *draftEntry) decided(all *DecisionLog, call int) {
	for d := range all.All() {
		if d.Call == call {
			e.info.Decisions = append(e.info.Decisions, d)
		}
	}
}

// after sets what the call left. found is nil if it changed nothing.
func (e *draftEntry) after(found *session.Session) {
	if found == nil {
		return
	}
	e.info.Changed = true
	e.content.Entities, _ = found.Entities.MarshalJSON() // never fails
	if !found.Handles.IsEmpty() {
		e.content.Handles, _ = found.Handles.MarshalJSON()
	}
	if name := found.Handles.Handle(e.large); e.large != "" && name != e.large {
		e.info.Stored = name
	}
}

// maxDecisionBytes is the size of the decisions of an entry, as JSON.
const maxDecisionBytes = 32 << 10

// entryMeta is what is stored of a JournalCall beside its content.
type entryMeta struct {
	JournalCall
	Kept []keptDecision `json:"decisions,omitempty"`
}

// keptDecision is a Decision without what it shares with its entry.
type keptDecision struct {
	Kind   DecisionKind `json:"k"`
	Type   string       `json:"t"`
	ID     string       `json:"i"`
	Path   string       `json:"p,omitempty"`
	Reason string       `json:"r,omitempty"`
	ByType string       `json:"bt,omitempty"`
	ByID   string       `json:"bi,omitempty"`
}

// encode returns the stored form of an entry.
func (j *Journal) encode(e *draftEntry) (r driver.StoredResult, err error) {
	meta := entryMeta{JournalCall: e.info}
	for i, size := 0, 0; i < len(e.info.Decisions); i++ {
		d := &e.info.Decisions[i]
		if size += len(d.Type) + len(d.ID) + len(d.Path) + len(d.Reason) + len(d.ByType) + len(d.ByID) + 64; size > maxDecisionBytes {
			meta.Omitted = len(e.info.Decisions) - i
			break
		}
		meta.Kept = append(meta.Kept, keptDecision{d.Kind, d.Type, d.ID, d.Path, d.Reason, d.ByType, d.ByID})
	}
	r.ResultInfo = driver.ResultInfo{Kind: driver.JournalEntry, ID: e.info.ID, CreatedAt: e.info.Time}
	if r.Meta, err = json.Marshal(meta); err != nil {
		return r, fmt.Errorf("middleware: writing the journal: %w", err)
	}
	var b bytes.Buffer
	w, _ := j.writers.Get().(*flate.Writer)
	if w == nil {
		w, _ = flate.NewWriter(nil, flate.BestSpeed) // a valid level
	}
	defer j.writers.Put(w)
	w.Reset(&b)
	if err = errors.Join(json.NewEncoder(w).Encode(&e.content), w.Close()); err != nil {
		return r, fmt.Errorf("middleware: writing the journal: %w", err)
	}
	r.Content = b.Bytes()
	return r, nil
}

// errJournal is returned for an entry that cannot be decoded. It has no content.
var errJournal = errors.New("middleware: an entry of the journal is damaged")

func decodeCall(info *driver.ResultInfo) (JournalCall, error) {
	var meta entryMeta
	if json.Unmarshal(info.Meta, &meta) != nil {
		return JournalCall{}, errJournal
	}
	c := meta.JournalCall
	c.ID, c.size = info.ID, info.Size
	for _, d := range meta.Kept {
		c.Decisions = append(c.Decisions, Decision{
			Time: c.Time, CallID: c.CallID, Tool: c.Tool, Kind: d.Kind, Type: d.Type, ID: d.ID,
			Path: d.Path, Reason: d.Reason, ByType: d.ByType, ByID: d.ByID,
		})
	}
	return c, nil
}

// maxEntryBytes bounds a decompressed entry: more than any that is written, also if all bytes of
// its three texts are escaped.
const maxEntryBytes = 2*memory.MaxStateBytes + 3*6*MaxJournalText

// decodeEntry decodes the content of an entry.
func (s *Sessions) decodeEntry(call *JournalCall, content []byte) (*JournalEntry, error) {
	var read entryContent
	in := io.LimitReader(flate.NewReader(bytes.NewReader(content)), maxEntryBytes)
	if json.NewDecoder(in).Decode(&read) != nil {
		return nil, errJournal
	}
	return &JournalEntry{JournalCall: *call, Arguments: read.Arguments, Result: read.Result, Err: read.Err, sessions: s, state: read}, nil
}
