package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// Recover answers 500 for a handler that panicked, and logs where. What it panicked with may be
// of the contents: net/http would log it.
func Recover(next http.Handler, logger *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p) // which net/http does not log
			default:
				logger.ErrorContext(r.Context(), "web: a handler panicked", "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
				deny(w, http.StatusInternalServerError, "Internal Server Error") // passed over where an answer has begun
			}
		}()
		next.ServeHTTP(w, r)
	})
}
