package translate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// filterMistakes returns the mistakes in the filters of a search at a place. They have the
// words of agent-memory-server, which name a condition as the client did.
func filterMistakes(s *wire.Search, at ...any) []wire.FieldError {
	var found []wire.FieldError
	for _, f := range []named[*wire.TextFilter]{
		{"session_id", s.SessionID}, {"namespace", s.Namespace}, {"user_id", s.UserID}, {"topics", s.Topics},
		{"entities", s.Entities}, {"memory_type", s.Type}, {"extraction_strategy", s.Strategy},
	} {
		if f.value != nil {
			m := mistakes{at: slices.Concat(at, []any{f.name})}
			m.text(f.value, f.name == "memory_type")
			found = append(found, m.found...)
		}
	}
	for _, f := range []named[*wire.TimeFilter]{{"created_at", s.CreatedAt}, {"last_accessed", s.LastAccessed}, {"event_date", s.EventDate}} {
		if f.value != nil {
			m := mistakes{at: slices.Concat(at, []any{f.name})}
			m.exclude(f.value.Eq != nil && f.value.Ne != nil, "eq and ne")
			if f.value.Between != nil && len(*f.value.Between) != 2 {
				m.add("between must be a list of two datetimes")
			}
			found = append(found, m.found...)
		}
	}
	return found
}

type named[T any] struct {
	name  string
	value T
}

// mistakes collects the mistakes of one filter.
type mistakes struct {
	at    []any
	found []wire.FieldError
}

func (m *mistakes) add(message string) {
	m.found = append(m.found, wire.Field("value_error", "Value error, "+message, nil, m.at...))
}

// exclude adds a mistake if both of two conditions that exclude each other are set.
func (m *mistakes) exclude(both bool, which string) {
	if both {
		m.add(which + " cannot both be set")
	}
}

// text checks a filter. If ofTypes, its values must be types of memories.
func (m *mistakes) text(f *wire.TextFilter, ofTypes bool) {
	differ := func(a, b *[]string) bool { return a != nil && b != nil && !slices.Equal(*a, *b) }
	m.exclude(differ(f.Any, f.In), "any and in_")
	m.exclude(differ(f.None, f.NotIn), "none and not_in")
	m.exclude(f.Ne != nil && f.NotEq != nil && *f.Ne != *f.NotEq, "ne and not_eq")
	m.exclude(f.Eq != nil && (f.Ne != nil || f.NotEq != nil), "eq and ne")
	m.exclude((f.Any != nil || f.In != nil) && f.All != nil, "any and all")
	if f.StartsWith != nil && *f.StartsWith == "" {
		m.add("startswith cannot be an empty string")
	}
	for _, one := range []named[*string]{{"eq", f.Eq}, {"ne", f.Ne}, {"not_eq", f.NotEq}} {
		if ofTypes && one.value != nil {
			m.types(one.name, []string{*one.value})
		}
	}
	for _, list := range []named[*[]string]{{"any", f.Any}, {"in_", f.In}, {"all", f.All}, {"none", f.None}, {"not_in", f.NotIn}} {
		if list.value == nil {
			continue
		}
		if len(*list.value) == 0 {
			m.add(list.name + " cannot be an empty list")
		}
		if ofTypes {
			m.types(list.name, *list.value)
		}
	}
}

// maxShown is the maximum number of bytes of a value in a message.
const maxShown = 200

// types checks that values are types of memories. It reports the first that is not.
func (m *mistakes) types(name string, values []string) {
	types := service.MemoryTypes()
	for _, value := range values {
		if !slices.Contains(types, value) {
			shown := strings.ToValidUTF8(value[:min(len(value), maxShown)], "")
			m.add(fmt.Sprintf("%s value '%s' not in valid enum values: ['%s']", name, shown, strings.Join(types, "', '")))
			return
		}
	}
}
