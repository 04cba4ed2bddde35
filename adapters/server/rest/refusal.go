package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

// statusGone is logged if the client did not wait for the answer.
const statusGone = 499

// refusal is an error as an answer.
type refusal struct {
	status int
	detail string
	fields []wire.FieldError // if not nil, in place of detail
	header [][2]string
	cause  string // for the log
	logged int    // the status for the log; if 0, it is status
}

func refuse(status int, detail string) *refusal { return &refusal{status: status, detail: detail} }

// invalid refuses a request with invalid values.
func invalid(fields ...wire.FieldError) *refusal {
	return &refusal{status: http.StatusUnprocessableEntity, fields: fields}
}

// busy refuses a request that may be repeated.
func busy(detail string) *refusal {
	return refuse(http.StatusServiceUnavailable, detail).with("Retry-After", "1")
}

// stopped refuses a canceled request. It is also sent to clients that seem to have left: one
// that only closed its side of the connection still reads, and net/http would send it 200.
func stopped() *refusal { return busy("Request was stopped") }

// with adds a header.
func (r *refusal) with(name, value string) *refusal {
	r.header = append(r.header, [2]string{name, value})
	return r
}

func (r *refusal) Error() string { return fmt.Sprintf("rest: %d %s", r.status, r.detail) }

// refusalOf converts an error of a route. gone is true if the client has left.
func refusalOf(err error, rt *route, gone bool) *refusal {
	var (
		own     *refusal
		failure *service.Error
		form    *wire.Invalid
	)
	switch {
	case errors.As(err, &own):
		return own
	case gone:
		r := stopped()
		r.logged = statusGone
		return r
	case errors.As(err, &form):
		return invalid(form.Fields...)
	case errors.As(err, &failure):
		return refusalOfService(failure, rt)
	case errors.Is(err, context.DeadlineExceeded):
		return busy("Request took too long")
	case errors.Is(err, context.Canceled):
		return stopped()
	}
	// The text of an unknown error may have contents, so only its type is logged.
	return &refusal{status: http.StatusInternalServerError, detail: internal, cause: fmt.Sprintf("%T", err)}
}

const internal = "Internal Server Error"

func refusalOfService(e *service.Error, rt *route) *refusal {
	switch e.Kind {
	case service.Bad:
		return refuse(http.StatusBadRequest, e.Detail)
	case service.Invalid:
		if len(e.Fields) > 0 {
			return invalid(translate.Fields(e.Fields, rt.place)...)
		}
		return invalid(wire.FieldError{Type: "value_error", Loc: []any{"body"}, Msg: e.Detail})
	case service.Forbidden:
		return refuse(http.StatusForbidden, e.Detail)
	case service.NotFound:
		return refuse(http.StatusNotFound, e.Detail)
	case service.Gone:
		return refuse(http.StatusGone, e.Detail)
	case service.Stale:
		return refuse(http.StatusPreconditionFailed, e.Detail)
	case service.Conflict:
		return refuse(http.StatusConflict, e.Detail)
	case service.TooLarge:
		return refuse(http.StatusRequestEntityTooLarge, e.Detail)
	case service.Unavailable:
		return busy(e.Detail)
	case service.Internal:
	}
	// The service has logged the cause.
	return refuse(http.StatusInternalServerError, e.Detail)
}

// addTo sets the headers of the refusal.
func (r *refusal) addTo(header http.Header) {
	for _, h := range r.header {
		header.Set(h[0], h[1])
	}
}

// write answers the refusal.
func (r *refusal) write(w http.ResponseWriter) {
	r.addTo(w.Header())
	detail := wire.Detail{Detail: r.detail}
	if r.fields != nil {
		detail.Detail = r.fields
	}
	data, err := wire.Encode(detail)
	if err != nil { // an input without a JSON form
		data = []byte(`{"detail":"Request is not valid"}`)
	}
	send(w, r.status, mediaJSON, data)
}
