package inspector

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

const (
	// listed is the number of runs on a page.
	listed = 25
	// scanned is the number of sessions whose keys a search looks at.
	scanned = 5000
)

// list is the page with all runs.
func (v *visit) list() (page, error) {
	found, err := v.source.list(v.request.Context(), v.tenant, v.query)
	if err != nil {
		return page{}, err
	}
	return page{title: found.title, wide: true, main: group{
		el("h1", txt(found.title)), found.search, found.summary, table(found), found.pages,
	}}, nil
}

func table(l listing) part {
	if len(l.rows) == 0 {
		return el("p", class("none"), txt(l.none))
	}
	head, body := []part{}, []part{}
	for _, name := range l.head {
		head = append(head, el("th", at("scope", "col"), txt(name)))
	}
	for _, r := range l.rows {
		cells := []part{el("th", at("scope", "row"), link(urlOf("/run", r.query), r.cells[0]))}
		for _, cell := range r.cells[1:] {
			cells = append(cells, el("td", cell))
		}
		body = append(body, el("tr", cells...))
	}
	return scroller("list", el("table", el("thead", el("tr", head...)), el("tbody", body...)))
}

// scroller returns something wide that is scrolled by itself.
func scroller(name string, content part) part {
	return el("div", class("scroll"), at("role", "region"), at("tabindex", "0"), at("aria-label", name), content)
}

// searchForm returns a form with one field for a text and further parts.
func searchForm(action, label, name, value string, more ...part) part {
	return el("form", append([]part{
		class("search"), at("role", "search"), at("action", Path+action),
		el("label", at("for", name), txt(label)),
		el("input", at("id", name), at("name", name), at("type", "search"), at("value", value), at("spellcheck", "false"), at("autocomplete", "off")),
	}, append(more, el("button", txt("Search")))...)...)
}

// pager returns links to the pages beside one. A page that is not there has a negative number.
func pager(path string, query url.Values, name string, before, after int, about string) part {
	side := func(n int, rel, text string) part {
		if n < 0 {
			return el("span", class("off"), txt(text))
		}
		return el("a", at("rel", rel), at("href", urlOf(path, with(query, name, strconv.Itoa(n)))), txt(text))
	}
	return el("nav", class("pager"), at("aria-label", "Pages"), side(before, "prev", "← Previous"), el("span", txt(about)), side(after, "next", "Next →"))
}

// list implements source.
func (l *live) list(ctx context.Context, t auth.Tenant, query url.Values) (listing, error) {
	first, text := numberOf(query, "from", 0, 1<<40, 0), query.Get("q")
	keys, total, partly, err := l.find(ctx, service.Tenant(t), text, first)
	if err != nil {
		return listing{}, err
	}
	found := listing{
		title: "Sessions", search: searchForm("/", "Id, namespace or user", "q", text),
		head: []string{"session", "namespace", "user", "changed", "messages", "tokens", "entities"},
		none: "No session is stored.", summary: group(nil), pages: group(nil),
	}
	if text != "" {
		found.none = "No session matches."
	}
	if partly {
		found.summary = el("p", class("hint"), txtf("Only the first %d sessions were searched: give the whole id to find any.", scanned))
	}
	for _, key := range keys {
		r, err := l.rowOf(ctx, service.Tenant(t), key)
		if err != nil {
			return listing{}, err
		}
		found.rows = append(found.rows, r)
	}
	if total > len(keys) {
		before, after := max(first-listed, 0), first+listed
		if first == 0 {
			before = -1
		}
		if after >= total {
			after = -1
		}
		found.pages = pager("/", query, "from", before, after, fmt.Sprintf("%d–%d of %d", first+1, first+len(keys), total))
	}
	return found, nil
}

// find returns a page of the keys that match a text, and their number. partly is set if not all were
// looked at.
func (l *live) find(ctx context.Context, t service.Tenant, text string, first int) (keys []session.Key, total int, partly bool, err error) {
	if text == "" {
		page, err := l.service.ListSessions(ctx, t, nil, nil, listed, first)
		return page.Keys, page.Total, false, err
	}
	exact, err := l.service.FindSessions(ctx, t, text)
	if err != nil || len(exact) > 0 {
		return exact, len(exact), false, err
	}
	var matching []session.Key
	offset := 0
	for {
		page, err := l.service.ListSessions(ctx, t, nil, nil, service.MaxPage, offset)
		if err != nil {
			return nil, 0, false, err
		}
		for _, key := range page.Keys {
			if containsFold(key.SessionID, text) || containsFold(key.Namespace, text) || containsFold(key.UserID, text) {
				matching = append(matching, key)
			}
		}
		offset += len(page.Keys)
		if partly = offset < page.Total; !partly || offset >= scanned || len(page.Keys) == 0 {
			break
		}
	}
	end := min(first+listed, len(matching))
	return matching[min(first, end):end], len(matching), partly, nil
}

func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// rowOf returns the row of a session, without figures if it has ended since.
func (l *live) rowOf(ctx context.Context, t service.Tenant, key session.Key) (row, error) {
	query := queryOf(key)
	r := row{query: query, cells: []part{id(key.SessionID), txt(key.Namespace), txt(key.UserID)}}
	found, err := l.service.Overview(ctx, t, refOf(query))
	if e, ok := errors.AsType[*service.Error](err); ok && (e.Kind == service.NotFound || e.Kind == service.Internal) {
		return row{query, append(r.cells, txt(e.Detail), txt(""), txt(""), txt(""))}, nil
	} else if err != nil {
		return r, err
	}
	u := &found.Usage
	r.cells = append(r.cells, txt(clock(found.LastAccessed)), number(u.Messages), meter(u.Tokens, u.Window), number(u.Entities))
	return r, nil
}

// id returns an identifier.
func id(text string) part { return el("code", txt(text)) }

// meter shows how much of a limit is used. A limit of 0 is none.
func meter(n, limit int) part {
	if limit <= 0 {
		return number(n)
	}
	text := fmt.Sprintf("%d of %d", n, limit)
	return el("span", class("meter"),
		el("meter", at("max", strconv.Itoa(limit)), at("high", strconv.Itoa(limit*9/10)), at("value", strconv.Itoa(min(n, limit))), at("aria-hidden", "true")),
		el("span", txt(text)))
}
