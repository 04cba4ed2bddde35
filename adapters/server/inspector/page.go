package inspector

import (
	"bytes"
	"embed"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

//go:embed assets/style.css assets/script.js assets/icon.svg
var assets embed.FS

// assetTypes are the types of the files in assets, by path.
func assetTypes() map[string]string {
	return map[string]string{"/style.css": "text/css", "/script.js": "text/javascript", "/icon.svg": "image/svg+xml"}
}

// serveAsset serves a file and reports whether the path names one.
func serveAsset(w http.ResponseWriter, r *http.Request, path string) bool {
	typ, ok := assetTypes()[path]
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	data, _ := assets.ReadFile("assets" + path) // embedded
	w.Header().Set("Content-Type", typ+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(data) // fails only if the client has gone
	}
	return true
}

// visit is a request for a page.
type visit struct {
	*Handler
	request *http.Request
	tenant  auth.Tenant
	query   url.Values
}

// page is a page without what all have.
type page struct {
	title string
	main  part
	wide  bool // uses the width of the window
	bare  bool // without navigation
}

// write writes a page.
func (h *Handler) write(w http.ResponseWriter, r *http.Request, status int, p page) {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n")
	width := "narrow"
	if p.wide {
		width = "wide"
	}
	el("html", at("lang", "en"),
		el("head",
			el("meta", at("charset", "utf-8")), el("title", txt(p.title+" · wmem inspector")),
			el("meta", at("name", "viewport"), at("content", "width=device-width, initial-scale=1")),
			el("meta", at("name", "color-scheme"), at("content", "light dark")),
			el("link", at("rel", "icon"), at("href", Path+"/icon.svg")),
			el("link", at("rel", "stylesheet"), at("href", Path+"/style.css")),
			el("script", at("src", Path+"/script.js"), at("defer", "")),
		),
		el("body", class(width),
			el("a", class("skip"), at("href", "#main"), txt("Skip to the content")),
			el("header", class("top"), el("a", class("brand"), at("href", Path+"/"), txt("wmem inspector")), when(!p.bare, h.navigation(r))),
			el("main", at("id", "main"), at("tabindex", "-1"), p.main),
		),
	).write(&b)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(b.Bytes()) // fails only if the client has gone
	}
}

// navigation returns the links to all lists.
func (h *Handler) navigation(r *http.Request) part {
	here := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, Path), "/")
	item := func(path, name string) part {
		return el("li", el("a", at("href", Path+path+"/"), whenAt(here == path, "aria-current", "page"), txt(name)))
	}
	lists := group{item("", "Sessions")}
	if h.service == nil {
		lists = group{item("", "Episodes")}
	} else if h.opts.Memory != nil {
		lists = append(lists, item("/memories", "Long-term memory"))
		if h.opts.Views != nil {
			lists = append(lists, item("/summaries", "Summaries"))
		}
	}
	return group{
		el("nav", at("aria-label", "Lists"), el("ul", lists...)),
		when(h.authenticated != nil, el("form", class("logout"), at("method", "post"), at("action", Path+"/logout"), el("button", class("quiet"), txt("Log out")))),
	}
}

// link returns a link to a path of this package.
func link(to string, content ...part) part {
	return el("a", append([]part{at("href", to)}, content...)...)
}

// urlOf returns the path of a page with a query.
func urlOf(path string, query url.Values) string {
	if len(query) == 0 {
		return Path + path
	}
	return Path + path + "?" + query.Encode()
}

// with returns a query with one value replaced, or removed if it is empty.
func with(query url.Values, name, value string) url.Values {
	changed := maps.Clone(query)
	if value == "" {
		delete(changed, name)
	} else {
		changed[name] = []string{value}
	}
	return changed
}

// section returns a part of a page with a heading.
func section(id string, title part, content ...part) part {
	return el("section", append([]part{at("aria-labelledby", id+"-title"), at("id", id), el("h2", at("id", id+"-title"), title)}, content...)...)
}

// folded returns a section that is closed at first.
func folded(id string, title part, content ...part) part {
	return el("details", append([]part{at("id", id), el("summary", title)}, content...)...)
}

// hidden returns the fields of a form that keep a query, except those that the form has.
func hidden(id string, query url.Values, except ...string) part {
	fields := []part{at("id", id), at("data-swap", ""), at("hidden", "")}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(except, name) {
			fields = append(fields, el("input", at("type", "hidden"), at("name", name), at("value", query.Get(name))))
		}
	}
	return el("span", fields...)
}

// numberOf returns a number of a query from least to most, or otherwise.
func numberOf(query url.Values, name string, least, most, otherwise int) int {
	n, err := strconv.Atoi(query.Get(name))
	if err != nil {
		return otherwise
	}
	return min(max(n, least), most)
}
