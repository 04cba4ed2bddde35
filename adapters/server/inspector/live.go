package inspector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/extractor"
	"github.com/go-workingmemory/workingmemory/internal/secret"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/handle"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// live is the source of the sessions of a service.
type live struct {
	service   *service.Service
	extractor *extractor.EntityExtractor
}

// errNotFound is returned for a run, a step or a result that does not exist.
var errNotFound = errors.New("inspector: not found")

// liveRun is a session.
type liveRun struct {
	*live
	*service.Timeline
	all     []step
	calls   []int // of Timeline.Calls, by step; -1 for other steps
	entries map[int]*middleware.JournalEntry
}

// open implements source.
func (l *live) open(ctx context.Context, t auth.Tenant, query url.Values) (run, error) {
	ref := refOf(query)
	found, err := l.service.Timeline(ctx, service.Tenant(t), ref)
	if e, ok := errors.AsType[*service.Error](err); ok && e.Kind == service.NotFound {
		return nil, fmt.Errorf("%w: %w", errNotFound, err)
	} else if err != nil {
		return nil, err
	}
	r := &liveRun{live: l, Timeline: found, entries: map[int]*middleware.JournalEntry{}}
	r.arrange()
	return r, nil
}

// refOf returns the session that a query names.
func refOf(query url.Values) service.Ref {
	ref := service.Ref{SessionID: query.Get("id")}
	if query.Has("namespace") {
		ref.Namespace = new(query.Get("namespace"))
	}
	if query.Has("user") {
		ref.UserID = new(query.Get("user"))
	}
	return ref
}

// queryOf returns the query that names a session.
func queryOf(key session.Key) url.Values {
	return url.Values{"id": {key.SessionID}, "namespace": {key.Namespace}, "user": {key.UserID}}
}

// about implements run.
func (r *liveRun) about() about {
	u := &r.Usage
	return about{
		title: r.Key.SessionID, query: queryOf(r.Key), lost: !r.isWhole(),
		facts: []fact{
			{"namespace", orNone(r.Key.Namespace)}, {"user", orNone(r.Key.UserID)},
			{"messages", fmt.Sprintf("%d, %d tokens", u.Messages, u.Tokens)},
			{"window", fmt.Sprintf("%.1f %% of %d tokens", u.Total, u.Window)},
			{"entities", fmt.Sprint(u.Entities)}, {"calls kept", fmt.Sprint(len(r.Calls))},
			{"created", clock(r.CreatedAt)}, {"changed", clock(r.LastAccessed)},
		},
	}
}

// steps implements run.
func (r *liveRun) steps() []step { return r.all }

// entry returns the entry of a call, given its index.
func (r *liveRun) entry(ctx context.Context, i int) (*middleware.JournalEntry, error) {
	if e, ok := r.entries[i]; ok {
		return e, nil
	}
	e, err := r.service.JournalEntry(ctx, r.Timeline, &r.Calls[i])
	if err == nil {
		r.entries[i] = e
	}
	return e, err
}

// block implements run.
func (r *liveRun) block(ctx context.Context, n, budget int) (*block, error) {
	if n >= 0 && r.all[n].kind == kindNow {
		return r.render(r.Entities, r.Handles, budget), nil
	}
	for ; n >= 0; n-- {
		i := r.calls[n]
		if i < 0 || !r.Calls[i].Changed {
			continue
		}
		e, err := r.entry(ctx, i)
		if err != nil {
			return nil, err
		}
		entities, handles, err := e.State()
		if err != nil {
			return nil, err
		}
		return r.render(entities, handles, budget), nil
	}
	return r.render(memory.NewWorkingContext(nil), nil, budget), nil
}

// render renders a block as the service does.
func (r *liveRun) render(wc *memory.WorkingContext, handles *handle.Table, budget int) *block {
	shown := r.service.Explain(wc, handles, service.BlockView{Budget: budget})
	b := &block{text: shown.Text, tokens: shown.Tokens, budget: shown.Options.Budget, limit: limitOf(shown.Options.PerType)}
	for i, of := range [...][]service.EntityVerdict{shown.Entities, shown.Candidates} {
		for n := range of {
			j := judgedOf(&of[n].Entity, of[n].Verdict)
			j.handle, j.candidate = of[n].Handle, i == 1
			b.entities = append(b.entities, j)
		}
	}
	return b
}

// limitOf describes what bounds a block without a budget.
func limitOf(perType int) string {
	return fmt.Sprintf("at most %d lines, what is in use first, then %d of a type", memory.DefaultCapacity, cmp.Or(max(perType, 0), prompt.DefaultPerType))
}

func judgedOf(e *memory.Entity, v prompt.Verdict) judged {
	return judged{
		typ: e.Type, id: e.ID, label: e.Label(), aliases: e.Aliases, verdict: v,
		from: strings.TrimSpace(e.Tool + " " + e.Path), uses: e.Uses,
	}
}

// texts implements run.
func (r *liveRun) texts(ctx context.Context, n int) (texts, error) {
	if r.calls[n] < 0 {
		return texts{}, errNotFound
	}
	e, err := r.entry(ctx, r.calls[n])
	if err != nil {
		return texts{}, err
	}
	found := texts{
		arguments: text{e.Arguments.Text, e.Arguments.Size}, result: text{e.Result.Text, e.Result.Size}, failure: text{e.Err.Text, e.Err.Size},
		stored: e.Stored, format: e.Format, reason: e.Reason,
	}
	found.judgements = judge(ctx, r.extractor, e.Tool, e.Source, &found)
	return found, nil
}

// judge extracts from a result again, and returns how each value was judged.
func judge(ctx context.Context, x *extractor.EntityExtractor, tool, source string, t *texts) []extractor.Judgement {
	if t.failure.size > 0 || t.result.text == "" {
		return nil
	}
	in := extractor.Input{Tool: tool, Source: source, Arguments: t.arguments.text, Result: t.result.text}
	judgements, _ := x.Explain(ctx, in) // what was judged before an error is shown
	return judgements
}

// redacted returns a text in which secrets are blacked out.
func redacted(text string) string { return secret.Redact(text) }

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// clock formats a time.
func clock(at time.Time) string {
	if at.IsZero() {
		return "unknown"
	}
	return at.UTC().Format("2006-01-02 15:04:05")
}
