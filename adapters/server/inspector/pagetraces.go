package inspector

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

// list implements source.
func (t *traces) list(ctx context.Context, _ auth.Tenant, query url.Values) (listing, error) {
	budget, first, text := budgetOf(query), numberOf(query, "from", 0, 1<<30, 0), query.Get("q")
	reports, err := t.reports(ctx, budget)
	if err != nil {
		return listing{}, err
	}
	l := listing{
		title: "Episodes", head: []string{"episode", "file", "calls", "references", "coverage", "typed", "missed", "tokens"},
		search: searchForm("/", "Id of an episode, or file", "q", text, budgetField(budget)),
		none:   "No episode matches.", summary: group{totals(reports), t.causes(reports, budget)}, pages: group(nil),
	}
	var rows []row
	i := 0
	for file, r := range t.recordings {
		for n, ep := range r.Episodes {
			report := &reports[i]
			i++
			if containsFold(ep.ID.Text, text) || containsFold(r.Name, text) {
				rows = append(rows, row{withBudget(queryOfEpisode(file, n), budget), episodeCells(r.Name, ep, report)})
			}
		}
	}
	end := min(first+listed, len(rows))
	l.rows = rows[min(first, end):end]
	if len(rows) > listed {
		before, after := max(first-listed, 0), first+listed
		if first == 0 {
			before = -1
		}
		if after >= len(rows) {
			after = -1
		}
		l.pages = pager("/", query, "from", before, after, fmt.Sprintf("%d–%d of %d", min(first, end)+1, end, len(rows)))
	}
	return l, nil
}

func episodeCells(file string, ep *evaluation.Episode, r *evaluation.Report) []part {
	return []part{
		id(ep.ID.Text), txt(file), number(r.ToolCalls), number(r.References), txt(percent(r.Coverage, r.References)),
		txt(percent(r.Typed, r.References)), number(missed(r.MissKinds)), txtf("%.0f", r.MeanTokens),
	}
}

// absences are the kinds of misses that coverage counts.
func absences() []evaluation.MissKind {
	return []evaluation.MissKind{evaluation.MissNeverExtracted, evaluation.MissNoRoom, evaluation.MissEvicted, evaluation.MissRemoved, evaluation.MissAbsent}
}

func missed(kinds map[evaluation.MissKind]int) (n int) {
	for _, kind := range absences() {
		n += kinds[kind]
	}
	return n
}

// totals returns the figures of all episodes together.
func totals(reports []evaluation.Report) part {
	var calls, references int
	kinds := map[evaluation.MissKind]int{}
	for i := range reports {
		calls, references = calls+reports[i].ToolCalls, references+reports[i].References
		for kind, n := range reports[i].MissKinds {
			kinds[kind] += n
		}
	}
	typed := missed(kinds) + kinds[evaluation.MissType]
	share := func(misses int) string {
		return percent(float64(references-misses)/float64(max(references, 1)), references)
	}
	facts := []fact{
		{"episodes", strconv.Itoa(len(reports))}, {"calls", strconv.Itoa(calls)}, {"references", strconv.Itoa(references)},
		{"coverage", share(missed(kinds))}, {"typed", share(typed)},
	}
	return factList(facts)
}

// miss is a miss with the episode that has it.
type miss struct {
	file, n int
	evaluation.Miss
}

// causeGroup is a cause with misses of all episodes.
type causeGroup struct {
	evaluation.Cause
	misses []miss
}

// causeExamples is the number of misses that are listed for a cause.
const causeExamples = 10

// causes returns the misses of all episodes by cause, the most frequent first.
func (t *traces) causes(reports []evaluation.Report, budget int) part {
	groups := map[[2]string]*causeGroup{}
	i := 0
	for file, r := range t.recordings {
		for n := range r.Episodes {
			for _, c := range reports[i].Misses {
				key := [2]string{string(c.Kind), c.Detail}
				if groups[key] == nil {
					groups[key] = &causeGroup{Cause: evaluation.Cause{Kind: c.Kind, Detail: c.Detail}}
				}
				g := groups[key]
				g.Count += c.Count
				for _, m := range c.Examples {
					if len(g.misses) < causeExamples {
						g.misses = append(g.misses, miss{file, n, m})
					}
				}
			}
			i++
		}
	}
	sorted := slices.SortedFunc(maps.Values(groups), func(a, b *causeGroup) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Detail, b.Detail))
	})
	var items []part
	for _, g := range sorted {
		examples := []part{class("misses")}
		for _, m := range g.misses {
			query := withBudget(queryOfEpisode(m.file, m.n), budget)
			examples = append(examples, missOf(query, m.Step, m.Value, m.Tool+" in "+m.Episode, m.Reason, m.Source))
		}
		title := group{el("span", class("count"), number(g.Count)), txt(" " + string(g.Kind)), when(g.Detail != "", txt(": "+g.Detail))}
		items = append(items, folded("", title, el("ul", examples...)))
	}
	if len(items) == 0 {
		return el("p", class("none"), txt("No reference was missed."))
	}
	return section("causes", txt("Misses by cause"), append([]part{class("causes")}, items...)...)
}

// missOf returns a miss with links to its call and, unless it is -1, to the result that had the id.
func missOf(query url.Values, step int, value, where, why string, source int) part {
	at := func(n int) string {
		return urlOf("/run", with(with(query, "step", strconv.Itoa(n)), "q", value)) + "#view"
	}
	return el("li", link(at(step), id(value)), txtf(" step %d, %s: %s ", step, where, why),
		when(source >= 0, link(at(source), txtf("Result at step %d", source))))
}
