package inspector

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

const (
	// CookieName is the name of the cookie that holds the token of a person who logged in. It is
	// sent to Path only, and not with requests of other sites.
	CookieName = "wmem_inspector"
	// maxLoginBytes is more than the size of any login form.
	maxLoginBytes = 8 << 10
)

// withToken returns a request with the token of its login form or its cookie in the header, unless it
// has one there.
func withToken(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.Header.Get("Authorization") != "" {
		return r
	}
	token := ""
	if r.Method == http.MethodPost {
		r.Body = http.MaxBytesReader(w, r.Body, maxLoginBytes)
		token = strings.TrimSpace(r.PostFormValue("token"))
	} else if c, err := r.Cookie(CookieName); err == nil {
		token = c.Value
	}
	if token == "" {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// logIn keeps the token of a request in a cookie for as long as the browser runs.
func (h *Handler) logIn(w http.ResponseWriter, r *http.Request) {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && r.Method == http.MethodPost {
		http.SetCookie(w, cookie(r, token, 0))
	}
	http.Redirect(w, r, destination(r.PostFormValue("to")), http.StatusSeeOther)
}

// logOut removes the cookie.
func (h *Handler) logOut(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, cookie(r, "", -1))
	http.Redirect(w, r, Path+"/login", http.StatusSeeOther)
}

// cookie returns the cookie with a token. Plain HTTP carries it within this machine only.
func cookie(r *http.Request, token string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: CookieName, Value: token, Path: Path, MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil || !isLocal(r.Host),
	}
}

// isLocal reports whether a Host header names this machine.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// destination returns the page to go to after the login: one of this package.
func destination(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || u.Path != Path && !strings.HasPrefix(u.Path, Path+"/") || strings.Contains(to, "/login") {
		return Path + "/"
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// refused answers a request that is not served: with the login form, if a token is missing.
func (h *Handler) refused(w http.ResponseWriter, r *http.Request, status int, detail string) {
	if status != http.StatusUnauthorized {
		h.write(w, r, status, page{title: http.StatusText(status), bare: true, main: group{
			el("h1", txt(http.StatusText(status))), el("p", txt(detail)), el("p", link(Path+"/", txt("To the overview"))),
		}})
		return
	}
	to := r.URL.RequestURI()
	if r.Method == http.MethodPost {
		to = r.PostFormValue("to")
	}
	given := r.Header.Get("Authorization") != ""
	h.write(w, r, status, page{title: "Log in", bare: true, main: group{
		el("h1", txt("Log in")),
		when(given, el("p", class("error"), at("role", "alert"), txt(detail))),
		el("form", class("login"), at("method", "post"), at("action", Path+"/login"),
			el("input", at("type", "hidden"), at("name", "to"), at("value", destination(to))),
			el("label", at("for", "token"), txt("Token of this server")),
			el("input", at("id", "token"), at("name", "token"), at("type", "password"), at("autocomplete", "current-password"), at("required", ""), at("autofocus", "")),
			el("button", txt("Log in")),
		),
		el("p", class("hint"), txt("wmem token create makes one. You see what it may read.")),
	}})
}
