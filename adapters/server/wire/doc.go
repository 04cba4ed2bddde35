// Package wire defines the bodies of requests and answers that a server of package rest and its
// clients exchange. Their JSON is that of redis/agent-memory-server, whose clients work
// unchanged, and that of the additional routes.
//
//	request ──► Decode ──► type ──► the server ──► type ──► Encode ──► answer
//
// Decode checks the shape of a request: required fields and types. The server checks the values.
//
// Decode is lenient: it ignores unknown fields, and accepts numbers and booleans as texts (Int,
// Float, Bool), as the official clients send them. Errors name each place: see FieldError.
// Encode is strict: times are RFC 3339 in UTC, lists are never null, and numbers in objects of
// the caller keep all their digits.
package wire
