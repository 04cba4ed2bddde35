// Package wire has what goes over the wire between a server of package rest and its clients:
// the bodies of requests and answers, as Go types. Their JSON is that of
// redis/agent-memory-server, whose clients work unchanged, and of our own routes beside it.
//
//	request ──► Decode ──► type ──► the server ──► type ──► Encode ──► answer
//
// Decode checks the shape of a request: what must be there, and of which type. What its values
// mean is the server's to check.
//
// What is read is read generously: fields that are not known are passed over, and numbers and
// booleans may be texts (Int, Float, Bool), as the official clients send them. What is wrong
// is told by place: see FieldError. What is written is strict: times are RFC 3339 in UTC,
// lists are never null, numbers in objects of the caller's keep all their digits.
package wire
