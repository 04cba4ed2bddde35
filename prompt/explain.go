package prompt

import "github.com/go-workingmemory/workingmemory/memory"

// Verdict says whether a block shows an entity, and if not, why not.
type Verdict string

// The verdicts.
const (
	// VerdictShown is an entity that the block shows.
	VerdictShown Verdict = "shown"
	// VerdictPerType is one of a type of which Options.PerType newer ones are shown.
	VerdictPerType Verdict = "over the limit per type"
	// VerdictBudget is one on which Options.Budget was not spent: others were
	// worth more, or took less.
	VerdictBudget Verdict = "no room in the token budget"
	// VerdictTooOld is one that was not looked at, because there are more newer
	// ones than Options.Budget could hold.
	VerdictTooOld Verdict = "too many newer entities"
	// VerdictInvalid is one whose id or type no block can show; see Renderer.Render.
	VerdictInvalid Verdict = "id or type cannot be shown"
)

// Explain returns the block that RenderContent returns, and what became of each
// entity: verdicts[i] is that of c.Entities[i]. Notes have no verdicts. It takes
// time in proportion to the entities given.
func (r *Renderer) Explain(c Content) (block string, verdicts []Verdict) {
	d := newDraft()
	defer d.release()
	d.text = r.appendBlock(d.text[:0], d, c)

	verdicts = make([]Verdict, len(c.Entities))
	for i := range d.lines {
		if l := &d.lines[i]; l.hidden {
			verdicts[l.at] = VerdictBudget
		} else {
			verdicts[l.at] = VerdictShown
		}
	}
	for i := range verdicts {
		if verdicts[i] == "" {
			verdicts[i] = r.passedOver(&c.Entities[i])
		}
	}
	return string(d.text), verdicts
}

// passedOver is why an entity was not even considered.
func (r *Renderer) passedOver(e *memory.Entity) Verdict {
	switch _, ok := shownType(e); {
	case !ok:
		return VerdictInvalid
	case r.opts.Budget > 0:
		return VerdictTooOld
	default:
		return VerdictPerType
	}
}
