// Package rest is the HTTP server of sessions and long-term memory. It implements the API of
// redis/agent-memory-server, whose clients work unchanged, and adds routes for tool calls,
// entities, blocks, short handles and stored results.
//
//	request ──► limits ──► route ──► token ──► rate ──► body ──► wire.Decode ──► translate ──┐
//	                         │                                                              ▼
//	    log, Observe ◄── answer ◄── wire.Encode ◄── translate ◄──────────────── service.Service
//
// Handler is an http.Handler without a listener: mount it behind any middleware. `wmem serve` is
// a complete server. Package client is the client, and package wire has the types of both.
//
// # One table
//
// routes.go has one table of all routes. The router, the OpenAPI document at /openapi.json and
// the page at /docs are generated from it, so that every route and every query parameter is
// documented. GET / redirects to /docs.
//
// # Limits
//
// Requests are not trusted. Limits apply to the size of a body, the memory of all bodies, reads
// and answers in flight, the time to send a body, to serve a request and to read its answer, the
// rate of requests of a token, and the failed authentications with the id of a token, or of an
// address: see Options. Slow clients have deadlines only if the http.ResponseWriter supports them (see
// http.ResponseController). The http.Server itself needs a ReadHeaderTimeout, MaxHeaderBytes,
// and a WriteTimeout longer than Options.Timeout for clients that do not read.
//
// # Why no framework
//
// A framework would provide the OpenAPI document and the validation. The closest fit, huma,
// differs in too much: its error constructor is a package variable, it validates a generic tree
// of the whole body before decoding it, it answers malformed JSON with 400 where clients expect
// 422, and it loads its documentation page from another host. TestWhatServeMuxWouldAnswer and,
// in package wire, TestWhatOtherDecodersWouldSay show what http.ServeMux and other decoders do
// differently.
package rest
