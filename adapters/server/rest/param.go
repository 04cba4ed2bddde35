package rest

import (
	"math"
	"slices"

	"github.com/go-workingmemory/workingmemory/internal/service"
)

// param is a parameter of a query. One without a type is a text.
type param struct {
	name string
	text string
	kind kind
	// def, min and max are of integers; a def of 1 is true of booleans. An integer without a
	// default may be left out, and means something else then.
	def      *int64
	min, max int64
}

// kind is what a parameter holds.
type kind string

const (
	kindText    kind = "string"
	kindInteger kind = "integer"
	kindBoolean kind = "boolean"
	kindTexts   kind = "array" // given several times
)

const (
	maxWindow = math.MaxInt32
	maxOffset = math.MaxInt32
)

func number(n int64) *int64 { return &n }

// ownerParams say whose it is that is looked for.
func ownerParams() []param {
	return []param{
		{name: "namespace", kind: kindText, text: "the namespace it is in; without it any that the token may see"},
		{name: "user_id", kind: kindText, text: "whose it is; without it anybody's that the token may see"},
	}
}

// writeOwnerParams say whose is written.
func writeOwnerParams() []param {
	return []param{
		{name: "namespace", kind: kindText, text: "the namespace it is in, where the body names none; without it the token's, or the empty one"},
		{name: "user_id", kind: kindText, text: "whose it is, where the body names none; without it the token's user, or the empty one"},
	}
}

// windowParams say what the model can read.
func windowParams() []param {
	return []param{
		{name: "model_name", kind: kindText, text: "the model whose context window counts; one that is not known has the default window"},
		{name: "context_window_max", kind: kindInteger, min: 0, max: maxWindow, text: "the context window in tokens; it counts before the model's; 0: not given"},
	}
}

// writeParams are those of PUT and of what appends.
func writeParams() []param {
	ttl := param{name: "ttl_seconds", kind: kindInteger, min: 1, max: service.MaxTTLSeconds, text: "seconds that the session lives from now; without it a running expiry stays"}
	return slices.Concat(writeOwnerParams(), windowParams(), []param{ttl})
}
