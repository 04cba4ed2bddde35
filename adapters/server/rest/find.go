package rest

import (
	"net/http"
	"net/url"
	"strings"
)

// find returns the route of a request and sets its path values. If no route has the method, it
// returns the methods of the path for the Allow header.
//
// TestWhatServeMuxWouldAnswer shows why the router is not http.ServeMux. No two patterns
// overlap, so find does not need its precedence rules.
func (h *Handler) find(r *http.Request) (rt *route, allowed string) {
	parts, ok := split(r.URL.EscapedPath())
	if !ok {
		return nil, ""
	}
	var methods []string
	for i := range h.routes {
		rt := &h.routes[i]
		if !rt.matches(parts) {
			continue
		}
		if rt.method == r.Method || rt.method == http.MethodGet && r.Method == http.MethodHead {
			rt.bind(parts, r)
			return rt, ""
		}
		if methods = append(methods, rt.method); rt.method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	return nil, strings.Join(methods, ", ")
}

// split splits an escaped path, with or without a trailing slash. It refuses parts that a proxy
// would clean away; escaped ones (%2E%2E) are names like any other.
func split(path string) (parts []string, ok bool) {
	path, ok = strings.CutPrefix(path, "/")
	if !ok {
		return nil, false
	}
	parts = strings.SplitN(strings.TrimSuffix(path, "/"), "/", maxParts+1)
	for _, part := range parts {
		if part == "" || part == "." || part == ".." {
			return nil, false
		}
	}
	return parts, len(parts) <= maxParts
}

// maxParts is more than the parts of any pattern.
const maxParts = 8

// matches reports whether a path matches the pattern of the route.
func (rt *route) matches(parts []string) bool {
	if len(rt.parts) != len(parts) {
		return false
	}
	for i, part := range rt.parts {
		if !isWildcard(part) && part != parts[i] {
			return false
		}
	}
	return true
}

// bind sets the path values of the request.
func (rt *route) bind(parts []string, r *http.Request) {
	for i, part := range rt.parts {
		if isWildcard(part) {
			value, err := url.PathUnescape(parts[i])
			if err != nil { // EscapedPath returns valid parts
				value = parts[i]
			}
			r.SetPathValue(strings.Trim(part, "{}"), value)
		}
	}
}

func isWildcard(part string) bool { return strings.HasPrefix(part, "{") }
