package inspector

import "strconv"

// maxEvents is the number of events of a story that are shown, the newest.
const maxEvents = 200

// answered returns the answer about the id that is asked for, and its story.
func (s *view) answered() part {
	if s.asked == "" {
		return group(nil)
	}
	names := "answer no"
	if s.answer.shown {
		names = "answer yes"
	}
	answer := el("p", class(names), txt(s.answer.text+" "), when(s.answer.step >= 0, el("a", at("href", s.at(max(s.answer.step, 0))+"#view"), txtf("Step %d", s.answer.step))))
	return section("answer", group{txt("Why "), id(s.asked)}, answer, s.story(),
		el("p", el("a", at("href", urlOf("/run", with(with(s.query, "q", ""), "step", strconv.Itoa(s.n)))), txt("Clear the question"))))
}

// story returns what happened to the id, with links to the steps.
func (s *view) story() part {
	if len(s.events) == 0 {
		return group(nil)
	}
	shown := s.events[max(0, len(s.events)-maxEvents):]
	items := []part{class("story")}
	for _, e := range shown {
		names := "event-" + eventClass(e.kind)
		if e.step > s.n {
			names += " later"
		}
		typ := ""
		if e.typ != "" {
			typ = e.typ + " "
		}
		items = append(items, el("li", class(names), el("a", at("href", s.at(e.step)+"#view"), txtf("step %d", e.step)), txt(" "+s.toolOf(e.step)+" "), el("span", txt(typ+e.what))))
	}
	return group{
		when(len(shown) < len(s.events), el("p", class("hint"), txtf("The last %d of %d events.", len(shown), len(s.events)))),
		el("ol", items...),
	}
}

// toolOf returns the tool or the role of a step.
func (s *view) toolOf(n int) string {
	if s.steps[n].tool != "" {
		return s.steps[n].tool
	}
	return s.steps[n].kind
}

// eventClass returns the class of a kind of events.
func eventClass(kind string) string {
	switch kind {
	case eventNeeded, "used":
		return "needed"
	case "evicted", "removed", "dropped", "refused", "hidden", eventOverlooked:
		return "bad"
	case "shown", "seen", "promoted":
		return "good"
	}
	return "other"
}
