// Package client is a Go client for the HTTP API of package rest, which wmem serve runs.
// Requests and answers are types of package wire.
//
//	c, err := client.New("http://127.0.0.1:8000", &client.Options{Token: token})
//	c.Append(ctx, "chat-17", messages, nil)
//	block, err := c.Block(ctx, "chat-17", 0, nil)
//
// Each method makes one request. If the server refuses it, the error is an *Error, which
// errors.Is matches with ErrNotFound, ErrUnauthorized, ErrStale and others. If the request does
// not reach the server or times out, the error comes from net/http. No error contains the token.
//
// If Options.Retries is set, requests that are safe to repeat are retried: reads, deletes, and
// appends whose messages all have ids.
package client
