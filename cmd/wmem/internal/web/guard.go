package web

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
)

// Guard keeps web pages from using a browser of this machine as a way in. Requests that a
// browser makes for a page of another origin are refused, but for those that only read, whose
// answers it keeps from the page.
//
// With localOnly, which is for servers without tokens, requests must also be addressed to this
// machine: a page whose own name is made to stand for 127.0.0.1 has the same origin as what
// answers there.
func Guard(next http.Handler, localOnly bool, refused func(status int)) http.Handler {
	forbid := func(w http.ResponseWriter, detail string) {
		deny(w, http.StatusForbidden, detail)
		refused(http.StatusForbidden)
	}
	origins := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case localOnly && !isLocal(r.Host):
			forbid(w, "Host is not this machine: without tokens it is for localhost only")
		case origins.Check(r) != nil:
			forbid(w, "Request is made by a page of another origin")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// deny answers an error.
func deny(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"detail": detail}) // the client is gone
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
