package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// MaxAnswerBytes is the size of the largest answer that a Client reads.
const MaxAnswerBytes = 64 << 20

// Timeout is how long a request takes at most, where the caller's http.Client has no limit.
const Timeout = 30 * time.Second

// Options configures a Client. The zero value is useful.
type Options struct {
	// Token is sent with each request, if it is not empty.
	Token string
	// HTTPClient makes the requests. nil means the defaults. One whose Timeout is 0 gets that
	// of this package; one whose CheckRedirect is nil follows no redirects, which are errors
	// then: the token is for the server it was given for.
	HTTPClient *http.Client
	// Namespace and UserID are those of requests that name none. Empty: the server decides.
	Namespace, UserID string
	// Retries is how often a request that can be repeated is, after errors of the
	// connection and the statuses 429 and 503. It waits as long as the server asks, 30 s at
	// most, else for 100 ms at first, then longer, 5 s at most. 0: never. At most 10.
	Retries int
}

// Client calls one server. It is safe for concurrent use.
type Client struct {
	base string // without a slash at its end
	http *http.Client
	opts Options
}

// New makes a client of a server's address, "http://127.0.0.1:8000". The routes may begin
// further on: "https://example.com/memory". nil options mean the defaults.
func New(baseURL string, opts *Options) (*Client, error) {
	base, err := url.Parse(baseURL)
	switch {
	case err != nil:
		return nil, errors.New("client: the address is no URL")
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, errors.New("client: the address is not http://… or https://…")
	case base.User != nil:
		return nil, errors.New("client: the address has a user: use Options.Token")
	case base.RawQuery != "" || base.ForceQuery || base.Fragment != "":
		return nil, errors.New("client: the address has more than a path")
	}
	c := &Client{base: strings.TrimRight(base.String(), "/")}
	if opts != nil {
		c.opts = *opts
	}
	if !isToken(c.opts.Token) {
		return nil, errors.New("client: the token has characters that no header may have")
	}
	if c.opts.Retries < 0 || c.opts.Retries > 10 {
		return nil, fmt.Errorf("client: %d retries are not from 0 to 10", c.opts.Retries)
	}
	c.http = withDefaults(c.opts.HTTPClient)
	return c, nil
}

// isToken tells whether a text is of visible ASCII characters.
func isToken(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// withDefaults is a client for requests that have a token and must come to an end.
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
