package middleware

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-workingmemory/workingmemory/internal/callee"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
	"github.com/go-workingmemory/workingmemory/prompt"
)

const (
	// DefaultThreshold is the default of ResultsOptions.Threshold.
	DefaultThreshold = 8000
	// DefaultResultBytes is the default of ResultsOptions.MaxBytes: 64 MiB.
	DefaultResultBytes = driver.MaxResultBytes
)

// ResultsOptions configures which results are stored and shown in short. The zero value is
// useful.
type ResultsOptions struct {
	// Threshold is the estimated number of tokens from which a result is stored. 0 or less
	// means DefaultThreshold.
	Threshold int
	// ShouldOffload reports whether the result of a successful call is stored, given its
	// estimated number of tokens. If it panics, the result is shown whole. If nil, Threshold
	// decides.
	ShouldOffload func(call ToolCall, tokens int) bool
	// MaxBytes is the size of all stored results of a conversation, in bytes. Beyond it the
	// oldest are dropped; a longer result is shown whole. 0 or less, or more than
	// DefaultResultBytes, means DefaultResultBytes.
	MaxBytes int64
}

// largeText returns the text of a call's result and its tokens, and whether it is to be stored.
func (o *ResultsOptions) largeText(call *ToolCall) (text string, tokens int, ok bool) {
	if call.Err != nil || isReader(call.Name) || isStub(call.Result) {
		return "", 0, false
	}
	if text, ok = textOf(call.Result); !ok || text == "" || int64(len(text)) > o.maxBytes() {
		return "", 0, false
	}
	tokens = estimateTokens(text)
	return text, tokens, o.shouldOffload(call, tokens)
}

// shouldOffload reports whether a result is to be stored.
func (o *ResultsOptions) shouldOffload(call *ToolCall, tokens int) (should bool) {
	if o.ShouldOffload == nil {
		return tokens >= cmp.Or(max(o.Threshold, 0), DefaultThreshold)
	}
	err := callee.RecoverPanic(func() error { should = o.ShouldOffload(*call, tokens); return nil })
	return should && err == nil
}

func (o *ResultsOptions) maxBytes() int64 {
	if o.MaxBytes <= 0 {
		return DefaultResultBytes
	}
	return min(o.MaxBytes, DefaultResultBytes)
}

// Results stores the large results of one conversation in memory. The recorders of a
// conversation's branches share it. It is safe for concurrent use.
type Results struct {
	opts  ResultsOptions
	store *memstore.Store
	table *handle.Table // for recorders without Options.Handles
}

// resultsKey is the only session in the store of a Results.
var resultsKey = session.Key{SessionID: "results"}

// NewResults returns an empty Results. If opts is nil, the defaults are used.
func NewResults(opts *ResultsOptions) *Results {
	r := &Results{opts: *cmp.Or(opts, new(ResultsOptions)), store: memstore.New(nil), table: new(handle.Table)}
	made := driver.Append{Head: []byte("{}"), Format: driver.Format, Now: time.Now()}
	_, _, _ = r.store.Append(context.Background(), resultsKey, made) // does not fail in memory
	return r
}

// resultStore is the part of a session.Manager that stores results.
type resultStore interface {
	PutResult(ctx context.Context, key session.Key, r driver.StoredResult, limit int64) error
	Results(ctx context.Context, key session.Key, kind driver.ResultKind) ([]driver.ResultInfo, error)
	ReadResult(ctx context.Context, key session.Key, kind driver.ResultKind, id string, p []byte, offset int64) (int, error)
}

// shelf holds the stored results of one conversation.
type shelf struct {
	opts  ResultsOptions
	store resultStore
	key   session.Key
	stubs recentTexts // by result; "" for one that is not stored
	tools recentTexts // whose results were read, by what was read
}

// stubTitle begins what a model sees in place of a stored result.
const stubTitle = "[STORED RESULT] "

// isStub reports whether a result stands in for one that is stored, maybe as the only value of an
// object.
func isStub(result any) bool {
	const head = 64 // bytes: room for the name of the value
	switch v := result.(type) {
	case string:
		return strings.Contains(v[:min(len(v), head)], stubTitle)
	case map[string]any:
		for _, value := range v {
			text, _ := value.(string) // an object may contain itself
			return len(v) == 1 && isStub(text)
		}
	}
	return false
}

// textOf returns the text of a result: its JSON if it is neither a text nor texts.
func textOf(result any) (text string, ok bool) {
	switch v := result.(type) {
	case nil:
		return "", false
	case string:
		return v, true
	case []byte:
		return string(v), true
	case json.RawMessage:
		return string(v), true
	case []string:
		return strings.Join(v, "\n"), true
	}
	if contextItems(result) != nil {
		return "", false
	}
	var data []byte
	err := callee.RecoverPanic(func() (err error) {
		data, err = jsonv2.Marshal(result, jsonv2.Deterministic(true), jsontext.AllowInvalidUTF8(true))
		return err
	})
	return string(data), err == nil
}

// sampleBytes is how much of a text is counted to estimate its tokens.
const sampleBytes = 64 << 10

// estimateTokens estimates the number of tokens of a text from its beginning.
func estimateTokens(text string) int {
	sample := text[:min(len(text), sampleBytes)]
	tokens := prompt.Estimator{}.CountTokens(sample)
	if len(sample) == len(text) {
		return tokens
	}
	return int(float64(tokens) / float64(len(sample)) * float64(len(text)))
}

// digestOf returns the digest by which processes recognize a result.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// recentTexts holds the last texts by digest. It is safe for concurrent use.
type recentTexts struct {
	mu   sync.Mutex
	list []recentText // oldest first
}

type recentText struct {
	digest uint64
	text   string
}

// maxRecentTexts is the number of texts that are kept.
const maxRecentTexts = 512

func (r *recentTexts) get(digest uint64) (text string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range slices.Backward(r.list) {
		if t.digest == digest {
			return t.text, true
		}
	}
	return "", false
}

func (r *recentTexts) add(digest uint64, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == maxRecentTexts {
		r.list = slices.Delete(r.list, 0, 1)
	}
	r.list = append(r.list, recentText{digest, text})
}
