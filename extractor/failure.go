package extractor

import (
	"bytes"

	"github.com/go-workingmemory/workingmemory/internal/document"
)

// noteFailure detects results that report an error: {"error":"…"}, {"success":false}.
func (f *finder) noteFailure(fr *frame, k *keyInfo, kind document.Kind, text []byte) {
	if len(f.frames) == f.base+2 && !fr.inherited {
		return
	}
	switch k.name {
	case "success", "ok", "successful", "deleted", "removed":
		f.failed = f.failed || kind == document.Bool && string(text) == "false"
	case "isError", "is_error":
		f.failed = f.failed || kind == document.Bool && string(text) == "true"
	case "status", "statusCode", "status_code":
		f.failed = f.failed || kind == document.String && bytes.EqualFold(text, []byte("error")) || kind == document.Number && isErrorStatus(text)
	case "code", "Code", "message", "Message", "detail":
		f.failed = f.failed || kind == document.String && isErrorText(text)
	default:
		f.failed = f.failed || isErrorKey(k.name) && kind == document.String
	}
}

// noteError detects an error object, or a list of them, under a key of the outermost
// object.
func (f *finder) noteError(k *keyInfo) {
	f.failed = f.failed || k != nil && len(f.frames) == f.base+2 && isErrorKey(k.name)
}

func isErrorKey(name string) bool {
	switch name {
	case "error", "errors", "Error", "exception", "fault":
		return true
	}
	return false
}

// isErrorStatus reports whether a number is an HTTP error status.
func isErrorStatus(text []byte) bool {
	return len(text) == 3 && (text[0] == '4' || text[0] == '5') && isDigits(text)
}
