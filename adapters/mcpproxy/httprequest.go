package mcpproxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
)

// do sends an HTTP request. Errors have the host but not the
// rest of the URL, which may be secret.
func (h *HTTP) do(ctx context.Context, method string, body []byte, lastEvent string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, h.url, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the URL of the server is not valid")
	}
	maps.Copy(r.Header, h.opts.Header)
	r.Header.Set("Accept", "text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	h.mu.Lock()
	own := map[string]string{"Mcp-Session-Id": h.session, "Mcp-Protocol-Version": h.version, "Last-Event-Id": lastEvent}
	h.mu.Unlock()
	for name, value := range own {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	answer, err := h.opts.Client.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	if err != nil {
		return nil, fmt.Errorf("the server at %s cannot be reached: %w", r.URL.Host, err)
	}
	return answer, nil
}

// statusError returns an error for an answer other than a success.
func statusError(answer *http.Response) error {
	if answer.StatusCode >= 200 && answer.StatusCode < 300 {
		return nil
	}
	return fmt.Errorf("the server answered with HTTP %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
}

// isEventStream reports whether an answer is a stream of messages.
func isEventStream(answer *http.Response) bool {
	kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return err == nil && kind == "text/event-stream"
}
