package memory_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory"
)

func TestDefaultIdentity(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, id string
		strong   bool
	}{
		{"uuid", "550e8400-e29b-41d4-a716-446655440000", true},
		{"ulid", "01ARZ3NDEKTSV4RRFFQ69G5FAV", true},
		{"prefixed", "cus_NffrFeUfNV2Hib", true},
		{"eight bytes", "abcdefgh", true},
		{"seven bytes", "abcdefg", false},
		{"short order number", "#W12", false},
		{"one digit", "5", false},
		{"zero", "0", false},
		{"long number", "9007199254740993123456789", false},
		{"negative number", "-123456789", false},
		{"number with plus", "+4912345678", false},
		{"sign in the middle", "1234-5678", true},
		{"two signs", "--12345678", true},
		{"signs alone", "--------", true},
		{"number with letter", "12345678a", true},
		{"decimal fraction", "12345.678", true},
		{"empty", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := memory.Ref{Type: "page", ID: tt.id}
			if tt.strong {
				want.Type = ""
			}
			assert.Equal(t, want, memory.DefaultIdentity("page", tt.id))
		})
	}
	assert.Equal(t, ref("resource 5"), memory.DefaultIdentity("", "5"), "no type is the fallback type")
}

func TestIdentityIsPluggable(t *testing.T) {
	t.Parallel()
	c := memory.NewWorkingContext(&memory.ContextOptions{
		Identity: func(typ, id string) memory.Ref {
			assert.NotEmpty(t, typ)
			return memory.DefaultIdentity(typ, strings.ToLower(id))
		},
		Now: clock(),
	})
	require.NoError(t, c.Add(ent("page A1 Home")))
	require.NoError(t, c.Add(ent("order ORDER-0001 First")))

	got, ok := c.Get(ref("page a1"))
	require.True(t, ok)
	assert.Equal(t, "A1", got.ID, "the entity keeps its own id")

	require.NoError(t, c.Add(memory.Entity{ID: "order-0001", Role: memory.RoleReference}))
	assert.Equal(t, []string{"order ORDER-0001 First", "page A1 Home"}, summary(c), "a mention keeps the record's id")
	require.NoError(t, c.Apply(memory.Change{Use: []memory.Ref{ref("page a1")}}))
	assert.True(t, c.Remove(memory.Ref{ID: "oRdEr-0001"}))
	assert.Equal(t, []string{"page A1 Home"}, summary(c))
}

func TestLabel(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "Home", memory.Entity{Type: "page", Name: "Home", Description: "d"}.Label())
	assert.Equal(t, "red, 10 hours", memory.Entity{Type: "lamp", Description: "red, 10 hours"}.Label())
	assert.Equal(t, "Unnamed page", memory.Entity{Type: "page"}.Label())
	assert.Equal(t, "Unnamed resource", memory.Entity{}.Label())
}
