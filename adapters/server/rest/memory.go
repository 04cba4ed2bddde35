package rest

import (
	"context"
	"fmt"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/translate"
)

func createMemories(ctx context.Context, c *call) error {
	namespace, user := c.optionalText("namespace"), c.optionalText("user_id")
	if err := c.query.Err(); err != nil {
		return err
	}
	var body wire.MemoryBody
	if err := c.decode(&body); err != nil {
		return err
	}
	if err := c.handler.service.CreateMemories(ctx, c.tenant, namespace, user, translate.Memories(body.Memories), translate.Apart(&body)); err != nil {
		return err
	}
	return c.json(wire.Status{Status: "ok"})
}

func searchMemories(ctx context.Context, c *call) error {
	c.boolean("optimize_query")
	if err := c.query.Err(); err != nil {
		return err
	}
	var body wire.Search
	if err := c.decode(&body); err != nil {
		return err
	}
	search, err := translate.Search(&body)
	if err != nil {
		return err
	}
	found, err := c.handler.service.SearchMemories(ctx, c.tenant, search)
	if err != nil {
		return err
	}
	return c.json(translate.Results(found))
}

func getMemory(ctx context.Context, c *call) error {
	id, namespace, user, err := c.memory()
	if err != nil {
		return err
	}
	memory, err := c.handler.service.GetMemory(ctx, c.tenant, id, namespace, user)
	if err != nil {
		return err
	}
	return c.json(translate.Memory(memory))
}

func patchMemory(ctx context.Context, c *call) error {
	id, namespace, user, err := c.memory()
	if err != nil {
		return err
	}
	var body wire.MemoryPatch
	if err := c.decode(&body); err != nil {
		return err
	}
	memory, err := c.handler.service.PatchMemory(ctx, c.tenant, id, namespace, user, translate.MemoryPatch(&body))
	if err != nil {
		return err
	}
	return c.json(translate.Memory(memory))
}

// memory returns the memory named by the path and the query.
func (c *call) memory() (id string, namespace, user *string, err error) {
	if id, err = c.id("id"); err != nil {
		return "", nil, nil, err
	}
	return id, c.optionalText("namespace"), c.optionalText("user_id"), c.query.Err()
}

func deleteMemories(ctx context.Context, c *call) error {
	namespace, user, ids := c.optionalText("namespace"), c.optionalText("user_id"), c.texts("memory_ids")
	if err := c.query.Err(); err != nil {
		return err
	}
	n, err := c.handler.service.DeleteMemories(ctx, c.tenant, ids, namespace, user)
	if err != nil {
		return err
	}
	return c.json(wire.Status{Status: fmt.Sprintf("ok, deleted %d memories", n)})
}

func forgetMemories(ctx context.Context, c *call) error {
	namespace, user, session := c.optionalText("namespace"), c.optionalText("user_id"), c.optionalText("session_id")
	limit, dryRun := int(c.integer("limit")), c.boolean("dry_run")
	if err := c.query.Err(); err != nil {
		return err
	}
	var body wire.Forget
	if err := c.decode(&body); err != nil {
		return err
	}
	forget := translate.Forget(&body)
	forget.SessionID, forget.Limit, forget.DryRun = session, limit, dryRun
	forgotten, err := c.handler.service.ForgetMemories(ctx, c.tenant, namespace, user, forget)
	if err != nil {
		return err
	}
	return c.json(translate.Forgotten(forgotten))
}

func compactMemories(ctx context.Context, c *call) error {
	namespace, user := c.optionalText("namespace"), c.optionalText("user_id")
	if err := c.query.Err(); err != nil {
		return err
	}
	n, err := c.handler.service.CompactMemories(ctx, c.tenant, namespace, user)
	if err != nil {
		return err
	}
	return c.json(wire.Status{Status: fmt.Sprintf("ok, %d memories remaining after compaction", n)})
}

func makePrompt(ctx context.Context, c *call) error {
	c.boolean("optimize_query")
	if err := c.query.Err(); err != nil {
		return err
	}
	var body wire.PromptRequest
	if err := c.decode(&body); err != nil {
		return err
	}
	request, err := translate.PromptRequest(&body)
	if err != nil {
		return err
	}
	prompt, err := c.handler.service.Prompt(ctx, c.tenant, request)
	if err != nil {
		return err
	}
	return c.json(translate.Prompt(prompt))
}
