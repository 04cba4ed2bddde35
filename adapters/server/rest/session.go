package rest

import (
	"context"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
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
	return c.json(list)
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
	return c.session(s)
}

func putSession(ctx context.Context, c *call) error {
	return writeSession(ctx, c, c.handler.service.PutSession)
}

func appendMessages(ctx context.Context, c *call) error {
	return writeSession(ctx, c, c.handler.service.AppendMessages)
}

// writeSession answers what a method of the service made of a body.
func writeSession[Body any](ctx context.Context, c *call, write func(context.Context, auth.Tenant, service.WriteView, *Body) (*wire.Session, []string, error)) error {
	view, err := c.write()
	if err != nil {
		return err
	}
	var body Body
	if err := c.decode(&body); err != nil {
		return err
	}
	s, warnings, err := write(ctx, c.tenant, view, &body)
	if err != nil {
		return err
	}
	return c.written(s, view, warnings)
}

func deleteSession(ctx context.Context, c *call) error {
	ref, err := c.ref()
	if err != nil {
		return err
	}
	if err := c.handler.service.DeleteSession(ctx, c.tenant, ref, tags(c.request, "If-Match")); err != nil {
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
	recorded, err := c.handler.service.RecordToolCall(ctx, c.tenant, ref, &body)
	if err != nil {
		return err
	}
	return c.json(recorded)
}

func summarize(ctx context.Context, c *call) error {
	return aboutSession(ctx, c, c.handler.service.Summarize)
}

func listEntities(ctx context.Context, c *call) error {
	return aboutSession(ctx, c, c.handler.service.Entities)
}

func getDecisions(ctx context.Context, c *call) error {
	return aboutSession(ctx, c, c.handler.service.Decisions)
}

// aboutSession answers what a method of the service says of a session.
func aboutSession[Answer any](ctx context.Context, c *call, ask func(context.Context, auth.Tenant, service.Ref) (Answer, error)) error {
	ref, err := c.ref()
	if err != nil {
		return err
	}
	answer, err := ask(ctx, c.tenant, ref)
	if err != nil {
		return err
	}
	return c.json(answer)
}

func getBlock(ctx context.Context, c *call) error {
	budget := int(c.integer("budget"))
	ref, err := c.ref()
	if err != nil {
		return err
	}
	block, err := c.handler.service.Block(ctx, c.tenant, ref, budget)
	if err != nil {
		return err
	}
	return c.deliver(mediaText, []byte(block))
}
