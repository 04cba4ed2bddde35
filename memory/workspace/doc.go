// Package workspace combines the collections of an agent's working memory in one value
// that branches: for the agent, for each of its turns, and for each tool.
//
//	agent ── Branch ──► turn ── Branch ──► tool
//
// A Workspace has a queue of recent items, a pool of items by id, a working context of
// entities, and a store of items by importance. Route adds the items of a tool to the
// queue or the pool.
package workspace
