package evaluation

import (
	"context"
	"math"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// EventKind is the kind of an Event: a middleware.DecisionKind, or one of the
// following.
type EventKind string

// Events that traces add to those of a middleware.DecisionLog.
const (
	// EventWritten is an identifier that the user wrote.
	EventWritten EventKind = "written"
	// EventNeeded is an identifier that a tool call needed; see Reference.
	EventNeeded EventKind = "needed"
	// EventOverlooked is an identifier in a result that was not extracted.
	EventOverlooked EventKind = "overlooked"
)

// Event is an event in the life of an identifier in an episode.
type Event struct {
	// Step is the index of the step in the episode. Events of the block happen just
	// before the step.
	Step int `json:"step"`
	// Tool is the name of the tool that the step called; empty for other events.
	Tool string `json:"tool,omitempty"`
	// Candidate is set if the entity is a candidate after the event.
	Candidate bool `json:"candidate,omitempty"`
	// Type is the type of the entity; empty without one.
	Type string    `json:"type,omitempty"`
	Kind EventKind `json:"kind"`
	// What is a full description.
	What string `json:"what"`
}

// InBlock reports whether the event concerns the block.
func (e *Event) InBlock() bool {
	return e.Kind == EventKind(middleware.DecisionShown) || e.Kind == EventKind(middleware.DecisionHidden)
}

// Why replays an episode and returns the events of an identifier. It returns none if
// the identifier does not occur.
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

// witness replays an episode and records the events of an identifier.
type witness struct {
	id       string
	log      *middleware.DecisionLog
	memory   *working
	tracker  *tracker
	recorded int // number of decisions that are events already
	events   []Event
}

func newWitness(s Settings, id string) *witness {
	log := middleware.NewDecisionLog(&middleware.DecisionLogOptions{Capacity: math.MaxInt})
	memory := newWorking(s, s.extractor(), log)
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
		w.recordDecisions(index, "")
		w.needed(index, step, viewBlock(block, handlesIn(w.memory, block)))
		_ = w.memory.Record(ctx, index, step) // an error is not fatal: the memory is judged by what it has
		if !w.recordDecisions(index, step.Tool) && holds(step, w.id) {
			w.add(w.undecided(index, step.Tool))
		}
	}
	w.tracker.learn(step)
}

func (w *witness) add(e Event) { w.events = append(w.events, e) }

// recordDecisions records the log's new decisions as events. It reports whether a result
// contained the identifier.
func (w *witness) recordDecisions(index int, tool string) (brought bool) {
	decisions := w.log.Why(w.id)
	candidate := w.memory.isCandidate(w.id)
	for _, d := range decisions[w.recorded:] {
		switch d.Kind {
		case middleware.DecisionSeen, middleware.DecisionCandidate, middleware.DecisionPromoted, middleware.DecisionRepeated, middleware.DecisionRefused, middleware.DecisionOverruled, middleware.DecisionMerged, middleware.DecisionRemoved:
			brought = true
		}
		w.add(Event{Step: index, Tool: tool, Candidate: candidate, Type: d.Type, Kind: EventKind(d.Kind), What: d.What()})
	}
	w.recorded = len(decisions)
	return brought
}

// undecided returns the event of a result that has the identifier, but about which the
// log says nothing: a candidate, or none.
func (w *witness) undecided(index int, tool string) Event {
	if w.memory.isCandidate(w.id) {
		return Event{Step: index, Tool: tool, Candidate: true, Kind: EventKind(middleware.DecisionSeen), What: "seen"}
	}
	return Event{Step: index, Tool: tool, Kind: EventOverlooked, What: "in the result, but not taken as an entity"}
}

// needed records that a call needed the identifier, and how the block showed it.
func (w *witness) needed(index int, step *Step, view blockView) {
	for _, ref := range w.tracker.needed(step) {
		if ref.Value != w.id || ref.again {
			continue
		}
		shown := "the block shows it"
		switch out := view.outcomeOf(&ref); {
		case !out.found:
			shown = "the block does not show it"
		case !out.typed:
			shown += ", but " + view.typeReason(&ref)
		case ref.Known() && !out.described:
			shown += ", but " + view.silentReason(&ref)
		case out.several && !out.distinct:
			shown += ", but " + view.twinReason(&ref)
		}
		what := "needed"
		if ref.Key != "" {
			what += " as " + ref.Key
		}
		w.add(Event{Step: index, Tool: step.Tool, Kind: EventNeeded, What: what + ": " + shown})
	}
}

// holds reports whether a tool step's result contains an identifier.
func holds(step *Step, id string) bool {
	t := newTracker()
	t.learn(step)
	_, ok := t.seen[id]
	return ok
}
