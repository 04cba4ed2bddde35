package llmhttp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// span is a part of a body: body[start:end]. The zero value is none.
type span struct{ start, end int }

func (s span) of(body []byte) []byte { return body[s.start:s.end] }

// request is what is known of the body of a request.
type request struct {
	recorder *middleware.Recorder
	api      api
	seed     maphash.Seed
	// identified messages have a digest as their content in the outline.
	identified bool
	prefix     prefix  // what is known from an earlier request
	system     span    // value of the field with the system prompt
	cached     span    // value of Gemini's field with a cached prompt
	list       span    // value of the field with the messages
	shown      splices // which show passages of the first messages
	rewritten  int     // the number of these messages
	transcript
}

// transcript is the content of the messages. The outline has one entry for the system prompt,
// if the API has a field for it, and one for each message.
type transcript struct {
	messages []span
	outline  []prompt.Message
	dialog
	// stable is the dialog without the messages that the next request may change.
	stable dialog
}

// dialog is what was said and called in the first messages.
type dialog struct {
	length               int // number of messages
	history              *middleware.History
	user, assistant      string // what they said last
	hasSystem, developer bool   // there is a system message, the first with the role "developer"
}

// errFormat is returned for a body that is no request of the API.
var errFormat = errors.New("not a request of this API")

// lenient are the options for bodies that are not ours.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// resumed is JSON that puts a decoder where it is after a message.
const resumed = `{"":[0`

// read reads a body, from where the known prefix ends.
func (r *request) read(body []byte) error {
	dec, shift := newDecoder(body), 0
	if r.prefix.end > 0 {
		dec.Reset(io.MultiReader(strings.NewReader(resumed), bytes.NewReader(body[r.prefix.end:])), lenient)
		shift = r.prefix.end - len(resumed)
	}
	if err := r.readFields(dec, shift, body); err != nil {
		return err
	}
	if r.list == (span{}) {
		return errFormat
	}
	r.addMessages(body)
	if _, ok := r.api.(systemAPI); ok {
		r.outline[0] = prompt.Message{Role: "system", Content: strings.Join(textsOf(r.system.of(body)), "\n")}
	}
	return nil
}

// readFields reads the fields of a body.
func (r *request) readFields(dec *jsontext.Decoder, shift int, body []byte) error {
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return errors.Join(errFormat, err)
	}
	system := ""
	if api, ok := r.api.(systemAPI); ok {
		system = api.systemField()
	}
	known := r.prefix.end > 0
	for dec.PeekKind() != '}' {
		t, err := dec.ReadToken()
		if err != nil {
			return err
		}
		name := t.String()
		switch {
		case known:
			known = false
			err = r.readList(dec, shift, body, true)
		case name == r.api.listField():
			if r.list != (span{}) {
				return errFormat // which of them counts is the server's decision
			}
			err = r.readList(dec, shift, body, false)
		case system != "" && (name == system || name == alias(system)):
			if r.system != (span{}) {
				return errFormat
			}
			r.system, err = skip(dec, shift)
		case name == "cachedContent" || name == "cached_content":
			r.cached, err = skip(dec, shift)
		default:
			err = dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return errors.Join(errFormat, err)
	}
	return nil
}

// alias returns the name of a field of Gemini in the other spelling that it accepts.
func alias(field string) string {
	if field == "systemInstruction" {
		return "system_instruction"
	}
	return field
}

// skip returns the span of the next value.
func skip(dec *jsontext.Decoder, shift int) (span, error) {
	value, err := dec.ReadValue()
	if err != nil {
		return span{}, err
	}
	end := int(dec.InputOffset()) + shift
	return span{end - len(value), end}, nil
}

// readList reads the messages, or what follows the known ones.
func (r *request) readList(dec *jsontext.Decoder, shift int, body []byte, known bool) error {
	if dec.PeekKind() != '[' {
		list, err := skip(dec, shift)
		r.list = list
		if text, ok := r.api.(textAPI); err == nil && (!ok || !text.readText(&r.transcript, list.of(body))) {
			err = errFormat
		}
		return err
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	if known {
		if err := dec.SkipValue(); err != nil { // the value in resumed
			return err
		}
	} else {
		r.list.start = int(dec.InputOffset()) - 1 + shift
	}
	for dec.PeekKind() != ']' {
		message, err := skip(dec, shift)
		if err != nil {
			return err
		}
		r.messages = append(r.messages, message)
	}
	_, err := dec.ReadToken()
	r.list.end = int(dec.InputOffset()) + shift
	return err
}

// unstable is the number of messages at the end of a request that the next one may change:
// markers for a provider's cache move.
const unstable = 4

// addMessages adds the messages that are not known yet to the transcript. Those that are not
// understood have no role.
func (r *request) addMessages(body []byte) {
	last := max(len(r.messages)-unstable, r.length)
	for ; r.length < len(r.messages); r.length++ {
		if r.length == last {
			r.stable = r.dialog.clone()
		}
		raw := r.messages[r.length].of(body)
		m := r.api.readMessage(&r.transcript, raw)
		if r.identified && m.Role != "system" {
			m.Content = string(binary.BigEndian.AppendUint64(nil, maphash.Bytes(r.seed, withoutMarkers(raw))))
		}
		r.outline = append(r.outline, m)
	}
	if last == len(r.messages) {
		r.stable = r.dialog.clone()
	}
}

func (d dialog) clone() dialog {
	d.history = d.history.Clone()
	return d
}
