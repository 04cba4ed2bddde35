package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// call is a request to a route.
type call struct {
	handler *Handler
	route   *route
	answer  *answer
	request *http.Request
	tenant  service.Tenant
	query   *wire.Query
	loan    *service.Loan
}

// param returns a parameter of the route. It panics if the table does not have it, since the
// parameter would not be documented.
func (c *call) param(name string, k kind) param {
	i := slices.IndexFunc(c.route.params, func(p param) bool { return p.name == name && p.kind == k })
	if i < 0 {
		panic("rest: route " + c.route.name + " has no parameter " + name)
	}
	return c.route.params[i]
}

func (c *call) text(name string) string { return c.query.String(c.param(name, kindText).name) }
func (c *call) optionalText(name string) *string {
	return c.query.OptString(c.param(name, kindText).name)
}
func (c *call) texts(name string) []string { return c.query.All(c.param(name, kindTexts).name) }

func (c *call) integer(name string) int64 {
	p := c.param(name, kindInteger)
	return c.query.Int(p.name, *p.def, p.min, p.max)
}

func (c *call) optionalInteger(name string) *int64 {
	p := c.param(name, kindInteger)
	return c.query.OptInt(p.name, p.min, p.max)
}

func (c *call) boolean(name string) bool {
	p := c.param(name, kindBoolean)
	return c.query.Bool(p.name, *p.def == 1)
}

// id returns an id of the path.
func (c *call) id(name string) (string, error) {
	id := c.request.PathValue(name)
	if !utf8.ValidString(id) {
		return "", invalid(wire.Field("string_unicode", "Id is not valid UTF-8", nil, "path", name))
	}
	return id, nil
}

// ref returns the session named by the path and the query.
func (c *call) ref() (service.Ref, error) {
	id, err := c.id("sid")
	if err != nil {
		return service.Ref{}, err
	}
	return service.Ref{SessionID: id, Namespace: c.optionalText("namespace"), UserID: c.optionalText("user_id")}, c.query.Err()
}

// write returns the view of a write from the path, the query and the header.
func (c *call) write() (service.WriteView, error) {
	v := service.WriteView{
		Model: c.text("model_name"), TTLSeconds: c.optionalInteger("ttl_seconds"),
		// If-Match uses the strong comparison of ETags, If-None-Match the weak one (RFC 9110).
		If: translate.Versions(c.request.Header.Values("If-Match"), false), IfNot: translate.Versions(c.request.Header.Values("If-None-Match"), true),
		Minimal: prefersMinimal(c.request.Header),
	}
	if window := c.optionalInteger("context_window_max"); window != nil {
		v.Window = *window
	}
	var err error
	v.Ref, err = c.ref()
	return v, err
}

// prefersMinimal reports whether the client prefers a minimal answer (RFC 7240).
func prefersMinimal(h http.Header) bool {
	for _, line := range h.Values("Prefer") {
		for preference := range strings.SplitSeq(line, ",") {
			preference, _, _ = strings.Cut(preference, ";")
			name, value, _ := strings.Cut(preference, "=")
			if strings.EqualFold(strings.TrimSpace(name), "return") {
				return strings.Trim(strings.TrimSpace(value), `"`) == "minimal" // the first one counts
			}
		}
	}
	return false
}

// decode reads and decodes the body. The service checks its values.
func (c *call) decode(body any) error {
	data, err := c.read()
	if err != nil {
		return err
	}
	return c.handler.decoder.Decode(data, body, func(bytes int64) error { return c.reserve(decodedPart, bytes) })
}

// json answers with a value as JSON.
func (c *call) json(v any) error {
	body, err := wire.EncodePieces(v)
	if err != nil {
		return err
	}
	return c.deliver(mediaJSON, body)
}

// plain answers with a text unless there is an error.
func (c *call) plain(text string, err error) error {
	if err != nil {
		return err
	}
	return c.deliver(mediaText, wire.Pieces{[]byte(text)})
}

// session answers with a session, whose version is the ETag.
func (c *call) session(s *service.Session, minimal bool) error {
	c.answer.Header().Set("ETag", `"`+strconv.FormatUint(s.Version(), 10)+`"`)
	return c.json(translate.Session(s, minimal))
}

// written answers with a session after a write of messages.
func (c *call) written(s *service.Session, v service.WriteView, messages []wire.Message) error {
	if slices.ContainsFunc(messages, func(m wire.Message) bool { return m.CreatedAt == nil }) {
		c.answer.Header().Set("X-Deprecation-Warning", "messages[].created_at will become required in the next major version. Please provide timestamps for all messages.")
	}
	if v.Minimal {
		c.answer.Header().Set("Preference-Applied", "return=minimal")
	}
	return c.session(s, v.Minimal)
}
