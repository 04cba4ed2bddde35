// Package rest is the HTTP server of sessions and long-term memory. It speaks what the
// clients of redis/agent-memory-server speak, which work unchanged, and has routes of its own
// for tool calls, entities and blocks.
//
//	request ──► limits ──► route ──► token ──► rate ──► body ──► wire.Decode ──► translate ──┐
//	                         │                                                              ▼
//	    log, Observe ◄── answer ◄── wire.Encode ◄── translate ◄──────────────── service.Service
//
// Handler is an http.Handler without a listener: mount it where it belongs, behind whatever
// middleware there is. `wmem serve` is one with everything around it. Package client is the
// other side, package wire has the types that both share.
//
// # One table
//
// All routes stand in one table, in routes.go: what is served, the OpenAPI document at
// /openapi.json and the page at /docs are made of it, so that nothing is served which is not
// documented, and no query parameter is read that the table does not name.
//
// # Limits
//
// Nothing that a request brings is trusted. The size of a body, of all bodies and answers in
// flight, the time that a body, a whole request and the reading of its answer may take, the
// number of requests of a token and of failed authentications of an address have bounds: see
// Options. Slow clients have deadlines only if these can be set through the
// http.ResponseWriter (see http.ResponseController). What the http.Server reads before a handler runs is its own: set ReadHeaderTimeout and MaxHeaderBytes
// there, and a WriteTimeout longer than Options.Timeout, for clients that do not read.
//
// # Why no framework
//
// What a framework would give is the OpenAPI document and the validation. Of huma, the closest
// fit, we would have had to work around the most: its error constructor is a variable of the
// package, it builds and validates a generic tree of the whole body before it decodes it,
// answers malformed JSON by 400, where clients expect 422, and loads its page of documentation
// from elsewhere. The tests TestWhatServeMuxWouldAnswer and, of package wire,
// TestWhatOtherDecodersWouldSay show what the mux of net/http and other decoders get wrong.
package rest
