package rest

import (
	"math"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/service"
)

// param is a parameter of a query.
type param struct {
	name string
	text string
	kind kind
	// def, min and max apply to integers. The def of a boolean is 0 or 1. An integer without a
	// default is optional.
	def      *int64
	min, max int64
}

// kind is what a parameter holds.
type kind string

const (
	kindText    kind = "string"
	kindInteger kind = "integer"
	kindBoolean kind = "boolean"
	kindTexts   kind = "array" // may be given several times
)

const (
	maxWindow = math.MaxInt32
	maxOffset = math.MaxInt32
)

func number(n int64) *int64 { return &n }

// ownerParams returns the parameters that name an owner in reads.
func ownerParams() []param {
	return []param{
		{name: "namespace", kind: kindText, text: "the namespace; default any that the token may see"},
		{name: "user_id", kind: kindText, text: "the user; default any that the token may see"},
	}
}

// writeOwnerParams returns the parameters that name an owner in writes.
func writeOwnerParams() []param {
	return []param{
		{name: "namespace", kind: kindText, text: "the namespace if the body has none; default the token's, or the empty one"},
		{name: "user_id", kind: kindText, text: "the user if the body has none; default the token's, or the empty one"},
	}
}

// windowParams returns the parameters that set the context window.
func windowParams() []param {
	return []param{
		{name: "model_name", kind: kindText, text: "the model whose context window applies; an unknown one has the default window"},
		{name: "context_window_max", kind: kindInteger, min: 0, max: maxWindow, text: "the context window in tokens; takes precedence over the model's; 0 means unset"},
	}
}

// writeParams returns the parameters of writes of a session.
func writeParams() []param {
	ttl := param{name: "ttl_seconds", kind: kindInteger, min: 1, max: service.MaxTTLSeconds, text: "the lifetime of the session from now in seconds; if missing, an existing expiry is kept"}
	return slices.Concat(writeOwnerParams(), windowParams(), []param{ttl})
}
