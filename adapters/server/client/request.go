package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
)

// request describes an HTTP request.
type request struct {
	method string
	path   string // escaped; empty if the id is empty
	query  url.Values
	header http.Header
	body   any // nil means none
	// repeatable requests may be retried.
	repeatable bool
}

// call makes a request and decodes the answer into out, unless out is nil.
func (c *Client) call(ctx context.Context, r request, out any) error {
	body, err := c.answer(ctx, r)
	if err != nil || out == nil {
		return err
	}
	if err := wire.Decode(body, out); err != nil {
		return fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return nil
}

// fetch makes a request and returns the decoded answer.
func fetch[T any](ctx context.Context, c *Client, r request) (*T, error) {
	out := new(T)
	if err := c.call(ctx, r, out); err != nil {
		return nil, err
	}
	return out, nil
}

// answer makes a request, with retries, and returns the body of the answer.
func (c *Client) answer(ctx context.Context, r request) ([]byte, error) {
	if r.path == "" {
		return nil, errors.New("client: the id is empty")
	}
	var data []byte
	if r.body != nil {
		var err error
		if data, err = wire.Encode(r.body); err != nil {
			return nil, fmt.Errorf("client: encoding the request: %w", err)
		}
	}
	for try := 0; ; try++ {
		body, err := c.once(ctx, r, data)
		if err == nil || !r.repeatable || try == c.opts.Retries || !isTransient(ctx, err) {
			return body, err
		}
		if ended := sleep(ctx, backoff(try, err)); ended != nil {
			return nil, fmt.Errorf("client: waiting to retry: %w: %w", ended, err)
		}
	}
}

// once makes a request without retries.
func (c *Client) once(ctx context.Context, r request, data []byte) ([]byte, error) {
	req, err := c.newRequest(ctx, r, data)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // the body has been read
	body, err := io.ReadAll(io.LimitReader(answer.Body, MaxAnswerBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("client: reading the answer: %w", err)
	case len(body) > MaxAnswerBytes:
		return nil, fmt.Errorf("%w: more than %d bytes", ErrAnswer, MaxAnswerBytes)
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		return nil, newError(answer, body)
	}
	return body, nil
}

// newRequest builds the HTTP request.
func (c *Client) newRequest(ctx context.Context, r request, data []byte) (*http.Request, error) {
	address := c.base + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, body)
	if err != nil {
		return nil, errors.New("client: the method or address of the request is invalid")
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.opts.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	return req, nil
}
