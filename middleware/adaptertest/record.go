package adaptertest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// Record is a recorder together with the calls that it received, for tests of adapters. It is
// safe for concurrent use.
type Record struct {
	*middleware.Recorder

	tb    testing.TB
	mu    sync.Mutex
	calls []middleware.ToolCall
	found []extractor.Extraction // in each of them
}

// NewRecord returns a Record with the default options. The test fails if a call is not fully
// recorded.
func NewRecord(tb testing.TB) *Record { return NewRecordWith(tb, new(middleware.Options)) }

// NewRecordWith is like NewRecord with other options, whose OnCall it sets.
func NewRecordWith(tb testing.TB, opts *middleware.Options) *Record {
	r := &Record{tb: tb}
	with := *opts
	with.OnCall = r.OnCall
	rec, err := middleware.NewRecorder(&with)
	require.NoError(tb, err)
	r.Recorder = rec
	return r
}

// OnCall receives a call. It is a middleware.Options.OnCall.
func (r *Record) OnCall(_ context.Context, call middleware.ToolCall, found extractor.Extraction, err error) {
	assert.NoError(r.tb, err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls, r.found = append(r.calls, call), append(r.found, found)
}

// Calls returns a copy of the calls, in the order in which they were recorded.
func (r *Record) Calls() []middleware.ToolCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Names returns the calls as "tool page", sorted, for tools like those of the suite. Other
// arguments are shown as JSON.
func (r *Record) Names() []string {
	names := []string{}
	for _, c := range r.Calls() {
		arguments, ok := c.Arguments.(string)
		if !ok {
			encoded, err := json.Marshal(c.Arguments)
			require.NoError(r.tb, err)
			arguments = string(encoded)
		}
		id, err := pageID(arguments)
		if err != nil || id == "" {
			id = arguments
		}
		names = append(names, strings.TrimSpace(c.Name+" "+id))
	}
	slices.Sort(names)
	return names
}
