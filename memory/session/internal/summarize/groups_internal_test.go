package summarize

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

// talk makes messages of a sketch: "u" the user, "a" the assistant, "c1+2" calls 1
// and 2, "r1" a result of call 1, "c" and "r" a call and a result without an id,
// "cf" and "rf" the same with a name. Each has 10 tokens.
func talk(sketch ...string) []driver.Message {
	messages := make([]driver.Message, len(sketch))
	for i, s := range sketch {
		m := driver.Message{ID: fmt.Sprint(i), Role: driver.RoleAssistant, Tokens: 10}
		switch s[0] {
		case 'u':
			m.Role = driver.RoleUser
		case 'c':
			switch {
			case len(s) == 1 || s[1] == 'f':
				m.ToolCalls = []driver.ToolCall{{Name: s[1:]}}
			default:
				for _, id := range s[1:] {
					if id != '+' {
						m.ToolCalls = append(m.ToolCalls, driver.ToolCall{ID: string(id), Name: "get"})
					}
				}
			}
		case 'r':
			m.Role = driver.RoleTool
			if len(s) > 1 && s[1] == 'f' {
				m.Name = s[1:]
			} else {
				m.ToolCallID = s[1:]
			}
		}
		messages[i] = m
	}
	return messages
}

func TestLeaving(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		talk   []string
		limit  int
		window int
		want   int
	}{
		{"nothing", nil, 10, 100, 0},
		{"one, over", []string{"u"}, 5, 100, 0},
		{"all fit", []string{"u", "a", "u"}, 30, 100, 0},
		{"the longest that fits", []string{"u", "a", "u"}, 29, 100, 1},
		{"the last one stays", []string{"u", "a", "u"}, 1, 100, 2},
		{"no room at all", []string{"u", "a", "u"}, 0, 100, 2},
		{"a call keeps its result", []string{"u", "c1", "r1", "a"}, 20, 100, 3},
		{"from the call on", []string{"u", "c1", "r1", "a"}, 30, 100, 1},
		{"the last result keeps its call", []string{"u", "a", "c1", "r1"}, 10, 100, 2},
		{"and the call between others", []string{"u", "c1", "a", "u", "r1"}, 10, 100, 1},
		{"two results", []string{"u", "c1+2", "r1", "r2", "a"}, 20, 100, 4},
		{"overlapping calls", []string{"u", "c1", "c2", "r1", "r2", "a"}, 30, 100, 5},
		{"results in the other order", []string{"u", "c1", "c2", "r2", "r1", "a"}, 30, 100, 5},
		{"an id that is used again", []string{"c1", "r1", "c1", "r1", "a"}, 30, 100, 2},
		{"a result comes late", []string{"c1", "u", "a", "r1", "u"}, 20, 100, 4},
		{"without ids", []string{"u", "c", "r", "a"}, 20, 100, 3},
		{"without ids, by name", []string{"cf1", "cf2", "rf2", "a", "rf1", "u"}, 30, 100, 5},
		{"without ids, given up", []string{"c", "u", "r", "a"}, 30, 100, 1},
		{"a result of nothing is free", []string{"r1", "r2", "u"}, 20, 100, 1},
		{"awaited", []string{"u", "u", "c1", "a"}, 10, 100, 2},
		{"awaited in part", []string{"u", "c1+2", "r1", "a"}, 10, 100, 1},
		{"given up when the user speaks", []string{"u", "c1", "a", "u", "a"}, 20, 100, 3},
		{"given up beyond the window", []string{"u", "c1", "a", "a", "a"}, 20, 39, 3},
		{"still awaited in the window", []string{"u", "c1", "a", "a", "a"}, 20, 40, 1},
		{"everything belongs together", []string{"c1", "u", "a", "r1"}, 10, 100, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, countLeaving(talk(tc.talk...), tc.limit, tc.window))
		})
	}
}
