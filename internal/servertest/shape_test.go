package servertest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// kind reports whether a value has the type that clients require.
type kind func(v any) bool

// shape has the members of an object and their kinds.
type shape map[string]kind

var instant = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$`)

func isText(v any) bool { _, ok := v.(string); return ok }
func isBool(v any) bool { _, ok := v.(bool); return ok }
func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// isData requires an object without null members.
func isData(v any) bool {
	members, ok := v.(map[string]any)
	for _, member := range members {
		ok = ok && member != nil
	}
	return ok
}

func isInt(v any) bool {
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	return !strings.ContainsAny(n.String(), ".eE")
}

func isNumber(v any) bool { _, ok := v.(json.Number); return ok }

// isTime requires UTC as Z and at most microseconds, because some clients cannot read others.
func isTime(v any) bool {
	text, ok := v.(string)
	if !ok || !instant.MatchString(text) {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, text)
	return err == nil
}

func orNull(k kind) kind { return func(v any) bool { return v == nil || k(v) } }

// absent is the value of a missing member.
type absent struct{}

// missingOr lets a member be missing.
func missingOr(k kind) kind {
	return func(v any) bool { return v == absent{} || k(v) }
}

func oneOf(values ...string) kind {
	return func(v any) bool {
		text, ok := v.(string)
		return ok && slices.Contains(values, text)
	}
}

func listOf(k kind) kind {
	return func(v any) bool {
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(v any) bool { return !k(v) })
	}
}

func isTag(v any) bool { return isText(v) && !strings.Contains(v.(string), ",") }

var (
	messageShape = shape{
		"role": isText, "content": isText, "id": isText, "created_at": isTime, "persisted_at": orNull(isTime),
		"discrete_memory_extracted": oneOf("t", "f"),
	}
	recordShape = shape{
		"id": isText, "text": isText, "session_id": orNull(isText), "user_id": orNull(isText), "namespace": orNull(isText),
		"last_accessed": isTime, "created_at": isTime, "updated_at": isTime, "pinned": isBool, "access_count": isInt,
		"topics": listOf(isTag), "entities": listOf(isTag), "extracted_from": listOf(isTag), "memory_hash": orNull(isText),
		"discrete_memory_extracted": oneOf("t", "f"), "memory_type": oneOf("episodic", "semantic", "message"),
		"persisted_at": orNull(isTime), "event_date": orNull(isTime), "extraction_strategy": missingOr(isText),
	}
	sessionShape = shape{
		"session_id": isText, "namespace": orNull(isText), "user_id": orNull(isText), "context": orNull(isText),
		"messages": listOf(isObject), "memories": listOf(isObject), "data": isData, "tokens": isInt, "ttl_seconds": orNull(isInt),
		"long_term_memory_strategy": isObject, "last_accessed": isTime, "created_at": isTime, "updated_at": isTime,
		"context_percentage_total_used": orNull(isNumber), "context_percentage_until_summarization": orNull(isNumber),
		"version": isInt,
	}
	strategyShape = shape{"strategy": oneOf("discrete", "summary", "preferences", "custom", "entities"), "config": isObject}
	resultsShape  = shape{"memories": listOf(isObject), "total": isInt, "next_offset": orNull(isInt)}
	forgetShape   = shape{"scanned": isInt, "deleted": isInt, "deleted_ids": listOf(isText), "dry_run": isBool}
	listShape     = shape{"sessions": listOf(isText), "total": isInt}
	statusShape   = shape{"status": isText}
	faultShape    = shape{"type": isText, "loc": listOf(isObjectless), "msg": isText}
)

// foundShape has the further members of a search result.
var foundShape = shape{"dist": isNumber, "score": orNull(isNumber), "score_type": orNull(oneOf("semantic", "keyword", "hybrid"))}

func isObjectless(v any) bool { return isText(v) || isInt(v) }

// hold checks that a value has a shape.
func (s shape) hold(t testing.TB, v any, where string) {
	t.Helper()
	object, ok := v.(map[string]any)
	if !assert.True(t, ok, "%s is no object: %v", where, v) {
		return
	}
	for name, k := range s {
		member, ok := object[name]
		if !ok {
			member = absent{}
		}
		assert.True(t, k(member), "%s.%s cannot be %#v", where, name, member)
	}
}

// checkShape checks an answer as the models of the official clients do, but also requires the
// members that these treat as optional.
func checkShape(a *answer) {
	a.t.Helper()
	path, _, _ := strings.Cut(a.path, "?")
	path = strings.TrimSuffix(path, "/")
	switch {
	case a.status >= 400:
		checkError(a)
	case strings.HasPrefix(path, "/v1/working-memory/"):
		checkSession(a, strings.Split(strings.TrimPrefix(path, "/v1/working-memory/"), "/"))
	case path == "/v1/working-memory":
		listShape.hold(a.t, a.json, a.path)
	case path == "/v1/long-term-memory/search":
		resultsShape.hold(a.t, a.json, a.path)
		for i := range a.list("memories") {
			recordShape.hold(a.t, a.at("memories", i), "memories")
			foundShape.hold(a.t, a.at("memories", i), "memories")
		}
	case path == "/v1/long-term-memory/forget":
		forgetShape.hold(a.t, a.json, a.path)
	case path == "/v1/long-term-memory" || path == "/v1/long-term-memory/compact":
		statusShape.hold(a.t, a.json, a.path)
	case strings.HasPrefix(path, "/v1/long-term-memory/"):
		recordShape.hold(a.t, a.json, a.path)
	case path == "/v1/memory/prompt":
		checkPrompt(a)
	}
}

func checkError(a *answer) {
	a.t.Helper()
	if a.method == http.MethodHead {
		return
	}
	object, _ := a.json.(map[string]any)
	faults, listed := object["detail"].([]any)
	if a.status != http.StatusUnprocessableEntity || !listed {
		assert.True(a.t, isText(object["detail"]) && object["detail"] != "", "an error says why: %d %s %s: %.500s", a.status, a.method, a.path, a.raw)
		return
	}
	assert.NotEmpty(a.t, faults)
	for _, fault := range faults {
		faultShape.hold(a.t, fault, "detail")
		assert.Contains(a.t, fault, "input")
	}
}

// checkSession checks the answers of the routes of a session.
func checkSession(a *answer, path []string) {
	a.t.Helper()
	if len(path) > 1 && path[1] != "messages" || a.header.Get("Preference-Applied") != "" {
		return // not of the clients
	}
	if a.method == http.MethodDelete {
		statusShape.hold(a.t, a.json, a.path)
		return
	}
	sessionShape.hold(a.t, a.json, a.path)
	strategyShape.hold(a.t, a.at("long_term_memory_strategy"), "long_term_memory_strategy")
	// A client overwrites a session with one of these members with an empty one.
	assert.NotContains(a.t, a.json, "unsaved")
	assert.NotContains(a.t, a.json, "new_session")
	for i := range a.list("messages") {
		messageShape.hold(a.t, a.at("messages", i), "messages")
	}
	for i := range a.list("memories") {
		recordShape.hold(a.t, a.at("memories", i), "memories")
	}
	assert.NotEmpty(a.t, a.header.Get("ETag"), "%s %s has an ETag", a.method, a.path)
}

func checkPrompt(a *answer) {
	a.t.Helper()
	for i := range a.list("messages") {
		shape{"role": oneOf("system", "user", "assistant"), "content": isObject}.hold(a.t, a.at("messages", i), "messages")
		shape{"type": oneOf("text"), "text": isText}.hold(a.t, a.at("messages", i, "content"), "content")
	}
	for i := range a.list("long_term_memories") {
		recordShape.hold(a.t, a.at("long_term_memories", i), "long_term_memories")
		foundShape.hold(a.t, a.at("long_term_memories", i), "long_term_memories")
	}
}
