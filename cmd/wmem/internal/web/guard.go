package web

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
)

// Guard keeps web pages from reaching the handler through a browser on this machine. It refuses
// requests that a browser makes for a page of another origin, except reads, whose answers the
// browser does not show to the page.
//
// With localOnly, which is for servers without tokens, the Host of a request must be this
// machine. Otherwise a page whose host name resolves to 127.0.0.1 (DNS rebinding) would have
// the same origin as the server.
func Guard(next http.Handler, localOnly bool, refused func(status int)) http.Handler {
	forbid := func(w http.ResponseWriter, detail string) {
		deny(w, http.StatusForbidden, detail)
		refused(http.StatusForbidden)
	}
	origins := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case localOnly && !isLocal(r.Host):
			forbid(w, "Host is not this machine: a server without tokens is for localhost only")
		case origins.Check(r) != nil:
			forbid(w, "Request comes from a page of another origin")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// deny writes an error.
func deny(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"detail": detail}) // fails only if the client has gone
}

// isLocal reports whether a Host header names this machine.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
