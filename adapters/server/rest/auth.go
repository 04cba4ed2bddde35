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

// Class says who may use a route.
type Class string

// The classes of routes.
const (
	ClassOpen     Class = "open"     // everybody, without a token
	ClassTenant   Class = "tenant"   // every token, for what its tenant has
	ClassOperator Class = "operator" // tokens that are bound to no tenant
)

// maxTokenBytes is longer than any token is.
const maxTokenBytes = 1 << 10

type tenantKey struct{}

// whoKey is the key of whom requests are counted for, in a context.
type whoKey struct{}

// TenantFrom returns whose sessions and memories the request of a context may read and write.
// ok is false where nobody authenticated it: outside of Handler and of what its Authenticate
// wraps. Without a Verifier it is everybody's.
func TenantFrom(ctx context.Context) (t auth.Tenant, ok bool) {
	t, ok = ctx.Value(tenantKey{}).(auth.Tenant)
	return t, ok
}

// Authenticate lets requests through to another handler as to the routes of h: with a valid
// token, at the same rate. TenantFrom finds the tenant then.
func (h *Handler) Authenticate(next http.Handler) http.Handler { return h.guard(ClassTenant, next) }

// AuthenticateOperator is Authenticate for tokens that are bound to no tenant; others are
// answered 403. It is for what tells of everybody, as metrics do.
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
				a.cause, a.status = refused.cause, cmp.Or(refused.seen, refused.status)
			} else if refused.cause != "" {
				h.opts.Logger.ErrorContext(r.Context(), "rest: a token was not checked", "error", refused.cause)
			}
			refused.write(w)
			return
		}
		if observed {
			a.token = token.ID
		}
		ctx := context.WithValue(r.Context(), tenantKey{}, token.Tenant)
		next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, whoKey{}, h.who(r, token))))
	})
}

// admit says whose a request is, and whether it may come now. Without a Verifier it is of the
// zero token.
func (h *Handler) admit(r *http.Request, class Class) (auth.Token, error) {
	if class == ClassOpen || h.opts.Verifier == nil {
		return auth.Token{}, h.count(h.who(r, auth.Token{}))
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
	return token, h.count(h.who(r, token))
}

// who is for whom a request is counted.
func (h *Handler) who(r *http.Request, token auth.Token) string {
	if token.ID == "" {
		return clientOf(r)
	}
	return "token " + token.ID
}

// verify checks a token. Who failed too often from an address is not heard any more for a
// while, but for tokens that were valid before: a neighbour behind the same proxy must not
// lock them out.
func (h *Handler) verify(ctx context.Context, text, client string) (auth.Token, error) {
	hash := sha256.Sum256([]byte(text))
	if h.failures.spent(client) {
		if _, ok := h.known.peek(hash); !ok {
			return auth.Token{}, tooMany("Too many failed authentications", 0)
		}
	}
	token, err := h.opts.Verifier.Verify(ctx, text)
	switch {
	case err == nil:
		h.known.get(hash, func() struct{} { return struct{}{} })
		return token, nil
	case errors.Is(err, auth.ErrInvalid), errors.Is(err, auth.ErrExpired):
		h.known.drop(hash)
		h.failures.use(client, 1)
		if errors.Is(err, auth.ErrExpired) {
			return auth.Token{}, unauthorized("Token has expired")
		}
		return auth.Token{}, unauthorized("Invalid token")
	case ctx.Err() != nil:
		return auth.Token{}, ctx.Err()
	}
	// That nobody knows is no reason to say that the token is wrong.
	r := busy("Authentication is not available")
	r.cause = err.Error()
	return auth.Token{}, r
}

// count counts a request of a token or address.
func (h *Handler) count(who string) error {
	if h.requests == nil {
		return nil
	}
	if wait, ok := h.requests.use(who, 1); !ok {
		return tooMany("Too many requests", wait)
	}
	return nil
}

// CountMore counts n more requests for whom a request is of that Authenticate let through: for
// bodies that bring several. Either all of them may come, or none was counted; wait is how long
// until they may then, 0 if they never may at once.
func (h *Handler) CountMore(ctx context.Context, n int) (wait time.Duration, ok bool) {
	who, known := ctx.Value(whoKey{}).(string)
	if h.requests == nil || !known {
		return 0, true
	}
	return h.requests.use(who, n)
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
