package inspector

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm/summaryview"
)

// partitionsShown is the number of summaries of a view on the page, the first ones.
const partitionsShown = 100

// summaries is the page with the summary views of long-term memory.
func (v *visit) summaries() (page, error) {
	ctx, tenant := v.request.Context(), service.Tenant(v.tenant)
	views, err := v.service.SummaryViews(ctx, tenant)
	if err != nil {
		return page{}, err
	}
	main := group{el("h1", txt("Summaries of long-term memory"))}
	if len(views) == 0 {
		main = append(main, el("p", class("none"), txt("There is no summary view.")))
	}
	for i := range views {
		partitions, err := v.service.SummaryPartitions(ctx, tenant, views[i].ID, nil)
		if err != nil {
			return page{}, err
		}
		main = append(main, summaryView(&views[i], partitions))
	}
	return page{title: "Summaries", wide: true, main: main}, nil
}

func summaryView(view *summaryview.Definition, partitions []summaryview.Partition) part {
	by := "all memories together"
	if len(view.GroupBy) > 0 {
		by = "by " + strings.Join(view.GroupBy, ", ")
	}
	content := []part{el("p", class("hint"), txt(by), txtf(", %d summaries ", len(partitions)), id(view.ID))}
	for _, p := range partitions[:min(len(partitions), partitionsShown)] {
		var values []string
		for _, field := range slices.Sorted(maps.Keys(p.Group)) {
			values = append(values, field+" "+p.Group[field])
		}
		content = append(content,
			el("h3", txt(strings.Join(values, ", ")), el("span", class("hint"), txt(fmt.Sprintf(" %d memories, %s", p.Memories, clock(p.ComputedAt))))),
			el("pre", class("text"), at("tabindex", "0"), txt(redacted(p.Summary))))
	}
	return section("view-"+view.ID, txt(view.Name), content...)
}
