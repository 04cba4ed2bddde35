package translate_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
)

// owned is a memory of the model: its owner and its id.
type owned struct{ namespace, user, id string }

func (o owned) in(t service.Tenant) bool {
	return (t.Namespace == "" || t.Namespace == o.namespace) && (t.UserID == "" || t.UserID == o.user)
}

func (o owned) named(namespace, user *string) bool {
	return (namespace == nil || *namespace == o.namespace) && (user == nil || *user == o.user)
}

// A tenant can create, search, get, patch, delete, forget and compact exactly its own memories.
func TestMemoriesOfTenantsAsAModel(t *testing.T) {
	t.Parallel()
	names, ids := []string{"", "a", "b"}, []string{"1", "2", "3"}
	maybe := rapid.Custom(func(t *rapid.T) *string {
		if rapid.Bool().Draw(t, "left open") {
			return nil
		}
		return new(rapid.SampledFrom(names).Draw(t, "name"))
	})
	rapid.Check(t, func(rt *rapid.T) {
		w := newRemembering(t, memindex.New(nil), nil)
		all := map[owned]bool{}
		var memories []string
		for i := range rapid.IntRange(0, 8).Draw(rt, "memories") {
			o := owned{rapid.SampledFrom(names).Draw(rt, "namespace"), rapid.SampledFrom(names).Draw(rt, "user"), rapid.SampledFrom(ids).Draw(rt, "id")}
			if !all[o] {
				all[o] = true
				memories = append(memories, fmt.Sprintf(`{"id":%q,"namespace":%q,"user_id":%q,"text":"tea %d"}`, o.id, o.namespace, o.user, i))
			}
		}
		w.create(rt, strings.Join(memories, ","))
		for range 6 {
			tenant := service.Tenant{Namespace: rapid.SampledFrom(names).Draw(rt, "bound to"), UserID: rapid.SampledFrom(names).Draw(rt, "bound to user")}
			namespace, user := maybe.Draw(rt, "asked"), maybe.Draw(rt, "asked user")
			his := map[string][]owned{}
			for o := range all {
				if o.in(tenant) && o.named(namespace, user) {
					his[o.id] = append(his[o.id], o)
				}
			}
			checkTenant(rt, w, all, his, tenant, namespace, user)
		}
	})
}

// checkTenant makes one call for a tenant. his are the memories that the call may mean, by id.
func checkTenant(t *rapid.T, w *working, all map[owned]bool, his map[string][]owned, tenant service.Tenant, namespace, user *string) {
	ctx := t.Context()
	var ids []string
	for id, list := range his {
		ids = append(ids, slices.Repeat([]string{id}, len(list))...)
	}
	id := rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "id")
	switch rapid.IntRange(0, 6).Draw(t, "what") {
	case 0:
		search := &wire.Search{Text: new(rapid.SampledFrom([]string{"", "tea"}).Draw(t, "text")), Limit: new(wire.Int(100))}
		if namespace != nil {
			search.Namespace = &wire.TextFilter{Eq: namespace}
		}
		if user != nil {
			search.UserID = &wire.TextFilter{In: &[]string{*user, "nobody"}}
		}
		found, err := w.SearchMemories(ctx, tenant, search)
		require.NoError(t, err)
		require.ElementsMatch(t, ids, idsOf(found.Memories))
		require.Equal(t, len(ids), found.Total)
		for _, m := range found.Memories {
			require.True(t, owned{orEmpty(m.Namespace), orEmpty(m.UserID), m.ID}.in(tenant))
		}
	case 1:
		m, err := w.GetMemory(ctx, tenant, id, namespace, user)
		if len(his[id]) != 1 {
			requireKind(t, service.NotFound, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, his[id][0], owned{orEmpty(m.Namespace), orEmpty(m.UserID), m.ID})
	case 2:
		m, err := w.PatchMemory(ctx, tenant, id, namespace, user, &wire.MemoryPatch{Topics: &wire.List{rapid.SampledFrom([]string{"x", "y"}).Draw(t, "topic")}})
		if len(his[id]) != 1 {
			requireKind(t, service.NotFound, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, his[id][0], owned{orEmpty(m.Namespace), orEmpty(m.UserID), m.ID})
	case 3:
		n, err := w.DeleteMemories(ctx, tenant, []string{id, "none"}, namespace, user)
		require.NoError(t, err)
		if len(his[id]) != 1 {
			require.Zero(t, n)
			break
		}
		require.Equal(t, 1, n)
		delete(all, his[id][0])
	case 5:
		n, err := w.CompactMemories(ctx, tenant, namespace, user)
		require.NoError(t, err)
		require.Equal(t, len(ids), n)
	case 6:
		created := owned{cmp.Or(orEmpty(namespace), tenant.Namespace), cmp.Or(orEmpty(user), tenant.UserID), id}
		one := &wire.MemoryBody{Memories: []wire.Memory{{ID: id, Text: "tea at " + fmt.Sprint(created)}}}
		isForeign := namespace != nil && tenant.Namespace != "" && *namespace != tenant.Namespace || user != nil && tenant.UserID != "" && *user != tenant.UserID
		if isForeign {
			requireKind(t, service.Forbidden, w.CreateMemories(ctx, tenant, namespace, user, one))
			one.Memories[0].Namespace, one.Memories[0].UserID = namespace, user
			if !created.in(tenant) { // the empty owner of a memory is the request's
				requireKind(t, service.Forbidden, w.CreateMemories(ctx, tenant, nil, nil, one))
			}
			_, err := w.PatchMemory(ctx, tenant, id, nil, nil, &wire.MemoryPatch{Namespace: namespace, UserID: user})
			requireKind(t, service.Forbidden, err)
			break
		}
		require.NoError(t, w.CreateMemories(ctx, tenant, namespace, user, one))
		all[created] = true
	case 4:
		dryRun := rapid.Bool().Draw(t, "dry run")
		f, err := w.ForgetMemories(ctx, tenant, namespace, user, nil, 1000, dryRun, body[wire.Forget](t, `{"policy":{"budget":0}}`))
		require.NoError(t, err)
		require.ElementsMatch(t, ids, f.DeletedIDs)
		if !dryRun {
			for _, list := range his {
				maps.DeleteFunc(all, func(o owned, _ bool) bool { return slices.Contains(list, o) })
			}
		}
	}
	require.Equal(t, len(all), w.find(t, everybody, `{}`).Total)
}
