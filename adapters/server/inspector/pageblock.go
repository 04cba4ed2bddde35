package inspector

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/go-workingmemory/workingmemory/prompt"
)

// placements are those of package prompt, in the order of its constants.
var placements = [...]struct {
	at    prompt.Placement
	about string
}{
	{prompt.PlaceSystem, "in the system prompt"}, {prompt.PlaceAfterPrefix, "after the system prompt"},
	{prompt.PlaceTail, "at the tail"}, {prompt.PlaceAppend, "appended"},
}

// placementOf returns the placement of a query.
func placementOf(query url.Values) prompt.Placement {
	for _, p := range placements {
		if p.at.String() == query.Get("place") {
			return p.at
		}
	}
	return prompt.PlaceSystem
}

// controls returns the sliders.
func (s *view) controls() part {
	var options []part
	for _, p := range placements {
		options = append(options, el("option", at("value", p.at.String()), whenAt(p.at == s.place, "selected", ""), txt(p.about)))
	}
	return el("form", class("controls"), at("id", "controls"), at("action", Path+"/run"), at("data-live", ""), at("aria-label", "Block"),
		hidden("kept-block", with(s.query, "step", strconv.Itoa(s.n)), "budget", "place"),
		budgetField(s.budget),
		el("div", class("field"), el("label", at("for", "place"), txt("Placement")), el("select", append([]part{at("id", "place"), at("name", "place")}, options...)...)),
		el("button", txt("Render")))
}

// budgetField returns the slider of a budget.
func budgetField(budget int) part {
	return el("div", class("field"),
		el("label", at("for", "budget"), txt("Budget")),
		el("input", at("id", "budget"), at("name", "budget"), at("type", "range"), at("min", "0"), at("max", strconv.Itoa(maxBudget)), at("step", "16"),
			at("value", strconv.Itoa(budget)), at("aria-describedby", "budget-out")),
		el("output", at("id", "budget-out"), at("for", "budget"), at("data-zero", "default"), txt(budgetText(budget))))
}

func budgetText(budget int) string {
	if budget == 0 {
		return "default"
	}
	return fmt.Sprintf("%d tokens", budget)
}

// blockSection returns the block after the step, marked against the block before.
func (s *view) blockSection() part {
	b := s.after
	intro := "The block after this step, which the model sees next."
	if s.steps[s.n].kind == kindNow {
		intro = "The block as it is now."
	}
	lines, notes := compare(s.before.text, b.text)
	body := group{el("p", class("hint"), txt(intro))}
	if !s.steps[s.n].known {
		body = group{el("p", class("warning"), txt("No call is known up to this step, so the block after it is not known: it was recorded before the journal began, elsewhere, or without one."))}
	} else if len(lines) == 0 && len(notes) == 0 {
		body = append(body, el("p", class("none"), txt("Empty: memory has nothing to show.")))
	}
	body = append(body, s.blockLines(lines))
	for _, note := range notes {
		body = append(body, el("p", class("note"), txt(note)))
	}
	if b.text != "" {
		body = append(body, folded("", txt("As text"), el("pre", at("tabindex", "0"), txt(b.text))))
	}
	size := group{meter(b.tokens, b.budget), txt(" tokens")}
	if b.budget <= 0 {
		size = append(size, txt(", "+b.limit))
	}
	return section("block", group{txt("Block")}, append(group{el("p", class("size"), size), legend(lines)}, body...)...)
}

// legend counts what happened to the lines.
func legend(lines []line) part {
	counts := map[mark]int{}
	for _, l := range lines {
		counts[l.mark]++
	}
	var items group
	for _, m := range [...]mark{markCame, markWent, markMoved, markNamed} {
		if counts[m] > 0 {
			items = append(items, el("span", class("tag "+string(m)), txtf("%s %d %s", signOf(m), counts[m], m)), txt(" "))
		}
	}
	if len(items) == 0 && len(lines) > 0 {
		items = group{txt("Nothing changed in this step.")}
	}
	return el("p", class("legend"), items)
}

func signOf(m mark) string {
	switch m {
	case markCame:
		return "+"
	case markWent:
		return "−"
	case markMoved:
		return "↕"
	case markNamed:
		return "≈"
	}
	return ""
}

// blockLines returns the lines of a block by type.
func (s *view) blockLines(lines []line) part {
	var groups group
	for first := 0; first < len(lines); {
		end := first
		items := []part{class("block")}
		for ; end < len(lines) && lines[end].typ == lines[first].typ; end++ {
			items = append(items, s.blockLine(&lines[end]))
		}
		groups = append(groups, el("h3", txt(lines[first].typ)), el("ul", items...))
		first = end
	}
	return groups
}

func (s *view) blockLine(l *line) part {
	names, meaning := "line", ""
	if l.mark != markSame {
		names, meaning = names+" "+string(l.mark), string(l.mark)
	}
	if s.asked != "" && l.id == s.asked {
		names += " asked"
	}
	label := part(txt(l.label))
	if l.mark == markWent {
		label = el("del", label)
	}
	return el("li", class(names),
		el("span", class("sign"), at("aria-hidden", "true"), txt(signOf(l.mark))),
		el("span", class("what"), el("span", class("label"), label), txt(" "), el("a", class("id"), at("href", s.asking(l.id)), id(l.id))),
		when(meaning != "", txt(" "), el("span", class("mark"), txt(meaning))),
		when(l.mark == markNamed, el("span", class("hint before"), txtf("before: %s", l.before))))
}

// unshown returns the entities in memory that the block does not show.
func (s *view) unshown() part {
	var rows []part
	for i := range s.after.entities {
		j := &s.after.entities[i]
		if j.verdict == prompt.VerdictShown {
			continue
		}
		kind := j.typ
		if j.candidate {
			kind += " (candidate)"
		}
		rows = append(rows, el("tr", el("td", txt(kind)), el("td", el("a", class("id"), at("href", s.asking(j.id)), id(j.id)), when(j.handle != "", txt(" = "), id(j.handle))),
			el("td", txt(j.label)), el("td", txt(string(j.verdict))), el("td", txt(j.from)), el("td", number(j.uses))))
	}
	if len(rows) == 0 {
		return group(nil)
	}
	var head []part
	for _, name := range []string{"type", "id", "label", "why not", "from", "uses"} {
		head = append(head, el("th", at("scope", "col"), txt(name)))
	}
	return folded("unshown", txtf("In memory, but not shown (%d)", len(rows)),
		scroller("entities that are not shown", el("table", el("thead", el("tr", head...)), el("tbody", rows...))))
}
