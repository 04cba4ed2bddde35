package rest

import "context"

func getDecisions(ctx context.Context, c *call) error {
	ref, err := c.ref()
	if err != nil {
		return err
	}
	found, err := c.handler.service.Decisions(ctx, c.tenant, ref)
	if err != nil {
		return err
	}
	return c.json(found)
}
