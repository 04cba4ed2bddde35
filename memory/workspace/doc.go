// Package workspace holds all the working memory of an agent, of one of its turns,
// or of a tool in it, in one value that branches.
//
//	agent ── Branch ──► turn ── Branch ──► tool
//
// A Workspace has a queue of what came last, a pool of what is kept by id, a working
// context of entities, and a store of items by importance. Route puts what a tool
// returns where it belongs.
package workspace
