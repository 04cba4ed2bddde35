package reading

import (
	"bytes"
	"strings"

	"github.com/go-workingmemory/workingmemory/extractor/internal/naming"
	"github.com/go-workingmemory/workingmemory/extractor/internal/shape"
	"github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"
	"github.com/go-workingmemory/workingmemory/internal/document"
)

// noteFailure detects results that report an error: {"error":"…"}, {"success":false}.
func (r *Reader) noteFailure(fr *frame, k *naming.Key, kind document.Kind, text []byte) {
	if len(r.frames) == r.base+2 && !fr.Inherited {
		return
	}
	is := false
	switch name := k.Snake; {
	case kind == document.Bool:
		says := string(text) == "true"
		is = says && name == "is_error" || !says && (vocabulary.SuccessKeys.Has(name) || name == "found" || name == "exists" ||
			(name == "deleted" || name == "removed") && r.call.Tool.Effect == naming.EffectDeleted)
	case kind == document.Number:
		is = name != "code" && vocabulary.StatusKeys.Has(name) && shape.IsErrorStatus(text)
	case name == "status" || name == "status_code":
		is = bytes.EqualFold(text, []byte("error")) || bytes.EqualFold(text, []byte("not_found"))
	case name == "code" && kind == document.String, k.Name == "message", k.Name == "Message", name == "detail":
		is = isErrorText(text)
	case name == "name":
		is = isErrorName(text)
	default:
		is = vocabulary.ErrorKeys.Has(name) || name == "error_code" || name == "error_type"
	}
	r.call.Failed = r.call.Failed || is
}

// isErrorName reports whether a text is the name of an error in a program: NotFoundError.
func isErrorName(text []byte) bool {
	return !bytes.ContainsRune(text, ' ') && (bytes.HasSuffix(text, []byte("Error")) || bytes.HasSuffix(text, []byte("Exception")))
}

// noteError detects an error object, or a list of them, under a key of the outermost
// object.
func (r *Reader) noteError(k *naming.Key) {
	r.call.Failed = r.call.Failed || k != nil && len(r.frames) == r.base+2 && vocabulary.ErrorKeys.Has(k.Snake)
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
	head := vocabulary.WithoutWarnings(strings.ToLower(string(text)))
	for _, phrase := range [...]string{"not found", "not_found", "notfound", "denied", "does not exist", "doesn't exist", "no such ", "not allowed", "unable to ", "could not ", "couldn't ", "cannot "} {
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
	for _, start := range [...]string{"error", "failed", "failure", "exception", "traceback", "fatal", "invalid", "unauthorized", "forbidden", "unknown "} {
		if strings.HasPrefix(head, start) {
			return true
		}
	}
	return false
}

// findsNothing reports whether a short text begins like the answer of a search that found nothing: No
// boat has the id 12.
func findsNothing(text []byte) bool {
	head := strings.ToLower(string(text[:min(len(text), maxErrorBytes)]))
	return len(text) <= maxErrorBytes && (strings.HasPrefix(head, "no ") || strings.HasPrefix(head, "there is no ") || strings.HasPrefix(head, "there are no "))
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
