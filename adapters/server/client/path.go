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

// escapeID escapes an id as a segment of a path. An id of dots would otherwise be taken for
// a relative path by servers and proxies.
func escapeID(id string) string {
	if id == "." || id == ".." {
		return strings.ReplaceAll(id, ".", "%2E")
	}
	return url.PathEscape(id)
}

// pathOf returns the path of the resource with an id, followed by suffix. It is empty if id is.
func pathOf(path, id, suffix string) string {
	if id == "" {
		return ""
	}
	return path + "/" + escapeID(id) + suffix
}

// Owner names the namespace and user of a session or of memories. Empty fields default to
// those of Options; so does a nil *Owner.
type Owner struct {
	Namespace, UserID string
}

// ownerQuery returns the parameters for an owner.
func (c *Client) ownerQuery(o *Owner) url.Values {
	var given Owner
	if o != nil {
		given = *o
	}
	query := url.Values{}
	set(query, "namespace", given.Namespace, c.opts.Namespace)
	set(query, "user_id", given.UserID, c.opts.UserID)
	return query
}

// set sets a parameter to the first value that is not empty.
func set(query url.Values, name string, values ...string) {
	for _, value := range values {
		if value != "" {
			query.Set(name, value)
			return
		}
	}
}

// setNumber sets a parameter unless n is zero.
func setNumber[N int | int64](query url.Values, name string, n N) {
	if n != 0 {
		query.Set(name, strconv.FormatInt(int64(n), 10))
	}
}
