package inspector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor"
)

// textShown is the number of bytes of a text on the page of a run.
const textShown = 32 << 10

// details returns the message or the call of the step.
func (s *view) details(v *visit) (part, error) {
	st := &s.steps[s.n]
	switch st.kind {
	case kindNow:
		return group(nil), nil
	case kindCall:
		t, err := s.run.texts(v.request.Context(), s.n)
		if err != nil {
			return nil, err
		}
		return s.callSection(st, &t), nil
	}
	shown := redacted(st.text)
	cut := strings.ToValidUTF8(shown[:min(len(shown), textShown)], "")
	calls := []part{class("calls")}
	for _, c := range st.calls {
		calls = append(calls, el("li", el("code", txt(redacted(c)))))
	}
	return section("message", group{txt("Message of "), txt(st.kind)},
		el("p", class("hint"), txt(clock(st.at)), txtf(", %d tokens", st.tokens)),
		when(st.text != "", el("pre", class("text"), at("tabindex", "0"), txt(cut))),
		when(len(shown) > len(cut), el("p", el("a", at("href", urlOf("/text", with(s.about.query, "step", strconv.Itoa(s.n)))), txtf("All %d bytes", len(st.text))))),
		when(len(st.calls) > 0, el("p", txt("Requests")), el("ul", calls...)),
	), nil
}

func (s *view) callSection(st *step, t *texts) part {
	facts := []string{clock(st.at)}
	if st.at.IsZero() {
		facts = nil
	}
	for _, f := range []string{st.source, t.format, t.reason} {
		if f != "" {
			facts = append(facts, f)
		}
	}
	body := group{
		when(len(facts) > 0, el("p", class("hint"), txt(strings.Join(facts, " · ")))),
		s.needs(st), s.textOf("Arguments", &t.arguments, nil),
	}
	if t.failure.size > 0 {
		body = append(body, s.textOf("Error", &t.failure, nil))
	}
	body = append(body, s.textOf("Result", &t.result, t.judgements))
	if t.stored != "" {
		query := with(s.about.query, "handle", t.stored)
		body = append(body, el("p", txt("The whole result is stored as "), link(urlOf("/result", query), id(t.stored)), txt(".")))
	}
	body = append(body, s.judgements(t.judgements))
	return section("call", group{txt("Call of "), id(st.tool)}, body...)
}

// needs returns the references of a call, and how the block before it showed them.
func (s *view) needs(st *step) part {
	if len(st.needs) == 0 {
		return group(nil)
	}
	items := []part{class("needs")}
	for _, n := range st.needs {
		how, names := "the block before showed it", "tag came"
		if n.Miss != "" {
			how, names = n.Why, "tag bad"
			if kind := string(n.Miss); !strings.HasPrefix(how, kind) {
				how = kind + ": " + how
			}
		}
		items = append(items, el("li", el("span", class(names), txt("needed")), txt(" "+n.Key+" "), el("a", class("id"), at("href", s.asking(n.Value)), id(n.Value)), txt(": "+how+". "),
			when(n.Source >= 0, el("a", at("href", urlOf("/run", with(with(s.query, "step", strconv.Itoa(n.Source)), "q", n.Value))+"#call"), txtf("Result at step %d", n.Source)))))
	}
	return el("ul", items...)
}

// textOf returns a text of a call with what its values became.
func (s *view) textOf(name string, t *text, judgements []extractor.Judgement) part {
	if t.size == 0 {
		return group(nil)
	}
	more := ""
	if t.size > len(t.text) {
		more = fmt.Sprintf(" The first %d of %d bytes.", len(t.text), t.size)
	}
	return group{
		el("h3", txt(name), when(more != "", el("span", class("hint"), txt(more)))),
		el("pre", class("text"), at("tabindex", "0"), at("aria-label", name), s.marked(t.text, judgements)),
	}
}

// span is a part of a text that became something.
type span struct {
	from, to int
	*extractor.Judgement
}

// maxValues is the number of values of a result that are marked, the first ones.
const maxValues = 300

// marked returns a text in which the values that were judged are marked, and the id that is asked for.
func (s *view) marked(text string, judgements []extractor.Judgement) part {
	var found group
	end := 0
	for _, sp := range spans(text, judgements) {
		found = append(found, txt(text[end:sp.from]))
		end = sp.to
		what := sp.Is
		if sp.Type != "" {
			what += " " + sp.Type
		}
		found = append(found, el("a", class("value is-"+isClass(sp.Is)), at("href", s.asking(sp.Value)), at("title", what+": "+sp.Why), txt(text[sp.from:sp.to])))
	}
	return append(found, txt(text[end:]))
}

// spans returns where the values of judgements are in a text, in order and apart. The first judgement
// of a value counts.
func spans(text string, judgements []extractor.Judgement) []span {
	var all []span
	known := map[string]bool{}
	for i := range judgements {
		j := &judgements[i]
		if j.Value == "" || j.Is == "label" || known[j.Value] {
			continue
		}
		if len(known) == maxValues {
			break
		}
		known[j.Value] = true
		for from := 0; from < len(text); {
			at := strings.Index(text[from:], j.Value)
			if at < 0 {
				break
			}
			start := from + at
			from = start + len(j.Value)
			if isWhole(text, start, from) {
				all = append(all, span{start, from, j})
			}
		}
	}
	slices.SortFunc(all, func(a, b span) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	end := 0
	return slices.DeleteFunc(all, func(sp span) bool {
		if sp.from < end {
			return true
		}
		end = sp.to
		return false
	})
}

func isClass(is string) string {
	switch is {
	case "record", "alias", "reference", "candidate":
		return is
	}
	return "nothing"
}

// judgements returns how each value of a result was judged: first what nearly became an entity.
func (s *view) judgements(all []extractor.Judgement) part {
	if len(all) == 0 {
		return group(nil)
	}
	shown := slices.Clone(all)
	order := []string{"candidate", "nothing", "reference", "record", "alias", "label"}
	slices.SortStableFunc(shown, func(a, b extractor.Judgement) int { return slices.Index(order, a.Is) - slices.Index(order, b.Is) })
	shown = shown[:min(len(shown), maxValues)]
	var rows []part
	counts := map[string]int{}
	for i := range all {
		counts[all[i].Is]++
	}
	for i := range shown {
		j := &shown[i]
		value := part(el("i", txt("left out")))
		if j.Value != "" {
			value = el("a", class("id"), at("href", s.asking(j.Value)), id(j.Value))
		}
		rows = append(rows, el("tr", el("td", el("span", class("value is-"+isClass(j.Is)), txt(j.Is))), el("td", value), el("td", txt(j.Type)), el("td", txt(j.Why)), el("td", id(j.Path))))
	}
	var head []part
	for _, name := range []string{"taken for", "value", "type", "rule", "path"} {
		head = append(head, el("th", at("scope", "col"), txt(name)))
	}
	var names []string
	for _, is := range []string{"record", "reference", "alias", "candidate", "nothing"} {
		if counts[is] > 0 {
			names = append(names, fmt.Sprintf("%d %s", counts[is], is))
		}
	}
	return folded("judgements", txt("What its values became: "+strings.Join(names, ", ")),
		scroller("values of the result", el("table", el("thead", el("tr", head...)), el("tbody", rows...))))
}
