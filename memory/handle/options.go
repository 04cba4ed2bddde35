package handle

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/plaintext"
	"github.com/go-workingmemory/workingmemory/memory"
)

const (
	// DefaultMinTokens is the default of Options.MinTokens.
	DefaultMinTokens = 8
	// DefaultCapacity is the default of Options.Capacity.
	DefaultCapacity = 4096
	// MaxTextBytes is the length of the longest text in which ids and handles are replaced:
	// 16 MiB.
	MaxTextBytes = 16 << 20
)

// Options configures a Table. The zero value is useful.
type Options struct {
	// MinTokens is the number of tokens up to which an id is shown as it is. 0 or less means
	// DefaultMinTokens.
	MinTokens int
	// Counter counts the tokens of ids. If nil, they are estimated.
	Counter memory.TokenCounter
	// Readable also gives handles to ids that say something to a reader, such as paths,
	// addresses and names of pods. By default they are shown as they are, unless the name of
	// the entity says the same: a model cannot see what is behind a handle.
	Readable bool
	// WholeOnly decodes a handle in arguments only if it is a whole string, not inside a
	// longer one such as an address.
	WholeOnly bool
	// Capacity is the number of handles that are known. Beyond it the one whose id was in a
	// result or used by a tool the longest ago is forgotten; the id gets a new one when a
	// result has it again. 0 or less means DefaultCapacity.
	Capacity int
}

func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	opts.MinTokens = cmp.Or(max(opts.MinTokens, 0), DefaultMinTokens)
	opts.Capacity = cmp.Or(max(opts.Capacity, 0), DefaultCapacity)
	if opts.Counter == nil {
		opts.Counter = plaintext.Estimator{}
	}
	return opts
}

// isWorth reports whether an id of an entity is worth a handle.
func (o *Options) isWorth(e *memory.Entity, id string) bool {
	return len(id) <= memory.MaxIDBytes && canReplaceIn(id) && isOneString(id) &&
		o.Counter.CountTokens(id) > o.MinTokens && (o.Readable || isOpaque(id, e))
}

var literalNames = strings.NewReplacer("true", "", "false", "", "null", "")

// isOneString reports whether an id is in JSON only within one string, in the same spelling. A
// number is not, nor is "true" or "1, 2": no quotes would be around the handle.
func isOneString(id string) bool {
	bare := literalNames.Replace(id)
	escaped := func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }
	return !strings.ContainsFunc(id, escaped) && strings.Trim(bare, "0123456789+-.eE,:[]{} ") != ""
}

// minBody is the length of the shortest opaque part behind a prefix: vpc-0a1b2c3d4e5f60718.
// The hashes in names of Kubernetes are shorter.
const minBody = 12

// isOpaque reports whether an id says nothing that its entity does not say: it has no words,
// or those of the type or the name, or one in front that names the kind of id.
func isOpaque(id string, e *memory.Entity) bool {
	segments := strings.FieldsFunc(id, func(r rune) bool { return r < 0x80 && !isAlphanumeric(byte(r)) })
	if len(segments) == 2 && len(segments[1]) >= minBody && len(segments[0]) <= minBody {
		segments = segments[1:]
	}
	if strings.Contains(id, "://") || strings.Contains(id, "@") {
		return false
	}
	said := strings.ToLower(e.Type)
	if !strings.Contains(e.Name, id) {
		said += " " + strings.ToLower(e.Name)
	}
	return !slices.ContainsFunc(segments, func(s string) bool {
		s = strings.ToLower(s)
		return isWord(s) && !strings.Contains(said, s)
	})
}

// isWord reports whether a part of an id, in small letters, is a word, maybe with a number
// behind it. Random texts have digits between their letters.
func isWord(segment string) bool {
	word := strings.TrimRight(segment, "0123456789")
	return len(word) >= 3 && len(segment)-len(word) <= 3 && !strings.ContainsAny(word, "0123456789") &&
		strings.IndexFunc(word, func(r rune) bool { return r >= 0x80 || strings.ContainsRune("aeiouy", r) }) >= 0 &&
		strings.Trim(word, "abcdef") != ""
}
