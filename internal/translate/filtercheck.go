package translate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

// filterMistakes returns what is wrong with the filters of a search at a place: clients expect
// agent-memory-server's words, which name a condition by the name that it was given.
func filterMistakes(s *wire.Search, at ...any) []wire.FieldError {
	var found []wire.FieldError
	for _, f := range []named[*wire.TextFilter]{
		{"session_id", s.SessionID}, {"namespace", s.Namespace}, {"user_id", s.UserID}, {"topics", s.Topics},
		{"entities", s.Entities}, {"memory_type", s.Type}, {"extraction_strategy", s.Strategy},
	} {
		if f.value != nil {
			w := wrongs{at: slices.Concat(at, []any{f.name})}
			w.text(f.value, f.name == "memory_type")
			found = append(found, w.found...)
		}
	}
	for _, f := range []named[*wire.TimeFilter]{{"created_at", s.CreatedAt}, {"last_accessed", s.LastAccessed}, {"event_date", s.EventDate}} {
		if f.value != nil {
			w := wrongs{at: slices.Concat(at, []any{f.name})}
			w.apart(f.value.Eq != nil && f.value.Ne != nil, "eq and ne")
			if f.value.Between != nil && len(*f.value.Between) != 2 {
				w.add("between must be a list of two datetimes")
			}
			found = append(found, w.found...)
		}
	}
	return found
}

type named[T any] struct {
	name  string
	value T
}

// wrongs collects what is wrong with one filter.
type wrongs struct {
	at    []any
	found []wire.FieldError
}

func (w *wrongs) add(message string) {
	w.found = append(w.found, wire.Field("value_error", "Value error, "+message, nil, w.at...))
}

// apart notes that two conditions are given that exclude each other.
func (w *wrongs) apart(both bool, which string) {
	if both {
		w.add(which + " cannot both be set")
	}
}

// text checks a filter; that of a type of memories may name only those there are.
func (w *wrongs) text(f *wire.TextFilter, ofTypes bool) {
	differ := func(a, b *[]string) bool { return a != nil && b != nil && !slices.Equal(*a, *b) }
	w.apart(differ(f.Any, f.In), "any and in_")
	w.apart(differ(f.None, f.NotIn), "none and not_in")
	w.apart(f.Ne != nil && f.NotEq != nil && *f.Ne != *f.NotEq, "ne and not_eq")
	w.apart(f.Eq != nil && (f.Ne != nil || f.NotEq != nil), "eq and ne")
	w.apart((f.Any != nil || f.In != nil) && f.All != nil, "any and all")
	if f.StartsWith != nil && *f.StartsWith == "" {
		w.add("startswith cannot be an empty string")
	}
	for _, one := range []named[*string]{{"eq", f.Eq}, {"ne", f.Ne}, {"not_eq", f.NotEq}} {
		if ofTypes && one.value != nil {
			w.types(one.name, []string{*one.value})
		}
	}
	for _, list := range []named[*[]string]{{"any", f.Any}, {"in_", f.In}, {"all", f.All}, {"none", f.None}, {"not_in", f.NotIn}} {
		if list.value == nil {
			continue
		}
		if len(*list.value) == 0 {
			w.add(list.name + " cannot be an empty list")
		}
		if ofTypes {
			w.types(list.name, *list.value)
		}
	}
}

// maxShown is how many bytes of a value a message shows.
const maxShown = 200

// types finds what is no type of memories.
func (w *wrongs) types(name string, values []string) {
	types := service.MemoryTypes()
	for _, value := range values {
		if !slices.Contains(types, value) {
			shown := strings.ToValidUTF8(value[:min(len(value), maxShown)], "")
			w.add(fmt.Sprintf("%s value '%s' not in valid enum values: ['%s']", name, shown, strings.Join(types, "', '")))
			return
		}
	}
}
