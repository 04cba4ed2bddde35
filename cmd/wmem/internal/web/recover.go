package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// Recover answers 500 if the handler panics, and logs the stack but not the value of the panic,
// which may have contents. net/http would log it.
func Recover(next http.Handler, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p) // net/http does not log it
			default:
				logger.ErrorContext(r.Context(), "web: handler panicked", "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
				deny(w, http.StatusInternalServerError, "Internal Server Error") // no effect if an answer has begun
			}
		}()
		next.ServeHTTP(w, r)
	})
}
