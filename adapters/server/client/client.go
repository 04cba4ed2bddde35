package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// MaxAnswerBytes is the maximum size of an answer.
const MaxAnswerBytes = 64 << 20

// Timeout limits a request if the caller's http.Client has no limit of its own.
const Timeout = 30 * time.Second

// Options configures a Client. The zero value is useful.
type Options struct {
	// Token is sent with each request, if it is not empty.
	Token string
	// HTTPClient makes the requests. If its Timeout is zero, Timeout applies. If its
	// CheckRedirect is nil, redirects are not followed but reported as errors, so that the
	// token stays with the server it is meant for. If HTTPClient is nil, the defaults apply.
	HTTPClient *http.Client
	// Namespace and UserID are the defaults for requests that name none. If empty, the server
	// decides.
	Namespace, UserID string
	// Retries is how often a repeatable request is retried after connection errors and the
	// statuses 429 and 503, from 0 to 10. The client waits as long as the server asks, up to
	// 30 s; if it does not ask, the pause grows from 100 ms to 5 s.
	Retries int
}

// Client calls one server. It is safe for concurrent use.
type Client struct {
	base string // without a trailing slash
	http *http.Client
	opts Options
}

// New returns a client of the server at baseURL, such as "http://127.0.0.1:8000" or, if the
// routes are below a path, "https://example.com/memory". Nil options mean the defaults.
func New(baseURL string, opts *Options) (*Client, error) {
	base, err := url.Parse(baseURL)
	switch {
	case err != nil:
		return nil, errors.New("client: the address is not a URL")
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, errors.New("client: the address must begin with http:// or https:// and name a host")
	case base.User != nil:
		return nil, errors.New("client: the address must not contain a user: use Options.Token")
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return nil, errors.New("client: the address must not contain a query or fragment")
	}
	c := &Client{base: strings.TrimRight(base.String(), "/")}
	if opts != nil {
		c.opts = *opts
	}
	if !isVisibleASCII(c.opts.Token) {
		return nil, errors.New("client: the token contains characters that are not allowed in a header")
	}
	if c.opts.Retries < 0 || c.opts.Retries > 10 {
		return nil, fmt.Errorf("client: Retries is %d, must be from 0 to 10", c.opts.Retries)
	}
	c.http = withDefaults(c.opts.HTTPClient)
	return c, nil
}

// isVisibleASCII reports whether text consists of visible ASCII characters.
func isVisibleASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// withDefaults returns a copy of given that has a timeout and does not follow redirects.
func withDefaults(given *http.Client) *http.Client {
	var own http.Client
	if given != nil {
		own = *given
	}
	if own.Timeout == 0 {
		own.Timeout = Timeout
	}
	if own.CheckRedirect == nil {
		own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return &own
}
