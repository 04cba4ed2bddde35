package rest

import (
	"context"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
	"github.com/go-workingmemory/workingmemory/middleware"
)

func listSessions(ctx context.Context, c *call) error {
	limit, offset := int(c.integer("limit")), int(c.integer("offset"))
	namespace, user := c.optionalText("namespace"), c.optionalText("user_id")
	if err := c.query.Err(); err != nil {
		return err
	}
	list, err := c.handler.service.ListSessions(ctx, c.tenant, namespace, user, limit, offset)
	if err != nil {
		return err
	}
	return c.json(translate.SessionList(list))
}

func getSession(ctx context.Context, c *call) error {
	view := service.View{Model: c.text("model_name")}
	if window := c.optionalInteger("context_window_max"); window != nil {
		view.Window = *window
	}
	if recent := c.optionalInteger("recent_messages_limit"); recent != nil {
		view.Recent = *recent
	}
	ref, err := c.ref()
	if err != nil {
		return err
	}
	s, err := c.handler.service.GetSession(ctx, c.tenant, ref, view)
	if err != nil {
		return err
	}
	return c.session(s, false)
}

func putSession(ctx context.Context, c *call) error {
	view, err := c.write()
	if err != nil {
		return err
	}
	var body wire.SessionBody
	if err := c.decode(&body); err != nil {
		return err
	}
	given := translate.SessionWrite(&body, &view)
	s, err := c.handler.service.PutSession(ctx, c.tenant, view, given)
	if err != nil {
		return err
	}
	return c.written(s, view, body.Messages)
}

func appendMessages(ctx context.Context, c *call) error {
	view, err := c.write()
	if err != nil {
		return err
	}
	var body wire.Append
	if err := c.decode(&body); err != nil {
		return err
	}
	s, err := c.handler.service.AppendMessages(ctx, c.tenant, view, translate.Messages(body.Messages))
	if err != nil {
		return err
	}
	return c.written(s, view, body.Messages)
}

func deleteSession(ctx context.Context, c *call) error {
	ref, err := c.ref()
	if err != nil {
		return err
	}
	if err := c.handler.service.DeleteSession(ctx, c.tenant, ref, translate.Versions(c.request.Header.Values("If-Match"), false)); err != nil {
		return err
	}
	return c.json(wire.Status{Status: "ok"})
}

func recordToolCall(ctx context.Context, c *call) error {
	ref, err := c.ref()
	if err != nil {
		return err
	}
	var body wire.RecordedCall
	if err := c.decode(&body); err != nil {
		return err
	}
	recorded, err := c.handler.service.RecordToolCall(ctx, c.tenant, ref, translate.ToolCall(&body), translate.Rewriting(&body))
	if err != nil {
		return err
	}
	return c.json(translate.Recorded(recorded))
}

func decodeArguments(ctx context.Context, c *call) error {
	ref, err := c.ref()
	if err != nil {
		return err
	}
	var body wire.CallArguments
	if err := c.decode(&body); err != nil {
		return err
	}
	body.Arguments, err = c.handler.service.DecodeArguments(ctx, c.tenant, ref, body.Arguments)
	if err != nil {
		return err
	}
	return c.json(body)
}

func summarize(ctx context.Context, c *call) error {
	return aboutSession(ctx, c, c.handler.service.Summarize, translate.Summarized)
}

func listEntities(ctx context.Context, c *call) error {
	if c.boolean("candidates") {
		return aboutSession(ctx, c, c.handler.service.Entities, translate.EntitiesAndCandidates)
	}
	return aboutSession(ctx, c, c.handler.service.Entities, translate.Entities)
}

func getDecisions(ctx context.Context, c *call) error {
	return aboutSession(ctx, c, c.handler.service.Decisions, translate.Decisions)
}

// aboutSession answers with the result of a method of the service for a session.
func aboutSession[Answer, Out any](ctx context.Context, c *call, ask func(context.Context, service.Tenant, service.Ref) (Answer, error), out func(Answer) Out) error {
	ref, err := c.ref()
	if err != nil {
		return err
	}
	answer, err := ask(ctx, c.tenant, ref)
	if err != nil {
		return err
	}
	return c.json(out(answer))
}

func getBlock(ctx context.Context, c *call) error {
	view := service.BlockView{Budget: int(c.integer("budget")), IDs: !c.boolean("handles")}
	ref, err := c.ref()
	if err != nil {
		return err
	}
	block, err := c.handler.service.Block(ctx, c.tenant, ref, view)
	return c.plain(block, err)
}

func listResults(ctx context.Context, c *call) error {
	ref, err := c.ref()
	if err != nil {
		return err
	}
	list, err := c.handler.service.ListResults(ctx, c.tenant, ref)
	return c.plain(list, err)
}

func readResult(ctx context.Context, c *call) error {
	request := middleware.ReadRequest{
		Path: c.text("path"), Query: c.text("query"), Offset: int(c.integer("offset")), Limit: int(c.integer("limit")),
	}
	ref, err := c.ref()
	if err != nil {
		return err
	}
	if request.Handle, err = c.id("handle"); err != nil {
		return err
	}
	part, err := c.handler.service.ReadResult(ctx, c.tenant, ref, request)
	return c.plain(part, err)
}
