package evaluation

import (
	"context"
	"math"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// EventKind is what happened to an identifier: a middleware.DecisionKind, or
// one of those below.
type EventKind string

// What traces say of an identifier beyond what a middleware.DecisionLog says.
const (
	// EventWritten is an identifier that the user wrote.
	EventWritten EventKind = "written"
	// EventNeeded is one that a tool call needed; see Reference.
	EventNeeded EventKind = "needed"
	// EventOverlooked is one that a result held and no entity was made of.
	EventOverlooked EventKind = "overlooked"
)

// Event is something that happened to an identifier in an episode.
type Event struct {
	// Step is the index of the step among the episode's steps. What happened to
	// the block did so just before it.
	Step int `json:"step"`
	// Tool is the name of the tool that the step called; empty where no call did it.
	Tool string `json:"tool,omitempty"`
	// Type is the type of the entity; empty where there was none.
	Type string    `json:"type,omitempty"`
	Kind EventKind `json:"kind"`
	// What says it in full.
	What string `json:"what"`
}

// InBlock reports whether the event happened to the block.
func (e *Event) InBlock() bool {
	return e.Kind == EventKind(middleware.DecisionShown) || e.Kind == EventKind(middleware.DecisionHidden)
}

// Why replays an episode and tells what happened to an identifier. It is empty
// for one that the episode knows nothing of.
func Why(ctx context.Context, ep *Episode, s Settings, id string) ([]Event, error) {
	w := newWitness(s, id)
	for i := range ep.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.step(ctx, i, &ep.Steps[i])
	}
	return w.events, nil
}

// witness lives through an episode and writes down what happens to an identifier.
type witness struct {
	id      string
	log     *middleware.DecisionLog
	memory  *working
	tracker *tracker
	told    int // how many decisions are among the events
	events  []Event
}

func newWitness(s Settings, id string) *witness {
	log := middleware.NewDecisionLog(&middleware.DecisionLogOptions{Capacity: math.MaxInt})
	memory := newWorking(s, extractor.Default(middleware.LimitsFor(s.block())), log)
	return &witness{id: id, log: log, memory: memory, tracker: newTracker()}
}

func (w *witness) step(ctx context.Context, index int, step *Step) {
	observeStep(w.memory, step)
	switch step.Kind {
	case KindUser:
		if mentions(step.Text, w.id) {
			w.add(Event{Step: index, Kind: EventWritten, What: "written by the user"})
		}
	case KindTool:
		block := w.memory.Block()
		w.explainMiss(index, "")
		w.needed(index, step, viewBlock(block))
		_ = w.memory.Record(ctx, index, step) // a memory that missed something is asked what it has
		if !w.explainMiss(index, step.Tool) && holds(step, w.id) {
			w.add(Event{Step: index, Tool: step.Tool, Kind: EventOverlooked, What: "in the result, but not taken as an entity"})
		}
	}
	w.tracker.learn(step)
}

func (w *witness) add(e Event) { w.events = append(w.events, e) }

// explainMiss writes down what the log says since it was read last. It reports whether
// a result brought the identifier.
func (w *witness) explainMiss(index int, tool string) (brought bool) {
	decisions := w.log.Why(w.id)
	for _, d := range decisions[w.told:] {
		switch d.Kind {
		case middleware.DecisionSeen, middleware.DecisionRepeated, middleware.DecisionRefused, middleware.DecisionMerged, middleware.DecisionRemoved:
			brought = true
		}
		w.add(Event{Step: index, Tool: tool, Type: d.Type, Kind: EventKind(d.Kind), What: d.What()})
	}
	w.told = len(decisions)
	return brought
}

// needed writes down that a call needed the identifier, and what the block
// showed of it.
func (w *witness) needed(index int, step *Step, view blockView) {
	for _, ref := range w.tracker.needed(step) {
		if ref.Value != w.id {
			continue
		}
		shown := "the block shows it"
		switch out := view.outcomeOf(&ref); {
		case !out.found:
			shown = "the block does not show it"
		case !out.typed:
			shown += ", but " + view.labelReason(&ref)
		case ref.Known() && !out.described:
			shown += ", but " + view.descriptionReason(&ref)
		case out.several && !out.distinct:
			shown += ", but " + view.distinctReason(&ref)
		}
		what := "needed"
		if ref.Key != "" {
			what += " as " + ref.Key
		}
		w.add(Event{Step: index, Tool: step.Tool, Kind: EventNeeded, What: what + ": " + shown})
	}
}

// holds reports whether a tool step's result holds an identifier.
func holds(step *Step, id string) bool {
	t := newTracker()
	t.learn(step)
	_, ok := t.seen[id]
	return ok
}
