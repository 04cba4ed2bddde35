package servertest

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// instant has at most microseconds and ends in Z, because some clients cannot read others.
var instant = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$`)

// checkShape checks what the models of the official clients require of an answer beyond its
// documented types, which package rest tests.
func checkShape(a *answer) {
	a.t.Helper()
	path, _, _ := strings.Cut(a.path, "?")
	switch {
	case a.method == http.MethodHead:
	case a.status >= 400:
		object, _ := a.json.(map[string]any)
		assert.NotEmpty(a.t, object["detail"], "an error says why: %d %s %s: %.500s", a.status, a.method, a.path, a.raw)
	default:
		checkValues(a.t, "", a.json)
		if a.method != http.MethodDelete && strings.Count(strings.TrimSuffix(path, "/"), "/") == 3 && strings.HasPrefix(path, "/v1/working-memory/") {
			assert.NotEmpty(a.t, a.header.Get("ETag"), "%s %s has an ETag", a.method, a.path)
			// A client overwrites a session with one of these members with an empty one.
			assert.NotContains(a.t, a.json, "unsaved")
			assert.NotContains(a.t, a.json, "new_session")
		}
	}
}

// checkValues checks the value of a member and all values in it.
func checkValues(t testing.TB, name string, v any) {
	t.Helper()
	switch v := v.(type) {
	case string:
		if strings.HasSuffix(name, "_at") || name == "event_date" || name == "last_accessed" {
			assert.Regexp(t, instant, v, name)
		}
	case []any:
		for _, item := range v {
			text, isText := item.(string)
			assert.False(t, isText && slices.Contains([]string{"topics", "entities", "extracted_from"}, name) && strings.Contains(text, ","), "%s: %q", name, text)
			checkValues(t, name, item)
		}
	case map[string]any:
		for member, value := range v {
			assert.False(t, name == "data" && value == nil, "data.%s is null", member)
			if name != "data" {
				checkValues(t, member, value)
			}
		}
	}
}
