package inspector

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Kinds of events beside those of a middleware.Decision.
const (
	eventWritten    = string(evaluation.EventWritten)
	eventNeeded     = string(evaluation.EventNeeded)
	eventOverlooked = string(evaluation.EventOverlooked)
)

// maxSearched is the number of results that are searched for an id without decisions, the newest.
const maxSearched = 100

// idOf implements run.
func (r *liveRun) idOf(handle string) string {
	if id, ok := r.Handles.ID(handle); ok {
		return id
	}
	return handle
}

// story implements run.
func (r *liveRun) story(ctx context.Context, id string, _ int) ([]event, error) {
	var events []event
	for n := range r.all {
		s := &r.all[n]
		if i := r.calls[n]; i >= 0 {
			for _, d := range r.Calls[i].Decisions {
				if d.ID == id {
					events = append(events, event{step: n, what: d.What(), typ: d.Type, kind: string(d.Kind)})
				}
			}
			continue
		}
		switch {
		case s.kind == "user" && mentions(s.text, id):
			events = append(events, event{step: n, what: "written by the user", kind: eventWritten})
		case slices.ContainsFunc(s.calls, func(call string) bool { return mentions(call, id) }):
			events = append(events, event{step: n, what: "needed by a call that the model requests", kind: eventNeeded})
		}
	}
	if slices.ContainsFunc(events, func(e event) bool { return e.kind != eventWritten && e.kind != eventNeeded }) {
		return events, nil
	}
	overlooked, err := r.overlooked(ctx, id)
	events = append(events, overlooked...)
	slices.SortStableFunc(events, func(a, b event) int { return a.step - b.step })
	return events, err
}

// overlooked looks for an id in results in which it did not become an entity.
func (r *liveRun) overlooked(ctx context.Context, id string) (events []event, err error) {
	searched := 0
	for n := len(r.all) - 1; n >= 0 && searched < maxSearched && len(events) < 5; n-- {
		s := &r.all[n]
		switch {
		case s.kind == "tool" && mentions(s.text, id):
			events = append(events, event{step: n, what: "in a result that is only a message, which is not read", kind: eventOverlooked})
		case r.calls[n] >= 0:
			searched++
			e, err := r.entry(ctx, r.calls[n])
			if err != nil {
				return events, err
			}
			if !mentions(e.Result.Text, id) {
				continue
			}
			found, err := r.texts(ctx, n)
			if err != nil {
				return events, err
			}
			events = append(events, event{step: n, what: overlookedIn(&found, id), kind: eventOverlooked})
		}
	}
	return events, nil
}

// overlookedIn returns how an id that is in a result was judged.
func overlookedIn(t *texts, id string) string {
	for _, j := range t.judgements {
		if j.Value == id {
			return fmt.Sprintf("in the result at %s, taken for %s: %s", j.Path, j.Is, j.Why)
		}
	}
	return "in the result, but not as a value that tools take"
}

// mentions reports whether a text contains an id that is not part of a longer word.
func mentions(text, id string) bool {
	for from := 0; id != "" && from <= len(text)-len(id); {
		i := strings.Index(text[from:], id)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(id)
		if isWhole(text, start, end) {
			return true
		}
		from = end
	}
	return false
}

// isWhole reports whether a part of a text is not part of a longer word.
func isWhole(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !isWord(before) && !isWord(after)
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// answer is the answer to why an id is, or is not, in the block after a step.
type answer struct {
	shown bool
	text  string
	step  int // that explains it, or -1
}

// explain answers why an id is, or is not, in a block.
func explain(id string, n int, b *block, events []event, lost bool) answer {
	if i := slices.IndexFunc(b.entities, func(j judged) bool { return j.is(id) }); i >= 0 {
		return explainEntity(&b.entities[i], id, b)
	}
	var past, later []event
	for _, e := range events {
		if e.step <= n {
			past = append(past, e)
		} else {
			later = append(later, e)
		}
	}
	for _, e := range slices.Backward(past) {
		if text, ok := leaving(e); ok {
			return answer{text: text, step: e.step}
		}
	}
	if i := slices.IndexFunc(later, func(e event) bool { return e.kind != eventWritten && e.kind != eventNeeded }); i >= 0 {
		return answer{text: "Not seen yet at this step: a later one brings it.", step: later[i].step}
	}
	text := "Never seen: no result that is known has it."
	if slices.ContainsFunc(past, func(e event) bool { return e.kind == eventWritten }) {
		text = "Never in a result that is known: only a message has it."
	}
	if lost {
		text += " Not all calls are known."
	}
	return answer{text: text, step: -1}
}

// is reports whether an entity has an id, an alias or a handle.
func (j *judged) is(id string) bool {
	return j.id == id || j.handle != "" && j.handle == id || slices.Contains(j.aliases, id)
}

func explainEntity(j *judged, id string, b *block) answer {
	what := j.typ + " " + j.id
	if j.candidate {
		what = "candidate " + what
	}
	if j.id != id {
		what += ", of which " + id + " is another name"
	}
	if j.verdict == prompt.VerdictShown {
		return answer{shown: true, text: fmt.Sprintf("Shown, as %s %q.", what, j.label), step: -1}
	}
	bound := b.limit
	if b.budget > 0 {
		bound = fmt.Sprintf("a budget of %d tokens", b.budget)
	}
	return answer{text: fmt.Sprintf("In memory as %s, but not shown: %s (the block has %s).", what, j.verdict, bound), step: -1}
}

// leaving returns the answer that an event is, if it explains why an id is not in memory.
func leaving(e event) (string, bool) {
	switch middleware.DecisionKind(e.kind) {
	case middleware.DecisionEvicted, middleware.DecisionRemoved, middleware.DecisionDropped, middleware.DecisionMerged:
		return "No longer in memory: " + e.what + ".", true
	case middleware.DecisionRefused:
		return "Refused by memory: " + strings.TrimPrefix(e.what, "refused: ") + ".", true
	case middleware.DecisionHidden:
		return "Not shown: " + strings.TrimPrefix(e.what, "hidden: ") + ".", true
	}
	if e.kind == eventOverlooked {
		return "Not taken as an entity: " + e.what + ".", true
	}
	return "", false
}
