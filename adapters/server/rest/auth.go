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

// Authenticate returns a handler that passes requests to next if they have a valid token and
// stay within the rate limit, as for the routes of h. next finds the tenant with TenantFrom.
func (h *Handler) Authenticate(next http.Handler) http.Handler { return h.guard(ClassTenant, next) }

// AuthenticateOperator is Authenticate for tokens that are not bound to a tenant; others are
// answered 403. It is for data of all tenants, such as metrics.
func (h *Handler) AuthenticateOperator(next http.Handler) http.Handler {
	return h.guard(ClassOperator, next)
}

func (h *Handler) guard(class Class, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, observed := w.(*answer) // by Observed
		token, err := h.admit(r, class)
		if err != nil {
			refused := refusalOf(err, nil, r.Context().Err() != nil)
			if observed {
				a.cause, a.status = refused.cause, cmp.Or(refused.logged, refused.status)
			} else if refused.cause != "" {
				h.opts.Logger.ErrorContext(r.Context(), "rest: checking a token failed", "error", refused.cause)
			}
			refused.write(w)
			return
		}
		if observed {
			a.token = token.ID
		}
		ctx := context.WithValue(r.Context(), tenantKey{}, token.Tenant)
		next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, requesterKey{}, h.requester(r, token))))
	})
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
	token, err := h.verify(r.Context(), text, clientOf(r))
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
		return clientOf(r)
	}
	return "token " + token.ID
}

// verify checks a token. An address with too many failures is refused for a while, except for
// tokens that were valid before: a neighbour behind the same proxy must not lock them out.
func (h *Handler) verify(ctx context.Context, text, client string) (auth.Token, error) {
	hash := sha256.Sum256([]byte(text))
	if h.failures.isExhausted(client) {
		if _, ok := h.known.peek(hash); !ok {
			return auth.Token{}, tooMany("Too many failed authentications", 0)
		}
	}
	token, err := h.opts.Verifier.Verify(ctx, text)
	switch {
	case err == nil:
		h.known.getOrAdd(hash, func() struct{} { return struct{}{} })
		return token, nil
	case errors.Is(err, auth.ErrInvalid), errors.Is(err, auth.ErrExpired):
		h.known.remove(hash)
		h.failures.use(client, 1)
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
	requester, known := ctx.Value(requesterKey{}).(string)
	if h.requests == nil || !known {
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
