package document_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// tree is a visitor that checks the protocol of events and builds the value that
// encoding/json would: maps, slices, strings, json.Number, bool and nil.
type tree struct {
	// decide is the answer for the nth value; nil takes all.
	decide func(n int) document.Decision
	limit  int // most containers open at once; 0 means the default

	n        int // values asked about
	stack    []*node
	expect   bool // a value may come: the answer was Take, or nothing came yet
	root     any
	rooted   bool
	broken   []string
	sequence strings.Builder
}

type node struct {
	object  bool
	name    string
	members map[string]any
	items   []any
	stopped bool
}

func (t *tree) fail(format string, args ...any) {
	if len(t.broken) < 10 {
		t.broken = append(t.broken, fmt.Sprintf(format, args...))
	}
}

func (t *tree) top() *node {
	if len(t.stack) == 0 {
		return nil
	}
	return t.stack[len(t.stack)-1]
}

func (t *tree) begin(what string) {
	fmt.Fprintf(&t.sequence, "%s ", what)
	if t.top() == nil {
		if t.rooted {
			t.fail("%s: a second outermost value", what)
		}
		t.rooted = true
		return
	}
	if !t.expect {
		t.fail("%s: not asked for", what)
	}
	t.expect = false
}

func (t *tree) open(n *node) {
	t.stack = append(t.stack, n)
	limit := t.limit
	if limit == 0 {
		limit = 64
	}
	if len(t.stack) > limit {
		t.fail("depth %d over the limit", len(t.stack))
	}
}

func (t *tree) Object() {
	t.begin("{")
	t.open(&node{object: true, members: map[string]any{}})
}

func (t *tree) Array() {
	t.begin("[")
	t.open(&node{items: []any{}})
}

func (t *tree) ask(what string, object bool) document.Decision {
	fmt.Fprintf(&t.sequence, "%s ", what)
	switch top := t.top(); {
	case top == nil:
		t.fail("%s: no container open", what)
		return document.Stop
	case top.object != object:
		t.fail("%s: in the wrong container", what)
	case top.stopped:
		t.fail("%s: after Stop", what)
	}
	t.n++
	decision := document.Take
	if t.decide != nil {
		decision = t.decide(t.n - 1)
	}
	t.expect = decision == document.Take
	t.top().stopped = decision == document.Stop
	return decision
}

func (t *tree) Key(name []byte) document.Decision {
	if top := t.top(); top != nil {
		top.name = string(name)
	}
	return t.ask(fmt.Sprintf("%q:", name), true)
}

func (t *tree) Item() document.Decision { return t.ask("-", false) }

func (t *tree) End() {
	fmt.Fprint(&t.sequence, "end ")
	top := t.top()
	if top == nil {
		t.fail("End: no container open")
		return
	}
	t.stack = t.stack[:len(t.stack)-1]
	t.expect = false
	if top.object {
		t.put(top.members)
	} else {
		t.put(top.items)
	}
}

func (t *tree) Scalar(kind document.Kind, text []byte) {
	t.begin(string(text))
	switch kind {
	case document.Null:
		t.put(nil)
	case document.Bool:
		if s := string(text); s != "true" && s != "false" {
			t.fail("bool %q", s)
		}
		t.put(string(text) == "true")
	case document.Number:
		t.put(json.Number(text))
	case document.String:
		if strings.ToValidUTF8(string(text), "") != string(text) {
			t.fail("invalid UTF-8 delivered")
		}
		t.put(string(text))
	}
}

func (t *tree) put(v any) {
	switch top := t.top(); {
	case top == nil:
		t.root = v
	case top.object:
		top.members[top.name] = v
	default:
		top.items = append(top.items, v)
	}
}

// problems returns the violations of the protocol after the last event.
func (t *tree) problems() []string {
	if len(t.stack) > 0 {
		t.fail("%d containers left open", len(t.stack))
	}
	return t.broken
}

// num is short for a number in an expected tree.
func num(s string) json.Number { return json.Number(s) }

type (
	object = map[string]any
	array  = []any
)
