// Package inspector serves web pages that show what a model saw of working memory, and why: the
// sessions of a server, or recorded runs of agents.
//
//	session.Manager, middleware.Journal ──► live    ─┐
//	                                                 ├─► run: steps, blocks, stories ──► pages
//	traces, internal/evaluation ──────────► traces  ─┘
//
// A run is a timeline of messages and tool calls. At each step a page shows the block after it, with
// what came, went and moved, how large it is, what the call's result became, and the answer to "why
// is this id not shown".
//
// Pages are HTML and need no script; a small one adds keys and live sliders. They read and change
// nothing, except that logging in sets a cookie. Text from outside is escaped, secrets are blacked
// out, and a Content-Security-Policy allows nothing but the files of this package.
package inspector
