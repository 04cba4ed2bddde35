package backend

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// ErrURL says that a text names no store, or none that can keep what it is to keep. It
// comes wrapped.
var ErrURL = errors.New("bad store")

// DefaultStore is where sessions are kept if nothing is said: a file in the working
// directory.
const DefaultStore = "sqlite:wmem.db"

// kind is a kind of store, by the scheme of its URL.
type kind string

const (
	inMemory kind = "memory"
	sqlite   kind = "sqlite"
	redis    kind = "redis"
	postgres kind = "postgres"
)

var kinds = map[string]kind{
	"memory": inMemory, "sqlite": sqlite, "redis": redis, "rediss": redis,
	"postgres": postgres, "postgresql": postgres,
}

// Place is where a store is: one of
//
//	memory:                              in the process: gone with it
//	sqlite:FILE                          a file of this machine
//	redis://… rediss://…                 a Redis or Valkey, with TLS for rediss
//	postgres://… postgresql://…          a PostgreSQL
//
// It prints without what could be a secret: no user, no password and no parameters.
type Place struct {
	kind kind
	text string
}

// ParsePlace reads a place. Errors: ErrURL, which does not repeat the text.
func ParsePlace(text string) (Place, error) {
	scheme, rest, ok := strings.Cut(text, ":")
	k, known := kinds[scheme]
	switch {
	case !ok || !known:
		return Place{}, fmt.Errorf("%w: it must begin with sqlite: (and a file, as sqlite:wmem.db), memory:, redis://, rediss://, postgres:// or postgresql://", ErrURL)
	case strings.ContainsRune(text, 0):
		return Place{}, fmt.Errorf("%w: NUL in %s", ErrURL, scheme)
	case k == inMemory && rest != "":
		return Place{}, fmt.Errorf("%w: memory: stands alone", ErrURL)
	case k == sqlite:
		return sqlitePlace(rest)
	case k != inMemory && (!strings.HasPrefix(rest, "//") || rest == "//"):
		return Place{}, fmt.Errorf("%w: %s:// and an address is expected", ErrURL, scheme)
	case k != inMemory && misread(rest):
		return Place{}, fmt.Errorf("%w: in %s: write @, /, ? and # in a password as %%40, %%2F, %%3F and %%23, and @ elsewhere too", ErrURL, scheme)
	}
	return Place{kind: k, text: text}, nil
}

// misread says whether a part of a password would be taken for something else, and shown: the
// host stands behind the last @, and in front of that is no place for a path or parameters.
func misread(rest string) bool {
	at := strings.LastIndexByte(rest, '@')
	return at >= 0 && strings.ContainsAny(rest[len("//"):at], "/?#")
}

func sqlitePlace(file string) (Place, error) {
	switch {
	case file == "":
		return Place{}, fmt.Errorf("%w: sqlite: and a file is expected, such as sqlite:wmem.db", ErrURL)
	case strings.HasPrefix(file, "//") && !strings.HasPrefix(file, "///"):
		return Place{}, fmt.Errorf("%w: behind sqlite: a file is expected, such as sqlite:wmem.db or sqlite:/var/lib/wmem.db", ErrURL)
	}
	return Place{kind: sqlite, text: "sqlite:" + filepath.Clean(file)}, nil
}

// KeepsMemories says whether long-term memory can be kept there.
func (p Place) KeepsMemories() bool { return p.kind != redis }

// Volatile says whether what is there is gone with the process.
func (p Place) Volatile() bool { return p.kind == inMemory }

// file is the file of a sqlite place.
func (p Place) file() string { return strings.TrimPrefix(p.text, "sqlite:") }

// String returns the place without secrets.
func (p Place) String() string {
	if p.kind == inMemory || p.kind == sqlite {
		return p.text
	}
	scheme, rest, _ := strings.Cut(p.text, "://")
	if u, err := url.Parse(p.text); err == nil {
		return scheme + "://" + u.Host + u.EscapedPath()
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	if end := strings.IndexAny(rest, "?#&"); end >= 0 {
		rest = rest[:end]
	}
	return scheme + "://" + rest
}
