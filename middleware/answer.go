package middleware

import (
	"context"
	"fmt"
)

// MaxCorrections is how often a model is asked again whose calls have unknown handles: see
// Recorder.DecodeCalls.
const MaxCorrections = 2

// DecodeCalls returns the arguments of the calls in a model's answer with ids in place of handles:
// see DecodeArguments. It is for adapters that see messages and not the calls of tools, so that
// programs run their tools with ids.
//
// If one has an unknown handle, no call of the answer may be made. DecodeCalls then calls again, up
// to MaxCorrections times. It gives the model the answer and a result for each of its calls, in
// their order, and returns the arguments of the calls in the next answer. Errors: those of again,
// and a wrapped *handle.UnknownError if the last answer has an unknown handle, too.
func (r *Recorder) DecodeCalls(ctx context.Context, arguments []any, again func(results []string) ([]any, error)) ([]any, error) {
	for asked := 0; ; asked++ {
		decoded, results, err := r.decodeAll(ctx, arguments)
		if err == nil {
			return decoded, nil
		}
		if asked == MaxCorrections {
			return nil, fmt.Errorf("middleware: a call of the model: %w", err)
		}
		if arguments, err = again(results); err != nil {
			return nil, err
		}
	}
}

// decodeAll decodes the arguments of calls. After an error, which is the last one, it returns the
// results of the calls.
func (r *Recorder) decodeAll(ctx context.Context, arguments []any) (decoded []any, results []string, err error) {
	decoded, results = make([]any, len(arguments)), make([]string, len(arguments))
	for i := range arguments {
		var wrong error
		if decoded[i], wrong = r.DecodeArguments(ctx, arguments[i]); wrong != nil {
			results[i], err = wrong.Error(), wrong
		} else {
			results[i] = "not called, because another call of this message was refused"
		}
	}
	return decoded, results, err
}
