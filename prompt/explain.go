package prompt

import "github.com/go-workingmemory/workingmemory/memory"

// Verdict is the reason why a block shows an entity or not.
type Verdict string

// The verdicts.
const (
	// VerdictShown means that the block shows the entity.
	VerdictShown Verdict = "shown"
	// VerdictConstants means that Options.PerType entities of the type or Options.Lines
	// entities are shown, which are newer or in use.
	VerdictConstants Verdict = "over the limit of lines or per type"
	// VerdictBudget means that Options.Budget was spent on other entities, which are
	// more likely to be needed or smaller.
	VerdictBudget Verdict = "no room in the token budget"
	// VerdictTooOld means that the entity was not considered, because there are more
	// newer ones than Options.Budget could hold.
	VerdictTooOld Verdict = "too many newer entities"
	// VerdictNoTool means that the id is a link, and no tool of Options.Tools takes one.
	VerdictNoTool Verdict = "no tool takes a link"
	// VerdictInvalid means that the id or type cannot be shown; see Renderer.Render.
	VerdictInvalid Verdict = "id or type cannot be shown"
)

// Explain returns the block that RenderContent returns and a verdict for each entity:
// verdicts[i] is that of c.Entities[i], and those of c.Candidates follow. Notes have no verdicts. The time is proportional
// to the number of entities.
func (r *Renderer) Explain(c Content) (block string, verdicts []Verdict) {
	d := newDraft()
	defer d.release()
	d.text = r.appendBlock(d.text[:0], d, c)

	verdicts = make([]Verdict, len(c.Entities)+len(c.Candidates))
	for i := range d.lines {
		l := &d.lines[i]
		at := int(l.at)
		if at < 0 {
			at = len(c.Entities) + ^at
		}
		if verdicts[at] = VerdictShown; l.hidden {
			verdicts[at] = VerdictBudget
		}
	}
	for i := range verdicts {
		if verdicts[i] == "" {
			verdicts[i] = r.passedOver(c.at(i))
		}
	}
	return string(d.text), verdicts
}

// at returns an entity or, behind these, a candidate.
func (c *Content) at(i int) *memory.Entity {
	if i < len(c.Entities) {
		return &c.Entities[i]
	}
	return &c.Candidates[i-len(c.Entities)]
}

// passedOver returns the verdict for an entity that was not considered.
func (r *Renderer) passedOver(e *memory.Entity) Verdict {
	switch typ, ok := shownType(e); {
	case !ok:
		return VerdictInvalid
	case !r.opts.Tools.takes(e, typ):
		return VerdictNoTool
	case r.opts.Budget > 0:
		return VerdictTooOld
	default:
		return VerdictConstants
	}
}
