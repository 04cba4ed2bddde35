package backend

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// ErrURL is returned, wrapped, for a text that does not name a store, or not one that can be used
// for the purpose.
var ErrURL = errors.New("bad store")

// DefaultStore is the default place of sessions: a file in the working directory.
const DefaultStore = "sqlite:wmem.db"

// kind is the kind of a store, which follows from the scheme of its URL.
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

// Place is the location of a store. It is one of
//
//	memory:                              in the process, lost when it ends
//	sqlite:FILE                          a file on this machine
//	redis://… rediss://…                 a Redis or Valkey, with TLS for rediss
//	postgres://… postgresql://…          a PostgreSQL
//
// String leaves out what may be secret: user, password and parameters.
type Place struct {
	kind kind
	text string
}

// ParsePlace parses a place. It returns an ErrURL that does not quote the text.
func ParsePlace(text string) (Place, error) {
	scheme, rest, ok := strings.Cut(text, ":")
	k, known := kinds[scheme]
	switch {
	case !ok || !known:
		return Place{}, fmt.Errorf("%w: must begin with sqlite: (followed by a file, as in sqlite:wmem.db), memory:, redis://, rediss://, postgres:// or postgresql://", ErrURL)
	case strings.ContainsRune(text, 0):
		return Place{}, fmt.Errorf("%w: NUL in %s", ErrURL, scheme)
	case k == inMemory && rest != "":
		return Place{}, fmt.Errorf("%w: memory: takes no further text", ErrURL)
	case k == sqlite:
		return sqlitePlace(rest)
	case k != inMemory && (!strings.HasPrefix(rest, "//") || rest == "//"):
		return Place{}, fmt.Errorf("%w: %s:// must be followed by an address", ErrURL, scheme)
	case k != inMemory && misread(rest):
		return Place{}, fmt.Errorf("%w: in %s: write @, /, ? and # in a password as %%40, %%2F, %%3F and %%23, and @ elsewhere too", ErrURL, scheme)
	}
	return Place{kind: k, text: text}, nil
}

// misread reports whether part of a password would be taken for a path or parameters, and thus
// shown: before the last @ there is only a user and a password.
func misread(rest string) bool {
	at := strings.LastIndexByte(rest, '@')
	return at >= 0 && strings.ContainsAny(rest[len("//"):at], "/?#")
}

func sqlitePlace(file string) (Place, error) {
	switch {
	case file == "":
		return Place{}, fmt.Errorf("%w: sqlite: must be followed by a file, as in sqlite:wmem.db", ErrURL)
	case strings.HasPrefix(file, "//") && !strings.HasPrefix(file, "///"):
		return Place{}, fmt.Errorf("%w: sqlite: must be followed by a file, not //, as in sqlite:wmem.db or sqlite:/var/lib/wmem.db", ErrURL)
	}
	return Place{kind: sqlite, text: "sqlite:" + filepath.Clean(file)}, nil
}

// KeepsMemories reports whether the place can store long-term memory.
func (p Place) KeepsMemories() bool { return p.kind != redis }

// Volatile reports whether the data are lost when the process ends.
func (p Place) Volatile() bool { return p.kind == inMemory }

// file returns the file of a sqlite place.
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
