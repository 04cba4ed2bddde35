// Package client calls a server of package rest (wmem serve), in Go. What goes over the wire
// is of package wire.
//
//	c, err := client.New("http://127.0.0.1:8000", &client.Options{Token: token})
//	c.Append(ctx, "chat-17", messages, nil)
//	block, err := c.Block(ctx, "chat-17", 0, nil)
//
// A method makes one request. What is not found, not allowed or not as it should be is an
// *Error, for which there are ErrNotFound, ErrUnauthorized and ErrStale; what does not reach
// the server, or takes too long, is an error of net/http. No error has the token.
//
// Requests that can be repeated are, if Options.Retries says so: reads, deletes, and appends
// of messages that all have ids.
package client
