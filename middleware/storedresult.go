package middleware

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/outline"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session/driver"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// resultType is the type of the handles of stored results.
const resultType = "result"

// largeResult is a result to store.
type largeResult struct {
	ref    memory.Ref // gets a handle
	text   string
	tokens int
}

// resultMeta is what is stored with a result.
type resultMeta struct {
	Tool   string `json:"tool"`
	Source string `json:"source,omitempty"`
	Format string `json:"format"`
	Tokens int    `json:"tokens"`
	Digest string `json:"digest"` // of the result
	Stub   string `json:"stub"`
}

// largeResult returns the result of a call if it is to be stored, or nil.
func (r *Recorder) largeResult(call *ToolCall) *largeResult {
	if r.shelf == nil {
		return nil
	}
	text, tokens, ok := r.shelf.opts.largeText(call)
	if !ok {
		return nil
	}
	return &largeResult{ref: memory.Ref{Type: resultType, ID: ulid.Make().String()}, text: text, tokens: tokens}
}

// Excerpt returns what a program may keep of a call's result in messages of its own: the first and
// last lines, at most some 2 KiB, if a recorder with these options stores the result, or else
// false. A nil ResultsOptions stores nothing.
func (o *ResultsOptions) Excerpt(call ToolCall) (excerpt string, large bool) {
	if o == nil {
		return "", false
	}
	text, _, ok := o.largeText(&call)
	if !ok {
		return "", false
	}
	return "The result is long. If it is stored, " + ListResultsName + " names it. Its first and last lines:\n" +
		outline.Excerpt(text, maxExcerpt), true
}

// storeResult stores a result whose handle is committed. The model then sees a stub.
func (r *Recorder) storeResult(ctx context.Context, call *ToolCall, large *largeResult, found extractor.Extraction) error {
	table := r.Handles()
	name := table.Handle(large.ref.ID)
	if name == large.ref.ID {
		return nil // not committed
	}
	text := secret.Redact(large.text)
	about := outline.Of(text)
	meta := resultMeta{
		Tool: bounded(call.Name), Source: bounded(call.Source), Format: about.Format, Tokens: large.tokens,
		Digest: digestOf(large.text), Stub: table.Encode(r.stub(name, large, about, text, found)),
	}
	if len(meta.Stub) >= len(large.text) {
		return nil // the result is shorter
	}
	data, err := json.Marshal(meta)
	if err != nil {
		return fmt.Errorf("storing the result: %w", err)
	}
	info := driver.ResultInfo{ID: large.ref.ID, Meta: data, CreatedAt: time.Now()}
	err = r.shelf.store.PutResult(ctx, r.shelf.key, driver.StoredResult{ResultInfo: info, Content: []byte(text)}, r.shelf.opts.maxBytes())
	if err != nil {
		return fmt.Errorf("storing the result: %w", err)
	}
	r.shelf.stubs.add(r.ledger.digestOf(large.text), meta.Stub)
	return nil
}

const (
	// maxExcerpt is the size of the first and last lines in a stub, in bytes.
	maxExcerpt = 2 << 10
	// stubBudget is the room for the entities in a stub, in tokens.
	stubBudget = 256
)

// stub returns what a model sees in place of a stored result.
func (r *Recorder) stub(name string, large *largeResult, about outline.Outline, text string, found extractor.Extraction) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\nThe call succeeded. Its result is long and was stored: %s, %d lines, %d bytes, about %d tokens. Read parts of it with %s.\n",
		stubTitle, name, about.Format, about.Lines, len(text), large.tokens, ReadResultName)
	for _, part := range [...]struct{ title, text string }{
		{"Outline", about.Structure},
		{"First and last lines", outline.Excerpt(text, maxExcerpt)},
		{"Found in it", r.renderFound(found)},
	} {
		if part.text != "" {
			fmt.Fprintf(&b, "%s:\n%s\n", part.title, part.text)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// renderFound returns the entities that were found in a result, as the lines of a block without
// its title: a result with a block would be taken for an echo of the prompt.
func (r *Recorder) renderFound(found extractor.Extraction) string {
	var content prompt.Content
	for _, e := range found.Entities {
		if e.Role == memory.RoleCandidate {
			content.Candidates = append(content.Candidates, e)
		} else {
			content.Entities = append(content.Entities, e)
		}
	}
	block := prompt.NewRenderer(&prompt.Options{Budget: stubBudget}).RenderContent(WithHandles(r.Handles(), content))
	return strings.TrimPrefix(strings.TrimPrefix(block, prompt.Title), "\n")
}

// Show returns the text of a recorded result as a model is to see it: what stands in for it if it
// is stored (see Options.Results), or else the text with handles in place of ids. It is for
// programs that give a model the results of earlier calls; for a call that was just made see
// RunningCall.Shown.
func (r *Recorder) Show(ctx context.Context, text string) string {
	if stub, ok := r.stubOf(ctx, text); ok {
		return stub
	}
	return r.Handles().Encode(text)
}

// Stub returns what a model sees in place of all parts of a recorded result, and false if the
// result is not stored: see Options.Results. The result has the form that was recorded. For a
// result of one text see Show, for a call that was just made RunningCall.Stub.
func (r *Recorder) Stub(ctx context.Context, result any) (stub string, ok bool) {
	r.setUpBacking()
	if r.shelf == nil {
		return "", false
	}
	text, ok := textOf(result)
	if !ok {
		return "", false
	}
	return r.stubOf(ctx, text)
}

// minStored is the size in bytes of the shortest text that is looked for among stored results.
const minStored = 256

// stubOf returns what stands in for a result, and false if it is not stored. The results that
// other processes have stored are found by their digests.
func (r *Recorder) stubOf(ctx context.Context, text string) (stub string, ok bool) {
	r.setUpBacking()
	if r.shelf == nil || len(text) < minStored {
		return "", false
	}
	digest := r.ledger.digestOf(text)
	if stub, ok = r.shelf.stubs.get(digest); ok {
		return stub, stub != ""
	}
	if r.shelf.opts.ShouldOffload == nil && !r.shelf.opts.shouldOffload(nil, estimateTokens(text)) {
		return "", false
	}
	stored, err := r.storedResults(ctx)
	if err != nil {
		return "", false // and not known
	}
	sum := digestOf(text)
	for i := range stored {
		if stored[i].Digest == sum {
			stub = stored[i].Stub
		}
	}
	r.shelf.stubs.add(digest, stub)
	return stub, stub != ""
}

// storedResult is a stored result without its content.
type storedResult struct {
	driver.ResultInfo
	resultMeta
}

// storedResults returns the stored results, oldest first.
func (r *Recorder) storedResults(ctx context.Context) ([]storedResult, error) {
	infos, err := r.shelf.store.Results(ctx, r.shelf.key, driver.ToolResult)
	if err != nil {
		return nil, fmt.Errorf("middleware: listing results: %w", err)
	}
	stored := make([]storedResult, len(infos))
	for i, info := range infos {
		stored[i].ResultInfo = info
		if err := json.Unmarshal(info.Meta, &stored[i].resultMeta); err != nil {
			return nil, fmt.Errorf("middleware: listing results: result %d is damaged", i)
		}
	}
	return stored, nil
}
