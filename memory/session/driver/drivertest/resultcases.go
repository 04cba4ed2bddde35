package drivertest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// RunResults tests that a store which passes Run is also a driver.ResultStore. It runs each case
// as Run does.
func RunResults(t *testing.T, open func(tb testing.TB) Harness) {
	t.Helper()
	conformance.Run(t, resultCases(), newResultEnv(open))
}

// resultCase is a requirement on each driver.ResultStore.
type resultCase = conformance.Case[*resultEnv]

// resultEnv is the environment of a resultCase.
type resultEnv struct {
	*env
	store driver.ResultStore
	kinds []driver.ResultKind // of the results that a case puts, each of every kind
}

var allKinds = []driver.ResultKind{driver.ToolResult, driver.JournalEntry}

func newResultEnv(open func(tb testing.TB) Harness) func(testing.TB) *resultEnv {
	return func(tb testing.TB) *resultEnv {
		e := newEnv(open)(tb)
		require.Implements(tb, (*driver.ResultStore)(nil), e.store)
		return &resultEnv{env: e, store: e.store.(driver.ResultStore), kinds: allKinds[:1]}
	}
}

func resultCases() []resultCase {
	return slices.Concat([]resultCase{{
		Name:  "put and read",
		About: "A result is read as it was put, whole and in any part: its content, its JSON, and its time to the millisecond.",
		Run:   resultsRead,
	}, {
		Name:  "parts at the edges",
		About: "A read returns what there is from its offset on, and io.EOF if that is less than it asks for.",
		Run:   resultsEdges,
	}, {
		Name:  "oldest first",
		About: "Results lists the results of its session alone, in the order in which they were put.",
		Run:   resultsInOrder,
	}, {
		Name:  "ids of all sorts",
		About: "An id is any UTF-8 text of up to 1 KiB, NUL included, and ids are equal only byte by byte.",
		Run:   resultsIDs,
	}, {
		Name:  "no session, no result",
		About: "Without a session PutResult is ErrNotFound and makes none, and Results is empty; reading what is not there is ErrNotFound.",
		Run:   resultsOfNothing,
	}, {
		Name:  "bad results",
		About: "A result that is too large or has a bad id is an error, with which nothing is kept or removed.",
		Run:   resultsBad,
	}, {
		Name:  "kinds apart",
		About: "The results of each kind are a list of their own: ids and limits of one do not concern the other.",
		Run:   resultsOfKinds,
	}, {
		Name:  "put again",
		About: "A result whose id is there is ignored, without an error: the first stays, in its place.",
		Run:   resultsAgain,
	}, {
		Name:  "input is not kept",
		About: "A store keeps no slice that it was given: the caller may change it.",
		Run:   resultsInput,
	}, {
		Name:  "the oldest give way",
		About: "If the contents exceed the limit of a PutResult, the oldest results are removed until they do not, and no more.",
		Run:   resultsLimit,
	}, {
		Name:  "as many as there may be",
		About: "A session keeps its last driver.MaxResults results, however small they are.",
		Run:   resultsMany,
	}, {
		Name:  "the session stays as it is",
		About: "Putting and reading results changes nothing that Load returns, and is no conflict with a Write.",
		Run:   resultsChangeNothing,
	}, {
		Name:  "ended contexts",
		About: "With a context that has ended every method returns its error, and nothing is changed.",
		Run:   resultsContext,
	}, {
		Name:  "closed",
		About: "After Close, if the store has one, every method returns ErrClosed.",
		Run:   resultsClosed,
	}, {
		Name:  "memory of a read",
		About: "If a ReadResult asks the Reserve of its context, it asks for at least twice what it returns, and returns the error of a refusal.",
		Run:   resultsReserve,
	}}, resultLifeCases(), resultRaceCases())
}

// pattern returns a content in which each part differs from the others. It begins as a longer one
// of the same id does.
func pattern(id string, size int) []byte {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8(sha256.Sum256([]byte(id))).Read(content) // never fails
	return content
}

// result returns a result whose fields follow from its id and size.
func result(id string, size int) driver.StoredResult {
	r := driver.StoredResult{Content: pattern(id, size)}
	r.ID, r.Size, r.CreatedAt = id, int64(size), writeTime
	r.Meta = []byte(`{"size":"` + strings.Repeat("I", size%7) + `"}`)
	return r
}

// unlimited is a limit that removes nothing.
const unlimited = 1 << 40

// put puts results into the session "key".
func (e *resultEnv) put(all ...driver.StoredResult) {
	e.Helper()
	e.putInto(key, all...)
}

func (e *resultEnv) putInto(key driver.Key, all ...driver.StoredResult) {
	e.Helper()
	for _, r := range all {
		for _, kind := range e.kinds {
			r.Kind = kind
			require.NoError(e, e.store.PutResult(e.ctx, key, r, unlimited))
		}
	}
}

// keeps requires that a session has exactly these results.
func (e *resultEnv) keeps(key driver.Key, want ...driver.StoredResult) {
	e.Helper()
	for _, kind := range e.kinds {
		e.keepsOf(kind, key, want...)
	}
}

func (e *resultEnv) keepsOf(kind driver.ResultKind, key driver.Key, want ...driver.StoredResult) {
	e.Helper()
	infos, err := e.store.Results(e.ctx, key, kind)
	require.NoError(e, err)
	got := make([]string, len(infos))
	for i, info := range infos {
		got[i] = info.ID
	}
	ids := make([]string, len(want))
	for i, r := range want {
		ids[i] = r.ID
	}
	require.Equal(e, ids, got)
	for i, r := range want {
		require.Equal(e, r.Size, infos[i].Size)
		require.Equal(e, string(r.Meta), string(infos[i].Meta))
		require.Equal(e, millis(r.CreatedAt), infos[i].CreatedAt.UTC())
		require.Equal(e, kind, infos[i].Kind)
		r.Kind = kind
		e.reads(key, r)
	}
}

// reads requires that a result is there, with its content.
func (e *resultEnv) reads(key driver.Key, r driver.StoredResult) {
	e.Helper()
	p := make([]byte, len(r.Content))
	n, err := e.store.ReadResult(e.ctx, key, r.Kind, r.ID, p, 0)
	require.NoError(e, err)
	require.Equal(e, len(p), n)
	require.True(e, bytes.Equal(r.Content, p), "another content")
}

// lacks requires that a session has no result with an id.
func (e *resultEnv) lacks(key driver.Key, id string) {
	e.Helper()
	for _, kind := range e.kinds {
		for _, offset := range []int64{0, 5} {
			_, err := e.store.ReadResult(e.ctx, key, kind, id, make([]byte, 3), offset)
			require.ErrorIs(e, err, driver.ErrNotFound)
		}
	}
}

// everyResultMethod calls all methods and requires an error.
func (e *resultEnv) everyResultMethod(ctx context.Context, store driver.ResultStore, want error) {
	e.Helper()
	require.ErrorIs(e, store.PutResult(ctx, key, result("b", 5), unlimited), want, "PutResult")
	_, err := store.Results(ctx, key, driver.ToolResult)
	require.ErrorIs(e, err, want, "Results")
	_, err = store.ReadResult(ctx, key, driver.ToolResult, "a", make([]byte, 5), 0)
	require.ErrorIs(e, err, want, "ReadResult")
}

func resultsContext(e *resultEnv) {
	e.append("a")
	e.put(result("a", 5))
	cancelled, cancel := context.WithCancel(e.ctx)
	cancel()
	e.everyResultMethod(cancelled, e.store, context.Canceled)
	e.keeps(key, result("a", 5))
}

func resultsClosed(e *resultEnv) {
	e.append("a")
	e.put(result("a", 5))
	store := e.harness.Open(e)
	closer, ok := store.(io.Closer)
	if !ok {
		e.Skip("the store has no Close")
	}
	require.NoError(e, closer.Close())
	e.everyResultMethod(e.ctx, store.(driver.ResultStore), driver.ErrClosed)
	if e.harness.Shared {
		e.keeps(key, result("a", 5))
	}
}
