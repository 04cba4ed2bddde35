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

// request is what one call asks for.
type request struct {
	method string
	path   string // escaped; empty: there is no id
	query  url.Values
	header http.Header
	body   any // nil: none
	// again says that it may be repeated.
	again bool
}

// call makes a request and reads the answer into out, if that is not nil.
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

// fetch makes a request and returns the answer.
func fetch[T any](ctx context.Context, c *Client, r request) (*T, error) {
	out := new(T)
	if err := c.call(ctx, r, out); err != nil {
		return nil, err
	}
	return out, nil
}

// answer makes a request, again where it may, and returns the body of the answer.
func (c *Client) answer(ctx context.Context, r request) ([]byte, error) {
	if r.path == "" {
		return nil, errors.New("client: the id is empty")
	}
	var data []byte
	if r.body != nil {
		var err error
		if data, err = wire.Encode(r.body); err != nil {
			return nil, fmt.Errorf("client: writing the request: %w", err)
		}
	}
	for try := 0; ; try++ {
		body, err := c.once(ctx, r, data)
		if err == nil || !r.again || try == c.opts.Retries || !passing(ctx, err) {
			return body, err
		}
		if ended := sleep(ctx, pause(try, err)); ended != nil {
			return nil, fmt.Errorf("client: waiting to try again: %w: %w", ended, err)
		}
	}
}

// once makes a request once.
func (c *Client) once(ctx context.Context, r request, data []byte) ([]byte, error) {
	req, err := c.make(ctx, r, data)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	body, err := io.ReadAll(io.LimitReader(answer.Body, MaxAnswerBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("client: reading the answer: %w", err)
	case len(body) > MaxAnswerBytes:
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrAnswer, MaxAnswerBytes)
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		return nil, refused(answer, body)
	}
	return body, nil
}

func (c *Client) make(ctx context.Context, r request, data []byte) (*http.Request, error) {
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
		return nil, errors.New("client: the request has no address")
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
