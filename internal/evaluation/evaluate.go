package evaluation

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"strings"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// Report holds the figures of a method on some traces.
type Report struct {
	Method string `json:"method"`
	// Family is the family of the method; see Method.
	Family Family `json:"family,omitempty"`
	// Setting is the method's name within its family.
	Setting string `json:"setting,omitempty"`
	// Budget is the largest size of a block in tokens; 0 means no budget.
	Budget int `json:"budget,omitempty"`
	// Handles is set if ids have handles; see Settings.
	Handles bool `json:"handles,omitempty"`
	// Offload is the number of tokens from which results are stored; 0 means never.
	Offload int `json:"offload,omitempty"`
	// Text is set if the method has no headers and labels. Its Typed, Described and
	// Distinct are meaningless.
	Text bool `json:"text_only,omitempty"`
	Figures
	// Floor is the coverage of a bare list of ids at the same budget; nil if it was not
	// measured.
	Floor *float64 `json:"floor,omitempty"`
	// ShellFloor is the same of shell references.
	ShellFloor *float64 `json:"shell_floor,omitempty"`
	// Misses are the missed references by cause; see Comparison.Misses.
	Misses []Cause `json:"misses,omitempty"`
	// MissKinds counts the missed references by kind.
	MissKinds map[MissKind]int `json:"miss_kinds,omitempty"`
	// Prefix is the share of a prompt that a provider's cache can reuse, by
	// placement; see Comparison.Prefix.
	Prefix []PrefixReuse `json:"prefix_reuse,omitempty"`
	// Shown is what the model sees of the conversations; nil unless ids have handles or
	// results are stored.
	Shown *Shown `json:"shown,omitempty"`
}

// Comparison measures methods side by side. Counter is required; the other fields are
// optional.
type Comparison struct {
	// Methods are the methods to measure.
	Methods []Method
	// Counter counts the tokens of blocks and prompts.
	Counter prompt.TokenCounter
	// Misses is the number of misses kept as examples of each cause. If it is 0, misses
	// are counted by kind, but not grouped by cause.
	Misses int
	// Prefix measures the prefix reuse of each method.
	Prefix bool
	// Named measures what each method shows when the user names a record.
	Named bool
}

// Run measures the methods on traces in one pass. It stops with a *TraceError at the
// first unreadable episode, and when ctx is done.
func (e *Comparison) Run(ctx context.Context, traces iter.Seq2[*Episode, error]) ([]Report, error) {
	counter := newCountOnce(e.Counter)
	contestants := make([]*contestant, len(e.Methods))
	for i, m := range e.Methods {
		contestants[i] = newContestant(m, e, counter)
	}
	for ep, err := range traces {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		counter.forget()
		if err := e.runEpisode(ctx, ep, contestants); err != nil {
			return nil, err
		}
	}
	reports := make([]Report, len(contestants))
	for i, c := range contestants {
		reports[i] = c.report()
	}
	addFloors(reports)
	return reports, nil
}

// addFloors adds the floor to the reports of other methods with a budget.
func addFloors(reports []Report) {
	floors := map[int]*Report{}
	for i := range reports {
		if r := &reports[i]; r.Family == FamilyFloor {
			floors[r.Budget] = r
		}
	}
	for i := range reports {
		r := &reports[i]
		if floor := floors[r.Budget]; floor != nil && r.Family != FamilyFloor {
			r.Floor = &floor.Coverage
			if r.ShellReferences >= FewReferences {
				r.ShellFloor = &floor.Shell
			}
		}
	}
}

// MarshalJSON implements json.Marshaler. The shares of fewer than FewReferences are null, but for
// Typed and Coverage.
func (r Report) MarshalJSON() ([]byte, error) {
	type fields Report // without this method
	enough := func(share *float64, of int) *float64 {
		if of < FewReferences {
			return nil
		}
		return share
	}
	return json.Marshal(struct {
		fields
		TypedFirst  *float64 `json:"typed_first"`
		Shell       *float64 `json:"shell"`
		TablesShown *float64 `json:"tables_shown"`
		Described   *float64 `json:"described"`
		Distinct    *float64 `json:"distinct"`
		Named       *float64 `json:"named"`
	}{fields(r), enough(&r.TypedFirst, r.FirstUses), enough(&r.Shell, r.ShellReferences), enough(&r.TablesShown, r.Tables), enough(&r.Described, r.Describable), enough(&r.Distinct, r.AmongSeveral), enough(&r.Named, r.Nameable)})
}

// runEpisode runs an episode with each method.
func (e *Comparison) runEpisode(ctx context.Context, ep *Episode, contestants []*contestant) error {
	uses := usesOf(ep)
	for _, c := range contestants {
		c.begin(uses)
	}
	tracker := newTracker()
	var naming naming
	for i := range ep.Steps {
		step := &ep.Steps[i]
		var refs []Reference
		var named []sibling
		if step.Kind == KindTool {
			refs = tracker.needed(step)
		}
		if e.Named && step.Kind == KindTool {
			named = naming.after(step)
		}
		for _, c := range contestants {
			if err := c.step(ctx, ep, i, refs); err != nil {
				return fmt.Errorf("evaluation: %s: episode %s, step %d: %w", c.method.Name, ep.ID.JSON, i, err)
			}
			c.name(ctx, ep, i, named)
		}
		tracker.learn(step)
	}
	return nil
}

// contestant is a method that is being measured.
type contestant struct {
	method Method
	tally  tally
	meter  meter
	misses missCounts
	memory Memory // of the current episode
	prefix *prefixMeter
	shown  *shownMeter
}

func newContestant(m Method, e *Comparison, counter prompt.TokenCounter) *contestant {
	c := &contestant{method: m, meter: meter{counter: counter}, misses: newMissCounts(e.Misses)}
	if m.Baseline {
		c.misses.examples = 0
	} else if e.Prefix {
		c.prefix = newPrefixMeter(counter)
	}
	if m.Handles || m.Offload > 0 {
		c.shown = &shownMeter{counter: counter}
	}
	return c
}

func (c *contestant) report() Report {
	r := Report{
		Method: c.method.Name, Family: c.method.Family, Setting: c.method.Setting, Budget: c.method.Budget,
		Handles: c.method.Handles, Offload: c.method.Offload, Text: c.method.Text, Figures: c.tally.figures(), Misses: c.misses.sorted(), MissKinds: c.misses.kinds,
	}
	if c.prefix != nil {
		r.Prefix = c.prefix.reuse()
	}
	if c.shown != nil {
		shown := c.shown.report()
		r.Shown = &shown
	}
	return r
}

func (c *contestant) begin(uses uses) {
	c.memory = c.method.New()
	c.tally.precision.begin(uses)
	if c.prefix != nil {
		c.prefix.begin()
	}
	if v, ok := c.memory.(viewer); ok && c.shown != nil {
		c.shown.begin(v)
	}
}

// step measures the block before a step, then passes the step to the memory.
func (c *contestant) step(ctx context.Context, ep *Episode, index int, refs []Reference) error {
	step := &ep.Steps[index]
	if c.prefix != nil && (step.Kind == KindAssistant || step.Kind == KindTool) {
		c.prefix.call(c.memory.Block())
	}
	if step.Kind != KindTool {
		observeStep(c.memory, step)
		c.converse(step)
		return nil
	}
	block := c.memory.Block()
	if l, ok := c.memory.(lister); ok {
		c.scoreText(l, index, block, refs)
	} else {
		c.score(ep, index, block, refs)
	}
	// An error is not fatal: a memory is judged by what it shows.
	_ = c.memory.Record(ctx, index, step)
	c.converse(step)
	return ctx.Err()
}

// converse measures the texts of a step as the model sees them.
func (c *contestant) converse(step *Step) {
	if c.prefix == nil && c.shown == nil {
		return
	}
	text, call := step.Text, shownCall{arguments: string(step.Args)}
	v, isViewer := c.memory.(viewer)
	switch {
	case step.Kind == KindTool && isViewer:
		call = v.last()
	case step.Kind == KindTool:
		call.result = step.ResultText()
	case step.Kind == KindAssistant && isViewer:
		text = v.written(text)
	}
	if c.prefix != nil {
		c.prefix.add(step, text, call)
	}
	if c.shown != nil {
		c.shown.add(step, text, call)
	}
}

func (c *contestant) score(ep *Episode, index int, block string, refs []Reference) {
	c.meter.read(block, handlesIn(c.memory, block))
	c.tally.size(c.meter.chars, c.meter.tokens)
	c.tally.precision.add(index, maps.Keys(c.meter.view.byID))
	if c.shown != nil {
		c.shown.needed(block, &c.meter.view, refs)
	}
	for i := range refs {
		ref := &refs[i]
		out := c.meter.view.outcomeOf(ref)
		if f, ok := c.memory.(*floor); ok && ref.shell != "" {
			out.found = strings.Contains(f.shell.block, "("+ref.Value+")")
			out.typed = out.found
		}
		c.tally.add(ref, out)
		if kind, reason := c.explain(ref, out); kind != "" && !ref.again {
			detail := c.meter.view.detailOf(kind, ref)
			if kind == MissShell {
				detail = string(ref.shell) + ", " + reason
			}
			c.misses.add(kind, detail,
				Miss{Episode: ep.ID.Text, Step: index, Tool: ep.Steps[index].Tool, Key: ref.Key, Value: ref.Value, Reason: reason, Source: sourceOf(ep, ref.Value, index)})
		}
	}
}

// scoreText scores text without headers.
func (c *contestant) scoreText(l lister, index int, block string, refs []Reference) {
	if s, ok := c.memory.(sizer); ok {
		c.tally.size(s.size(c.meter.counter))
	} else {
		c.meter.read(block, nil)
		c.tally.size(c.meter.chars, c.meter.tokens)
	}
	c.tally.precision.add(index, l.ids())
	for i := range refs {
		c.tally.add(&Reference{shell: refs[i].shell}, outcome{found: mentions(block, refs[i].Value)})
	}
}

func (c *contestant) explain(ref *Reference, out outcome) (MissKind, string) {
	switch {
	case !out.found:
		kind, reason := MissAbsent, "absent"
		if x, ok := c.memory.(explainer); ok {
			kind, reason = x.absence(ref)
		}
		if ref.shell != "" {
			return MissShell, string(kind)
		}
		return kind, reason
	case !out.typed:
		return MissType, c.meter.view.typeReason(ref)
	case ref.Known() && !out.described:
		return MissSilent, c.meter.view.silentReason(ref)
	case out.several && !out.distinct:
		return MissTwin, c.meter.view.twinReason(ref)
	}
	return "", ""
}
