package adk

import (
	"fmt"
	"strings"

	"google.golang.org/adk/v2/tool"

	"github.com/go-workingmemory/workingmemory/middleware"
)

// argumentsOf returns the arguments of a call: nil if there are none, which session services may
// store as an empty map.
func argumentsOf(args map[string]any) any {
	if len(args) == 0 {
		return nil
	}
	return args
}

// outcome returns what a tool returned: ADK puts results that are not maps into one, and errors
// too. The error is middleware.ErrSuspended if the text says that the call is suspended.
func outcome(response map[string]any) (any, error) {
	if len(response) == 1 {
		for key, value := range response {
			switch {
			case key == "error" && value != nil:
				return nil, failureOf(fmt.Sprint(value))
			case key == "result" || key == "output":
				return value, nil
			}
		}
	}
	if len(response) == 0 {
		return nil, nil
	}
	return response, nil
}

func failureOf(text string) error {
	for _, suspended := range []error{tool.ErrConfirmationRequired, middleware.ErrSuspended} {
		if strings.Contains(text, suspended.Error()) {
			return middleware.ErrSuspended
		}
	}
	return middleware.FailureOf(text)
}
