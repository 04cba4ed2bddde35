package inspector

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// more implements run: the summary, the stored results and the handles of a session.
func (r *liveRun) more(ctx context.Context) []part {
	var sections []part
	if r.Context != "" {
		sections = append(sections, folded("summary", txt("Summary of earlier messages"), el("pre", class("text"), at("tabindex", "0"), txt(redacted(r.Context)))))
	}
	if results := r.results(ctx); results != nil {
		sections = append(sections, results)
	}
	if r.Handles.Len() > 0 {
		var rows []part
		for name, id := range r.Handles.All() {
			rows = append(rows, el("tr", el("td", el("code", txt(name))), el("td", el("code", txt(id)))))
		}
		sections = append(sections, folded("handles", txtf("Handles (%d)", r.Handles.Len()),
			scroller("handles", el("table", el("thead", el("tr", el("th", at("scope", "col"), txt("handle")), el("th", at("scope", "col"), txt("id")))), el("tbody", rows...)))))
	}
	var memories []part
	for i := range r.Memories {
		m := &r.Memories[i]
		where := "waits for promotion"
		if !m.PersistedAt.IsZero() {
			where = "in long-term memory since " + clock(m.PersistedAt)
		}
		memories = append(memories, el("li", txt(redacted(m.Text)+" "), el("span", class("hint"), txt(where))))
	}
	if len(memories) > 0 {
		sections = append(sections, folded("memories", txtf("Memories (%d)", len(memories)), el("ul", memories...)))
	}
	return sections
}

// results lists the stored results of a session, or returns nil if there are none.
func (r *liveRun) results(ctx context.Context) part {
	list, err := r.service.ListResults(ctx, service.Tenant{}, refOf(queryOf(r.Key)))
	if err != nil || !strings.Contains(list, "#") {
		return nil // results cannot be stored, or none are
	}
	var items []part
	for line := range strings.SplitSeq(list, "\n") {
		name, about, _ := strings.Cut(line, ": ")
		if about == "dropped" {
			items = append(items, el("li", id(name), txt(": dropped for newer ones")))
			continue
		}
		items = append(items, el("li", link(urlOf("/result", with(queryOf(r.Key), "handle", name)), id(name)), txt(": "+about)))
	}
	return folded("results", txtf("Stored results (%d)", len(items)), el("ul", items...))
}

// result is the page with a part of a stored result.
func (v *visit) result() (page, error) {
	offset := numberOf(v.query, "offset", 1, 1<<31-1, 1)
	asked := middleware.ReadRequest{Handle: v.query.Get("handle"), Path: v.query.Get("path"), Query: v.query.Get("words"), Offset: offset}
	text, err := v.service.ReadResult(v.request.Context(), service.Tenant(v.tenant), refOf(v.query), asked)
	if e, ok := errors.AsType[*service.Error](err); ok && (e.Kind == service.Invalid || e.Kind == service.Bad) {
		text = e.Error()
	} else if err != nil {
		return page{}, err
	}
	run := url.Values{}
	for _, name := range []string{"id", "namespace", "user"} {
		if v.query.Has(name) {
			run.Set(name, v.query.Get(name))
		}
	}
	field := func(name, label, value string) part {
		return el("div", class("field"), el("label", at("for", name), txt(label)), el("input", at("id", name), at("name", name), at("value", value)))
	}
	return page{title: asked.Handle, wide: true, main: group{
		el("h1", txt("Stored result "), id(asked.Handle)),
		el("p", txt("Of session "), link(urlOf("/run", run), id(run.Get("id")))),
		el("form", class("controls"), at("action", Path+"/result"), hidden("kept", with(run, "handle", asked.Handle)),
			field("path", "JSON path", asked.Path), field("words", "Words", asked.Query), field("offset", "From line, element or match", strconv.Itoa(offset)),
			el("button", txt("Read"))),
		el("pre", class("text"), at("tabindex", "0"), at("aria-label", "Part of the result"), txt(redacted(text))),
	}}, nil
}

// partBytes is the size of a part of a long text.
const partBytes = 64 << 10

// text is the page with a part of a long message.
func (v *visit) text() (page, error) {
	found, err := v.source.open(v.request.Context(), v.tenant, v.query)
	if err != nil {
		return page{}, err
	}
	steps := found.steps()
	n := numberOf(v.query, "step", -1, len(steps), -1)
	if n < 0 || n >= len(steps) || steps[n].text == "" {
		return page{}, errNotFound
	}
	whole := redacted(steps[n].text)
	last := (len(whole) - 1) / partBytes
	at := numberOf(v.query, "part", 0, last, 0)
	begin, end := at*partBytes, min((at+1)*partBytes, len(whole))
	before, after := at-1, at+1
	if at == last {
		after = -1
	}
	return page{title: "Message", wide: true, main: group{
		el("h1", txtf("Message at step %d", n)),
		el("p", txt("Of "), link(urlOf("/run", with(found.about().query, "step", strconv.Itoa(n))), id(found.about().title))),
		pager("/text", v.query, "part", before, after, fmt.Sprintf("bytes %d–%d of %d", begin, end, len(whole))),
		el("pre", class("text tall"), txt(strings.ToValidUTF8(whole[begin:end], ""))),
	}}, nil
}
