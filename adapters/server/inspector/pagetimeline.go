package inspector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// timeline returns the page of steps with the one that is shown.
func (s *view) timeline() part {
	first := s.n / stepsShown * stepsShown
	end := min(first+stepsShown, len(s.steps))
	items := []part{at("start", strconv.Itoa(first))}
	for n := first; n < end; n++ {
		items = append(items, s.item(n))
	}
	earlier, later := -1, -1
	if first > 0 {
		earlier = first - 1
	}
	if end < len(s.steps) {
		later = end
	}
	return el("nav", class("timeline"), at("id", "timeline"), at("data-swap", ""), at("aria-label", "Steps"),
		when(earlier >= 0 || later >= 0, pager("/run", s.query, "step", earlier, later, fmt.Sprintf("%d–%d of %d", first, end-1, len(s.steps)-1))),
		s.elsewhere(first, end),
		el("ol", items...))
}

// elsewhere returns links to the steps of the story that are on other pages.
func (s *view) elsewhere(first, end int) part {
	var links []part
	for n := range s.steps {
		if len(s.touched[n]) > 0 && (n < first || n >= end) && len(links) < 20 {
			links = append(links, el("a", at("href", s.at(n)), number(n)), txt(" "))
		}
	}
	return when(len(links) > 0, el("p", append([]part{class("hint"), id(s.asked), txt(" also at ")}, links...)...))
}

// item returns a step of the timeline.
func (s *view) item(n int) part {
	st := &s.steps[n]
	names := "step kind-" + kindClass(st.kind)
	if st.failed {
		names += " failed"
	}
	touched := s.touched[n]
	if len(touched) > 0 {
		names += " touched"
	}
	title, excerpt := st.kind, excerptOf(st.text)
	switch st.kind {
	case kindCall:
		title = st.tool
	case kindNow:
		title, excerpt = "now", "The session as it is stored."
	}
	missing := slices.ContainsFunc(st.needs, func(n evaluation.Need) bool { return n.Miss != "" })
	return el("li", class(names), at("id", "s"+strconv.Itoa(n)),
		el("a", at("href", s.at(n)+"#view"), at("id", "l"+strconv.Itoa(n)), at("data-step", ""), whenAt(n == s.n, "aria-current", "step"),
			el("span", class("number"), number(n)), txt(" "), el("span", class("kind"), txt(title)),
			when(st.failed, el("span", class("tag bad"), txt("failed"))),
			when(st.came > 0, el("span", class("tag came"), txtf("+%d", st.came))),
			when(st.left > 0, el("span", class("tag went"), txtf("−%d", st.left))),
			when(missing, el("span", class("tag bad"), txt("miss"))),
			tagsOf(touched)),
		when(excerpt != "", el("p", txt(excerpt))),
		when(len(st.calls) > 0, el("p", class("calls"), txt("calls "+excerptOf(strings.Join(st.calls, ", "))))))
}

// tagsOf returns what happened to the id that is asked for, each kind once.
func tagsOf(events []event) part {
	var tags group
	var kinds []string
	for _, e := range events {
		if !slices.Contains(kinds, e.kind) {
			kinds = append(kinds, e.kind)
			tags = append(tags, el("span", class("tag event"), txt(e.kind)))
		}
	}
	return tags
}

// kindClass returns the class of a kind of steps.
func kindClass(kind string) string {
	switch kind {
	case "user", "assistant", "system", "tool", kindCall, kindNow:
		return kind
	}
	return "other"
}

// excerptOf returns the beginning of a text as one line, without secrets.
func excerptOf(text string) string {
	window := redacted(text[:min(len(text), excerptBytes+4<<10)])
	window = strings.Join(strings.Fields(window[:min(len(window), 4*excerptBytes)]), " ")
	if len(window) <= excerptBytes {
		return strings.ToValidUTF8(window, "")
	}
	return strings.ToValidUTF8(window[:excerptBytes], "") + "…"
}
