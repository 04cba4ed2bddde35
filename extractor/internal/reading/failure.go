package reading

import (
	"bytes"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// noteFailure detects results that report an error: {"error":"…"}, {"success":false}.
func (r *Reader) noteFailure(fr *frame, k *naming.Key, kind document.Kind, text []byte) {
	if len(r.frames) == r.base+2 && !fr.Inherited {
		return
	}
	switch k.Name {
	case "deleted", "removed":
		r.call.Failed = r.call.Failed || kind == document.Bool && string(text) == "false" && r.call.Tool.Effect == naming.EffectDeleted
	case "success", "ok", "successful":
		r.call.Failed = r.call.Failed || kind == document.Bool && string(text) == "false"
	case "isError", "is_error":
		r.call.Failed = r.call.Failed || kind == document.Bool && string(text) == "true"
	case "status", "statusCode", "status_code":
		r.call.Failed = r.call.Failed || kind == document.String && bytes.EqualFold(text, []byte("error")) || kind == document.Number && isErrorStatus(text)
	case "code", "Code", "message", "Message", "detail":
		r.call.Failed = r.call.Failed || kind == document.String && isErrorText(text)
	default:
		r.call.Failed = r.call.Failed || isErrorKey(k.Name) && kind == document.String
	}
}

// noteError detects an error object, or a list of them, under a key of the outermost
// object.
func (r *Reader) noteError(k *naming.Key) {
	r.call.Failed = r.call.Failed || k != nil && len(r.frames) == r.base+2 && isErrorKey(k.Name)
}

func isErrorKey(name string) bool {
	switch name {
	case "error", "errors", "Error", "exception", "fault", "fehler", "erreur", "errore", "erro":
		return true
	}
	return false
}

// isErrorStatus reports whether a number is an HTTP error status.
func isErrorStatus(text []byte) bool {
	return len(text) == 3 && (text[0] == '4' || text[0] == '5') && shape.IsDigits(text)
}

// maxErrorBytes is how far into a text an error is recognized.
const maxErrorBytes = 160

// isErrorText reports whether a text is an error message: it begins like one, or is
// short and mentions something missing or refused.
func isErrorText(text []byte) bool {
	if beginsAsError(text) {
		return true
	}
	if len(text) > maxErrorBytes {
		return false
	}
	head := strings.ToLower(string(text))
	for _, phrase := range [...]string{"not found", "not_found", "notfound", "denied", "does not exist", "no such ", "not allowed", "unable to ", "could not ", "cannot "} {
		if strings.Contains(head, phrase) {
			return true
		}
	}
	return false
}

// beginsAsError reports whether the first word of a text marks an error message.
func beginsAsError(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	head := strings.ToLower(string(text[:min(len(text), 16)]))
	for _, start := range [...]string{"error", "failed", "failure", "exception", "traceback", "fatal", "invalid", "unauthorized", "forbidden"} {
		if strings.HasPrefix(head, start) {
			return true
		}
	}
	return false
}

// errorMessage returns a result that is a text beginning as an error. It is read as
// prose, whatever its format looks like: a stack trace has lines like "key: value".
func errorMessage(result any) ([]byte, bool) {
	switch result := result.(type) {
	case string:
		if beginsAsError([]byte(result[:min(len(result), maxErrorBytes)])) {
			return []byte(result[:min(len(result), maxText)]), true
		}
	case []byte:
		return result[:min(len(result), maxText)], beginsAsError(result)
	}
	return nil, false
}
