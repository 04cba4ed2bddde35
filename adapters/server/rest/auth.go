package rest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

// Class is the authorization that a route requires.
type Class string

// The classes of routes.
const (
	ClassOpen     Class = "open"     // no token
	ClassTenant   Class = "tenant"   // any token, for the data of its tenant
	ClassOperator Class = "operator" // a token that is not bound to a tenant
)

// maxTokenBytes is more than the length of any token.
const maxTokenBytes = 1 << 10

// tenantKey is the context key of the tenant of a request.
type tenantKey struct{}

// requesterKey is the context key of the token or address that requests are counted for.
type requesterKey struct{}

// TenantFrom returns the tenant whose sessions and memories the request of a context may read
// and write. ok is false if the request was not authenticated by a Handler. Without a Verifier,
// the tenant is the zero one, which may access everything.
func TenantFrom(ctx context.Context) (t auth.Tenant, ok bool) {
	t, ok = ctx.Value(tenantKey{}).(auth.Tenant)
	return t, ok
}

// RequesterFrom returns the token or address that the request of a context is counted for, as a
// text that no two of them share. It returns "" if the request was not authenticated by a
// Handler.
func RequesterFrom(ctx context.Context) string {
	requester, _ := ctx.Value(requesterKey{}).(string)
	return requester
}

// Authenticate returns a handler that passes requests to next if they have a valid token and
// stay within the rate limit, as for the routes of h. next finds the tenant with TenantFrom.
func (h *Handler) Authenticate(next http.Handler) http.Handler {
	return h.guard(ClassTenant, next, nil)
}

// AuthenticateOr is Authenticate with other answers for requests that are refused, such as a page to
// log in. The headers of the refusal are set.
func (h *Handler) AuthenticateOr(next http.Handler, refused func(w http.ResponseWriter, r *http.Request, status int, detail string)) http.Handler {
	return h.guard(ClassTenant, next, refused)
}

// AuthenticateOperator is Authenticate for tokens that are not bound to a tenant; others are
// answered 403. It is for data of all tenants, such as metrics.
func (h *Handler) AuthenticateOperator(next http.Handler) http.Handler {
	return h.guard(ClassOperator, next, nil)
}

func (h *Handler) guard(class Class, next http.Handler, instead func(w http.ResponseWriter, r *http.Request, status int, detail string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, observed := w.(*answer) // by Observed
		ctx, cancel := context.WithTimeout(r.Context(), h.opts.Timeout)
		token, err := h.admit(r.WithContext(ctx), class)
		cancel()
		if err != nil {
			refused := refusalOf(err, nil, r.Context().Err() != nil)
			if observed {
				a.cause, a.status = refused.cause, cmp.Or(refused.logged, refused.status)
			} else if refused.cause != "" {
				h.opts.Logger.ErrorContext(r.Context(), "rest: checking a token failed", "error", refused.cause)
			}
			if instead == nil {
				refused.write(w)
				return
			}
			refused.addTo(w.Header())
			instead(w, r, refused.status, refused.detail)
			return
		}
		if observed {
			a.token = token.ID
		}
		next.ServeHTTP(w, r.WithContext(h.authenticated(r, token)))
	})
}

// authenticated returns the context of a request with its tenant and its requester.
func (h *Handler) authenticated(r *http.Request, token auth.Token) context.Context {
	ctx := context.WithValue(r.Context(), tenantKey{}, token.Tenant)
	return context.WithValue(ctx, requesterKey{}, h.requester(r, token))
}

// admit authenticates a request and counts it. Without a Verifier, the token is the zero one.
func (h *Handler) admit(r *http.Request, class Class) (auth.Token, error) {
	if class == ClassOpen || h.opts.Verifier == nil {
		return auth.Token{}, h.count(h.requester(r, auth.Token{}))
	}
	text, err := bearer(r.Header)
	if err != nil {
		return auth.Token{}, err
	}
	token, err := h.verify(r.Context(), text, h.clientOf(r))
	if err != nil {
		return auth.Token{}, err
	}
	if class == ClassOperator && token.Tenant != (auth.Tenant{}) {
		return auth.Token{}, refuse(http.StatusForbidden, "Token is bound to a tenant")
	}
	return token, h.count(h.requester(r, token))
}

// requester returns the token or address that a request is counted for.
func (h *Handler) requester(r *http.Request, token auth.Token) string {
	if token.ID == "" {
		return h.clientOf(r)
	}
	return tokenKey(token.ID)
}

// clientOf returns the address of the client of a request.
func (h *Handler) clientOf(r *http.Request) string {
	return clientOf(r.RemoteAddr, r.Header["X-Forwarded-For"], h.opts.TrustedProxies)
}

// tokenKey returns the key under which requests and failures with a token are counted.
func tokenKey(id string) string { return "token " + id }

// verify checks a token. Failures are counted for the id that the text names, or else for the
// client, and after too many of them the answer is 429. They never keep a token from being
// looked up: clients that share its proxy, or know its id, which is public, must not lock it
// out. The secret cannot be guessed at any rate, and maxStrangers protects the store.
func (h *Handler) verify(ctx context.Context, text, client string) (auth.Token, error) {
	hash := sha256.Sum256([]byte(text))
	token, err := h.lookUp(ctx, text, hash)
	switch {
	case err == nil:
		h.known.getOrAdd(hash, func() struct{} { return struct{}{} })
		return token, nil
	case errors.Is(err, auth.ErrInvalid), errors.Is(err, auth.ErrExpired):
		h.known.remove(hash)
		key := client
		if id, ok := auth.ParseID(text); ok {
			key = tokenKey(id)
		}
		if wait, ok := h.failures.use(key, 1); !ok {
			return auth.Token{}, tooMany("Too many failed authentications", wait)
		}
		if errors.Is(err, auth.ErrExpired) {
			return auth.Token{}, unauthorized("Token has expired")
		}
		return auth.Token{}, unauthorized("Invalid token")
	case ctx.Err() != nil:
		return auth.Token{}, ctx.Err()
	}
	// The token may be valid.
	r := busy("Authentication is not available")
	r.cause = err.Error()
	return auth.Token{}, r
}

// lookUp asks the Verifier. Tokens that were not valid before wait for each other.
func (h *Handler) lookUp(ctx context.Context, text string, hash [sha256.Size]byte) (auth.Token, error) {
	if !h.known.has(hash) {
		select {
		case h.strangers <- struct{}{}:
			defer func() { <-h.strangers }()
		case <-ctx.Done():
			return auth.Token{}, ctx.Err()
		}
	}
	return h.opts.Verifier.Verify(ctx, text)
}

// count counts a request of a token or address.
func (h *Handler) count(requester string) error {
	if h.requests == nil {
		return nil
	}
	if wait, ok := h.requests.use(requester, 1); !ok {
		return tooMany("Too many requests", wait)
	}
	return nil
}

// CountMore counts n more requests against the rate limit of the request of ctx, which must have
// passed Authenticate. It is for bodies with several requests. If ok is false, none is counted,
// and wait is the time until all of them fit the limit, or 0 if they never do.
func (h *Handler) CountMore(ctx context.Context, n int) (wait time.Duration, ok bool) {
	requester := RequesterFrom(ctx)
	if h.requests == nil || requester == "" {
		return 0, true
	}
	return h.requests.use(requester, n)
}

// bearer returns the token of a request.
func bearer(header http.Header) (string, error) {
	values := header.Values("Authorization")
	if len(values) == 0 {
		return "", unauthorized("Missing authorization header")
	}
	scheme, text, _ := strings.Cut(strings.TrimSpace(values[0]), " ")
	text = strings.TrimSpace(text)
	switch {
	case !strings.EqualFold(scheme, "Bearer"):
		return "", unauthorized("Missing authorization header")
	case text == "":
		return "", unauthorized("Missing bearer token")
	case len(values) > 1, len(text) > maxTokenBytes:
		return "", unauthorized("Invalid token")
	}
	return text, nil
}

func unauthorized(detail string) *refusal {
	return refuse(http.StatusUnauthorized, detail).with("WWW-Authenticate", "Bearer")
}
