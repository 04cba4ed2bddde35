package rest

import (
	"context"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

func createSummaryView(ctx context.Context, c *call) error {
	var body wire.SummaryViewBody
	if err := c.decode(&body); err != nil {
		return err
	}
	view, err := translate.NewSummaryView(&body)
	if err != nil {
		return err
	}
	made, err := c.handler.service.CreateSummaryView(ctx, c.tenant, view)
	if err != nil {
		return err
	}
	return c.json(translate.SummaryView(made))
}

func listSummaryViews(ctx context.Context, c *call) error {
	all, err := c.handler.service.SummaryViews(ctx, c.tenant)
	if err != nil {
		return err
	}
	return c.json(translate.SummaryViews(all))
}

func getSummaryView(ctx context.Context, c *call) error {
	id, err := c.id("view_id")
	if err != nil {
		return err
	}
	view, err := c.handler.service.SummaryView(ctx, c.tenant, id)
	if err != nil {
		return err
	}
	return c.json(translate.SummaryView(view))
}

func deleteSummaryView(ctx context.Context, c *call) error {
	id, err := c.id("view_id")
	if err != nil {
		return err
	}
	if err := c.handler.service.DeleteSummaryView(ctx, c.tenant, id); err != nil {
		return err
	}
	return c.json(wire.Status{Status: "ok"})
}

func summarizePartition(ctx context.Context, c *call) error {
	id, err := c.id("view_id")
	if err != nil {
		return err
	}
	var body wire.SummaryGroup
	if err := c.decode(&body); err != nil {
		return err
	}
	group, err := translate.SummaryGroup(&body)
	if err != nil {
		return err
	}
	partition, err := c.handler.service.SummarizePartition(ctx, c.tenant, id, group)
	if err != nil {
		return err
	}
	return c.json(translate.SummaryPartition(partition))
}

func listSummaryPartitions(ctx context.Context, c *call) error {
	id, err := c.id("view_id")
	if err != nil {
		return err
	}
	values := map[string]string{}
	for _, p := range c.route.params {
		if value := c.optionalText(p.name); value != nil {
			values[p.name] = *value
		}
	}
	if err := c.query.Err(); err != nil {
		return err
	}
	all, err := c.handler.service.SummaryPartitions(ctx, c.tenant, id, values)
	if err != nil {
		return err
	}
	return c.json(translate.SummaryPartitions(all))
}

func runSummaryView(ctx context.Context, c *call) error {
	id, err := c.id("view_id")
	if err != nil {
		return err
	}
	var body wire.SummaryRun
	if err := c.decode(&body); err != nil {
		return err
	}
	taskID := ""
	if body.TaskID != nil {
		taskID = *body.TaskID
	}
	task, err := c.handler.service.RunSummaryView(ctx, c.tenant, id, taskID)
	if err != nil {
		return err
	}
	return c.json(translate.Task(task))
}

func getTask(ctx context.Context, c *call) error {
	id, err := c.id("task_id")
	if err != nil {
		return err
	}
	task, err := c.handler.service.Task(ctx, c.tenant, id)
	if err != nil {
		return err
	}
	return c.json(translate.Task(task))
}
