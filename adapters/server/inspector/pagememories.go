package inspector

import (
	"fmt"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
)

// modes are the modes of a search.
var modes = [...]string{"hybrid", "semantic", "keyword"}

// memories is the page that searches long-term memory.
func (v *visit) memories() (page, error) {
	text, mode := v.query.Get("q"), v.query.Get("mode")
	if !slices.Contains(modes[:], mode) {
		mode = modes[0]
	}
	first := numberOf(v.query, "from", 0, 1<<30, 0)
	found, err := v.service.SearchMemories(v.request.Context(), service.Tenant(v.tenant), &service.Search{
		Text: text, Mode: &mode, Limit: new(int64(listed)), Offset: new(int64(first)), NoTouch: true,
	})
	if err != nil {
		return page{}, err
	}
	var options []part
	for _, m := range modes {
		options = append(options, el("option", whenAt(m == mode, "selected", ""), txt(m)))
	}
	before, after := max(first-listed, 0), found.Next
	if first == 0 {
		before = -1
	}
	main := group{
		el("h1", txt("Long-term memory")),
		searchForm("/memories", "Question", "q", text,
			el("div", class("field"), el("label", at("for", "mode"), txt("Mode")), el("select", append([]part{at("id", "mode"), at("name", "mode")}, options...)...))),
		el("p", class("hint"), txt(howFound(text, found))),
		memoryTable(found),
	}
	if before >= 0 || after >= 0 {
		main = append(main, pager("/memories", v.query, "from", before, after, fmt.Sprintf("%d–%d of %d", first+1, first+len(found.Memories), found.Total)))
	}
	return page{title: "Long-term memory", wide: true, main: main}, nil
}

// howFound describes the search that was made.
func howFound(text string, found *service.Results) string {
	switch {
	case text == "":
		return "All memories, the newest first. Ask a question to rank them."
	case len(found.Memories) == 0:
		return "Nothing was found."
	case found.Memories[0].By == longterm.ModeKeyword:
		return "By words alone: there are no vectors to compare. Looking here does not count as a use of a memory."
	}
	return "Ranked by words, meaning and freshness together. Looking here does not count as a use of a memory."
}

func memoryTable(found *service.Results) part {
	if len(found.Memories) == 0 {
		return group(nil)
	}
	var head, rows []part
	for _, name := range []string{"memory", "rank", "words", "meaning", "freshness", "type", "owner", "created", "used"} {
		head = append(head, el("th", at("scope", "col"), txt(name)))
	}
	for i := range found.Memories {
		rows = append(rows, memoryRow(&found.Memories[i]))
	}
	return scroller("memories", el("table", class("memories"), el("thead", el("tr", head...)), el("tbody", rows...)))
}

func memoryRow(m *service.Found) part {
	score := func(x, most float64) part {
		if m.By == longterm.ModeList {
			return el("td", txt("–"))
		}
		return el("td", class("score"), el("meter", at("max", "1"), at("value", fmt.Sprintf("%.3f", min(max(x/most, 0), 1))), at("aria-hidden", "true")), txtf(" %.3f", x))
	}
	owner := m.Namespace
	if m.UserID != "" {
		owner += "/" + m.UserID
	}
	used := "never"
	if m.AccessCount > 0 {
		used = fmt.Sprintf("%d times, last %s", m.AccessCount, clock(m.LastAccessed))
	}
	return el("tr",
		el("th", at("scope", "row"), txt(redacted(m.Text)), txt(" "), el("code", class("hint"), txt(m.ID))),
		score(m.Scores.Rank, 1), score(m.Scores.Words, 1), score(m.Scores.Meaning, 1), score(m.Scores.Freshness, 1),
		el("td", txt(string(m.Type))), el("td", txt(owner)), el("td", txt(clock(m.CreatedAt))), el("td", txt(used)))
}
