package evaluation

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// Settings configure working memory. The zero value means the documented constants:
// 10 entities, 3 per type (seed 004).
type Settings struct {
	// Budget is the largest size of a block in tokens. It replaces Capacity and
	// PerType. 0 or less means no budget.
	Budget int
	// Capacity is the number of entities kept. 0 or less means
	// memory.DefaultCapacity.
	Capacity int
	// PerType is the number of entities of a type shown. 0 or less means
	// prompt.DefaultPerType.
	PerType int
	// Counter counts the tokens of the budget. If nil, prompt.Estimator is used.
	Counter prompt.TokenCounter
	// Tools are the schemas of the agent's tools; nil if unknown.
	Tools *prompt.Toolset
	// Handles gives long ids short handles; nil means none.
	Handles *handle.Options
	// Offload is the number of tokens, as package middleware estimates them, from which a
	// result is stored and described. 0 or less means never.
	Offload int
	// Rules are those of the extractor, before its own, and WithoutRecipes turns its own off.
	Rules          []extractor.Rule
	WithoutRecipes bool
}

func (s *Settings) String() string {
	text := fmt.Sprintf("%d entities, %d a type", s.capacity(), s.perType())
	if s.Budget > 0 {
		text = fmt.Sprintf("%d tokens", s.Budget)
	}
	switch {
	case s.Handles != nil && s.Handles.Readable:
		text += ", readable handles"
	case s.Handles != nil:
		text += ", handles"
	}
	if s.Offload > 0 {
		text += fmt.Sprintf(", results of %d tokens stored", s.Offload)
	}
	return text
}

// short returns the name of the settings in plots.
func (s *Settings) short() string {
	if s.Budget > 0 {
		return strconv.Itoa(s.Budget)
	}
	return fmt.Sprintf("%d/%d", s.capacity(), s.perType())
}

func (s *Settings) capacity() int {
	if s.Budget <= 0 && s.Capacity > 0 {
		return s.Capacity
	}
	return middleware.CapacityFor(s.block())
}

func (s *Settings) perType() int {
	if s.PerType > 0 {
		return s.PerType
	}
	return prompt.DefaultPerType
}

// Limits returns those of the extractor.
func (s *Settings) Limits() extractor.Limits { return middleware.LimitsFor(s.block()) }

// extractor returns one with the rules of the settings, which have been read without an error.
func (s *Settings) extractor() *extractor.EntityExtractor {
	x, err := extractor.New(&extractor.Options{Limits: s.Limits(), Rules: s.Rules, WithoutRecipes: s.WithoutRecipes})
	if err != nil {
		return extractor.Default(s.Limits())
	}
	return x
}

func (s *Settings) block() prompt.Options {
	return prompt.Options{Budget: s.Budget, PerType: s.perType(), Counter: s.Counter, Tools: s.Tools}
}

// WorkingMemory returns the method under test: a middleware.Recorder for each
// conversation.
func WorkingMemory(s Settings) Method {
	shared := s.extractor()
	return Method{
		Name: "working memory, " + s.String(), Family: FamilyWorking,
		Setting: s.short(), Budget: max(s.Budget, 0), Handles: s.Handles != nil, Offload: max(s.Offload, 0),
		New: func() Memory { return newWorking(s, shared, nil) },
	}
}

// working is a recorder that remembers the fate of each entity.
type working struct {
	settings Settings
	options  middleware.Options // of the recorder
	recorder *middleware.Recorder
	answer   prompt.Message // the last of the assistant
	asking   bool
	step     int
	now      time.Time
	fates    map[string]fate   // by id
	named    map[string]string // handles of the ids in results, by id
	shown    shownCall
}

var _ viewer = (*working)(nil)

// fate is the last event of an identifier.
type fate struct {
	kind MissKind // empty while it is in the context
	text string
}

// newWorking returns a recorder that logs its decisions to log unless it is nil.
func newWorking(s Settings, shared extractor.Extractor, log *middleware.DecisionLog) *working {
	w := &working{settings: s, fates: map[string]fate{}, named: map[string]string{}, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	wc := memory.NewWorkingContext(&memory.ContextOptions{
		Capacity: s.capacity(),
		Now:      func() time.Time { return w.now },
		OnEvict:  w.evicted,
	})
	w.options = middleware.Options{Context: wc, Extractor: shared, Block: s.block(), OnCall: w.called, Decisions: log}
	if s.Handles != nil {
		w.options.Handles = handle.NewTable(s.Handles)
	}
	if s.Offload > 0 {
		w.options.Results = middleware.NewResults(&middleware.ResultsOptions{Threshold: s.Offload})
	}
	w.recorder, _ = middleware.NewRecorder(&w.options) // cannot fail: wc is large enough for the budget
	return w
}

// Block implements Memory.
func (w *working) Block() string { return w.recorder.Block() }

// updateFocus implements listener.
func (w *working) updateFocus(step *Step) {
	w.now = w.now.Add(time.Second)
	said := prompt.Message{Role: step.Kind, Content: step.Text}
	if step.Kind == KindAssistant {
		said.Content = w.written(step.Text)
		w.answer = said
	}
	w.recorder.UpdateFocus(said)
}

// asked implements asker, with a recorder of its own on a branch of the context.
func (w *working) asked(ctx context.Context, message string) string {
	opts := w.options
	opts.Context, opts.OnCall, opts.Decisions = w.recorder.Context().Branch(), nil, nil
	w.asking = true
	defer func() { w.asking = false }()
	r, _ := middleware.NewRecorder(&opts) // as in newWorking
	return r.Prepare(ctx, w.answer, prompt.Message{Role: KindUser, Content: message})
}

// Record implements Memory. The model writes the arguments with handles. If they are refused, the
// recorded call counts as one that was made without a wrapper.
func (w *working) Record(ctx context.Context, step int, call *Step) error {
	w.step = step
	w.now = w.now.Add(time.Second)
	made := middleware.ToolCall{Name: call.Tool, Arguments: []byte(w.written(string(call.Args))), Start: w.now}
	_, running := w.recorder.Begin(ctx, made)
	decoded, err := running.Arguments()
	w.shown = shownCall{arguments: string(made.Arguments.([]byte)), refused: err != nil}
	if result := call.resultValue(); err != nil {
		made.Arguments, made.Result = []byte(call.Args), result
		err = w.recorder.Record(ctx, made)
		w.shown.result = textOf(w.recorder.EncodeResult(result))
	} else {
		w.shown.altered = !isSameJSON(textOf(decoded), string(call.Args))
		err = running.Finish(result, nil)
		w.shown.result = textOf(running.Shown(result))
		_, w.shown.stored = running.Stub()
	}
	for _, e := range w.entities() {
		w.fates[e.ID] = fate{}
		for _, alias := range e.Aliases {
			w.fates[alias] = fate{}
		}
	}
	return err
}

func (w *working) evicted(ev memory.Eviction) {
	if w.asking {
		return // of a branch
	}
	f := fate{MissEvicted, fmt.Sprintf("evicted by %s %s at step %d", ev.By.Type, ev.By.ID, w.step)}
	w.fates[ev.Entity.ID] = f
	for _, alias := range ev.Entity.Aliases {
		w.fates[alias] = f
	}
}

// textOf returns a text that is a string or bytes.
func textOf(value any) string {
	if data, ok := value.([]byte); ok {
		return string(data)
	}
	return value.(string)
}

// isSameJSON reports whether two JSON texts have the same value.
func isSameJSON(a, b string) bool {
	var values [2]any
	for i, text := range [...]string{a, b} {
		if a != b && json.Unmarshal([]byte(text), &values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// handles implements viewer.
func (w *working) handles() *handle.Table { return w.recorder.Handles() }

// written implements viewer.
func (w *working) written(text string) string { return w.recorder.Handles().Encode(text) }

// last implements viewer.
func (w *working) last() shownCall { return w.shown }

// issued implements viewer.
func (w *working) issued() map[string]string { return w.named }

func (w *working) called(_ context.Context, _ middleware.ToolCall, found extractor.Extraction, _ error) {
	for i := range found.Entities {
		e := &found.Entities[i]
		for _, id := range append([]string{e.ID}, e.Aliases...) {
			if name := w.handles().Handle(id); name != id {
				w.named[id] = name
			}
		}
	}
	for _, ref := range found.Removed {
		w.fates[ref.ID] = fate{MissRemoved, fmt.Sprintf("removed by a delete at step %d", w.step)}
	}
}

// absence implements explainer.
func (w *working) absence(ref *Reference) (MissKind, string) {
	if reason := w.position(ref.Value); reason != "" {
		return MissNoRoom, reason
	}
	switch f, ok := w.fates[ref.Value]; {
	case !ok:
		return MissNeverExtracted, "never extracted; first in a result as " + ref.origin
	case f.kind == "":
		return MissEvicted, "no longer in memory"
	default:
		return f.kind, f.text
	}
}

// find returns the index of the first entity with an id, or -1.
func find(entities []memory.Entity, id string) int {
	return slices.IndexFunc(entities, func(e memory.Entity) bool { return e.ID == id || slices.Contains(e.Aliases, id) })
}

// isCandidate reports whether an id is that of a candidate and of no record.
func (w *working) isCandidate(id string) bool {
	return find(w.entities(), id) >= w.recorder.Context().Len()
}

// position returns the position of an id in the context, or "" if it is not there.
func (w *working) position(id string) string {
	entities := w.entities()
	i := find(entities, id)
	if i < 0 {
		return ""
	}
	tier, first, of := "record", 0, w.recorder.Context().Len()
	if i >= of {
		tier, first, of = "candidate", of, len(entities)-of
	}
	text := fmt.Sprintf("%s %d of %d", tier, i-first+1, of)
	if entities[i].ID != id {
		text += ", as an alias of " + entities[i].ID
	}
	return text
}

// entities returns the records in memory, newest first, and then the candidates.
func (w *working) entities() []memory.Entity {
	wc := w.recorder.Context()
	return wc.AppendCandidates(wc.Recent(wc.Len()), wc.CandidateCapacity())
}
