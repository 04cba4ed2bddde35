package client

import (
	"net/url"
	"strconv"
	"strings"
)

const (
	sessionsPath = "/v1/working-memory"
	memoriesPath = "/v1/long-term-memory"
)

// segment is an id as a part of a path, whatever it is of. Dots alone would be a way
// upwards to servers and proxies.
func segment(id string) string {
	if id == "." || id == ".." {
		return strings.ReplaceAll(id, ".", "%2E")
	}
	return url.PathEscape(id)
}

// under is the path of what has an id, and of what is further on; empty without an id.
func under(path, id, further string) string {
	if id == "" {
		return ""
	}
	return path + "/" + segment(id) + further
}

// Owner is whose session or memories a request is about. Empty parts are those of
// Options; nil is an empty Owner.
type Owner struct {
	Namespace, UserID string
}

// owned are the parameters that name an owner.
func (c *Client) owned(o *Owner) url.Values {
	var given Owner
	if o != nil {
		given = *o
	}
	query := url.Values{}
	set(query, "namespace", given.Namespace, c.opts.Namespace)
	set(query, "user_id", given.UserID, c.opts.UserID)
	return query
}

// set sets a parameter to the first of the values that is not empty.
func set(query url.Values, name string, values ...string) {
	for _, value := range values {
		if value != "" {
			query.Set(name, value)
			return
		}
	}
}

// setNumber sets a parameter, unless it is 0.
func setNumber[N int | int64](query url.Values, name string, n N) {
	if n != 0 {
		query.Set(name, strconv.FormatInt(int64(n), 10))
	}
}
