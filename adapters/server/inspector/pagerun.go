package inspector

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/prompt"
)

const (
	// stepsShown is the number of steps on a page.
	stepsShown = 40
	// excerptBytes is the size of the beginning of a text in the timeline.
	excerptBytes = 160
	// maxBudget is the largest budget of the slider, in tokens.
	maxBudget = 2048
)

// view is what a page shows of a run.
type view struct {
	run     run
	about   about
	steps   []step
	query   url.Values // of the run and the view, but for the step
	n       int        // the step
	asked   string     // an id
	budget  int        // 0 for that of the run
	place   prompt.Placement
	after   *block
	before  *block
	events  []event
	answer  answer
	touched map[int][]event // events by step
}

// run is the page with a run at one of its steps.
func (v *visit) run() (page, error) {
	ctx := v.request.Context()
	found, err := v.source.open(ctx, v.tenant, v.query)
	if err != nil {
		return page{}, err
	}
	s := &view{run: found, about: found.about(), steps: found.steps(), asked: strings.TrimSpace(v.query.Get("q")), budget: budgetOf(v.query), place: placementOf(v.query)}
	s.n = numberOf(v.query, "step", 0, len(s.steps)-1, len(s.steps)-1)
	s.query = withBudget(s.about.query, s.budget)
	s.query = with(with(s.query, "q", s.asked), "place", v.query.Get("place"))
	if len(s.steps) == 0 {
		return page{title: s.about.title, main: group{s.head(), el("p", class("none"), txt("The episode has no steps."))}}, nil
	}
	if s.after, err = found.block(ctx, s.n, s.budget); err == nil {
		s.before, err = s.blockBefore(v)
	}
	if err == nil && s.asked != "" {
		err = s.ask(v)
	}
	if err != nil {
		return page{}, err
	}
	details, err := s.details(v)
	if err != nil {
		return page{}, err
	}
	return page{title: s.about.title, wide: true, main: group{
		s.head(),
		el("div", class("run"), s.timeline(), el("div", class("panel"),
			s.controls(),
			el("div", at("id", "view"), at("data-swap", ""), s.status(), s.stepping(), s.answered(), s.blockSection(), details,
				s.unshown(), s.promptSection(), group(found.more(ctx))),
		)),
	}}, nil
}

// blockBefore returns the block before the step or, if it is not known, the one after it.
func (s *view) blockBefore(v *visit) (*block, error) {
	if s.n > 0 && !s.steps[s.n-1].known || s.n == 0 && s.about.lost {
		return s.after, nil
	}
	return s.run.block(v.request.Context(), s.n-1, s.budget)
}

// ask finds the story of the id that is asked for.
func (s *view) ask(v *visit) (err error) {
	id := s.run.idOf(s.asked)
	if i := slices.IndexFunc(s.after.entities, func(j judged) bool { return j.is(s.asked) }); i >= 0 {
		id = s.after.entities[i].id
	}
	if s.events, err = s.run.story(v.request.Context(), id, s.budget); err != nil {
		return err
	}
	s.touched = map[int][]event{}
	for _, e := range s.events {
		s.touched[e.step] = append(s.touched[e.step], e)
	}
	s.answer = explain(s.asked, s.n, s.after, s.events, s.about.lost)
	return nil
}

// budgetOf returns the budget of a query, 0 for none.
func budgetOf(query url.Values) int { return numberOf(query, "budget", 0, maxBudget, 0) }

func withBudget(query url.Values, budget int) url.Values {
	if budget == 0 {
		return query
	}
	return with(query, "budget", strconv.Itoa(budget))
}

// at returns the path of the page at a step.
func (s *view) at(n int) string { return urlOf("/run", with(s.query, "step", strconv.Itoa(n))) }

// asking returns the path of the page that asks for an id.
func (s *view) asking(id string) string {
	return urlOf("/run", with(with(s.query, "step", strconv.Itoa(s.n)), "q", id)) + "#answer"
}

// head returns the title, the facts and the question.
func (s *view) head() part {
	return el("div", class("head"),
		el("h1", id(s.about.title)), factList(s.about.facts),
		el("form", class("search"), at("role", "search"), at("action", Path+"/run"),
			hidden("kept-asking", with(s.query, "step", strconv.Itoa(s.n)), "q"),
			el("label", at("for", "q"), txt("Why is this id shown, or not?")),
			el("input", at("id", "q"), at("name", "q"), at("type", "search"), at("value", s.asked), at("placeholder", "id, alias or handle"), at("spellcheck", "false"), at("autocomplete", "off")),
			el("button", txt("Ask")),
		))
}

func factList(facts []fact) part {
	items := []part{class("facts")}
	for _, f := range facts {
		items = append(items, el("div", el("dt", txt(f.name)), el("dd", txt(f.value))))
	}
	return el("dl", items...)
}

// status describes the step in words, for those who do not see the page.
func (s *view) status() part {
	return el("p", class("sr"), at("role", "status"), txtf("Step %d of %d. The block after it has %d tokens.", s.n, len(s.steps)-1, s.after.tokens))
}

// stepping returns the links to the steps beside the one that is shown.
func (s *view) stepping() part {
	side := func(n int, rel, text, key string) part {
		if n < 0 || n >= len(s.steps) {
			return el("span", class("off"), txt(text))
		}
		return el("a", at("rel", rel), at("id", "go-"+rel), at("href", s.at(n)+"#view"), at("data-step", ""), at("aria-keyshortcuts", key), txt(text))
	}
	return el("nav", class("stepping"), at("aria-label", "Neighbouring steps"),
		side(s.n-1, "prev", "← Previous", "k"), el("strong", txtf("Step %d of %d", s.n, len(s.steps)-1)), side(s.n+1, "next", "Next →", "j"))
}
