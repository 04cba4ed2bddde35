package translate_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
)

func sentBackEmpty() *wire.SessionBody { return &wire.SessionBody{} }

// model has the expected contents of the messages of each session.
type model map[[3]string][]string

// visible returns the sessions that a tenant's request may mean.
func (m model) visible(tenant service.Tenant, at service.Ref) (keys [][3]string, exact [3]string) {
	for key := range m {
		is := func(part string, bound string, asked *string) bool {
			return (bound == "" || bound == part) && (asked == nil || *asked == part)
		}
		if key[2] == at.SessionID && is(key[0], tenant.Namespace, at.Namespace) && is(key[1], tenant.UserID, at.UserID) {
			keys = append(keys, key)
		}
	}
	return keys, written(tenant, at)
}

// written returns the key that a request writes to.
func written(tenant service.Tenant, at service.Ref) [3]string {
	key := [3]string{tenant.Namespace, tenant.UserID, at.SessionID}
	if at.Namespace != nil {
		key[0] = *at.Namespace
	}
	if at.UserID != nil {
		key[1] = *at.UserID
	}
	return key
}

// meant returns the session that a request means, if any.
func (m model) meant(tenant service.Tenant, at service.Ref) (key [3]string, found bool) {
	keys, exact := m.visible(tenant, at)
	switch {
	case len(keys) == 1:
		return keys[0], true
	default:
		return exact, slices.Contains(keys, exact)
	}
}

func foreign(tenant service.Tenant, at service.Ref) bool {
	return tenant.Namespace != "" && at.Namespace != nil && *at.Namespace != tenant.Namespace ||
		tenant.UserID != "" && at.UserID != nil && *at.UserID != tenant.UserID
}

func TestSessionsOfTenantsAsAModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorking(t, nil, nil)
		held := model{}
		part := rapid.SampledFrom([]string{"", "a", "b"})
		given := rapid.Custom(func(t *rapid.T) *string { return rapid.Ptr(part, true).Draw(t, "part") })
		number := 0
		one := func(t *rapid.T) (service.Tenant, service.Ref) {
			return service.Tenant{Namespace: part.Draw(t, "bound namespace"), UserID: part.Draw(t, "bound user")},
				service.Ref{SessionID: rapid.SampledFrom([]string{"s", "t"}).Draw(t, "id"), Namespace: given.Draw(t, "namespace"), UserID: given.Draw(t, "user")}
		}
		write := func(t *rapid.T, do func(service.Tenant, writeView, []wire.Message) error, change func(had []string, text string) []string) {
			tenant, at := one(t)
			number++
			text := fmt.Sprint(number)
			err := do(tenant, writeView{Ref: at}, said(text))
			if foreign(tenant, at) {
				requireKind(t, service.Forbidden, err)
				return
			}
			require.NoError(t, err)
			key := written(tenant, at)
			held[key] = change(held[key], text)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				write(t, func(tenant service.Tenant, view writeView, messages []wire.Message) error {
					_, err := w.PutSession(w.t.Context(), tenant, view, &wire.SessionBody{Messages: messages})
					return err
				}, func(_ []string, text string) []string { return []string{text} })
			},
			"append": func(t *rapid.T) {
				write(t, func(tenant service.Tenant, view writeView, messages []wire.Message) error {
					_, err := w.AppendMessages(w.t.Context(), tenant, view, &wire.Append{Messages: messages})
					return err
				}, func(had []string, text string) []string { return append(slices.Clone(had), text) })
			},
			"get": func(t *rapid.T) {
				tenant, at := one(t)
				got, err := w.GetSession(w.t.Context(), tenant, at, service.View{})
				key, found := held.meant(tenant, at)
				if !found {
					requireKind(t, service.NotFound, err)
					return
				}
				require.NoError(t, err)
				require.Equal(t, held[key], contents(got.Messages))
				require.Equal(t, key, [3]string{orEmpty(got.Namespace), orEmpty(got.UserID), got.SessionID})
			},
			"delete": func(t *rapid.T) {
				tenant, at := one(t)
				err := w.DeleteSession(w.t.Context(), tenant, at, "")
				key, found := held.meant(tenant, at)
				keys, _ := held.visible(tenant, at)
				if len(keys) > 1 && !found {
					requireKind(t, service.NotFound, err)
					return
				}
				require.NoError(t, err)
				if found {
					delete(held, key)
				}
			},
			"list": func(t *rapid.T) {
				tenant, at := one(t)
				list, err := w.ListSessions(w.t.Context(), tenant, at.Namespace, at.UserID, 100, 0)
				require.NoError(t, err)
				want := 0
				for _, id := range []string{"s", "t"} {
					at.SessionID = id
					keys, _ := held.visible(tenant, at)
					want += len(keys)
				}
				require.Equal(t, want, list.Total)
				require.Len(t, list.Sessions, want)
			},
		})
	})
}
