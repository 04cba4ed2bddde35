package translate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// populated has, of each of four owners, a memory of its own and one whose id all have.
func populated(t *testing.T) *memoryWorld {
	t.Helper()
	w := newMemoryWorld(t, nil)
	var all []string
	for _, namespace := range []string{"shop", "work"} {
		for _, user := range []string{"anna", "bob"} {
			for _, id := range []string{namespace + "-" + user, "shared"} {
				all = append(all, fmt.Sprintf(`{"id":%q,"text":"tea of %s and %s, %s","namespace":%q,"user_id":%q,"session_id":"s1"}`, id, namespace, user, id, namespace, user))
			}
		}
	}
	w.create(t, strings.Join(all, ","))
	return w
}

func TestTenantsAndWhatIsNotTheirs(t *testing.T) {
	t.Parallel()
	forget := body[wire.Forget](t, `{"policy":{"budget":0}}`)
	for _, c := range []struct {
		tenant            service.Tenant
		own               []string // ids that it has alone
		foreign           string   // id of another's
		namespace, userID *string  // of another
		detail            string
	}{
		{service.Tenant{Namespace: "shop"}, []string{"shop-anna", "shop-bob"}, "work-anna", new("work"), nil, "Token is not valid for this namespace"},
		{service.Tenant{Namespace: "shop"}, []string{"shop-anna", "shop-bob"}, "work-anna", new(""), new("anna"), "Token is not valid for this namespace"},
		{service.Tenant{UserID: "anna"}, []string{"shop-anna", "work-anna"}, "shop-bob", nil, new("bob"), "Token is not valid for this user"},
		{service.Tenant{UserID: "anna"}, []string{"shop-anna", "work-anna"}, "shop-bob", new("shop"), new(""), "Token is not valid for this user"},
		{service.Tenant{Namespace: "shop", UserID: "anna"}, []string{"shop-anna"}, "shop-bob", new("shop"), new("bob"), "Token is not valid for this user"},
		{service.Tenant{Namespace: "shop", UserID: "anna"}, []string{"shop-anna"}, "work-anna", new("work"), new("anna"), "Token is not valid for this namespace"},
		{service.Tenant{Namespace: "nobody's"}, nil, "shop-anna", new("shop"), nil, "Token is not valid for this namespace"},
	} {
		t.Run(fmt.Sprint(c.tenant, c.foreign), func(t *testing.T) {
			t.Parallel()
			w := populated(t)
			ctx := t.Context()
			before := w.find(t, unbound, `{"limit":100}`)
			pin := body[wire.MemoryPatch](t, `{"pinned":true}`)

			// What is another's is not there, whether it is named or not.
			for _, names := range [][2]*string{{nil, nil}, {c.namespace, c.userID}} {
				_, err := w.GetMemory(ctx, c.tenant, c.foreign, names[0], names[1])
				assert.Equal(t, "Memory with ID "+c.foreign+" not found", refuses(t, service.NotFound, err).Detail)
				_, err = w.PatchMemory(ctx, c.tenant, c.foreign, names[0], names[1], pin)
				assert.Equal(t, "Memory with ID "+c.foreign+" not found", refuses(t, service.NotFound, err).Detail)
				n, err := w.DeleteMemories(ctx, c.tenant, []string{c.foreign}, names[0], names[1])
				require.NoError(t, err)
				assert.Zero(t, n)
			}
			f, err := w.ForgetMemories(ctx, c.tenant, c.namespace, c.userID, nil, 1000, false, forget)
			require.NoError(t, err)
			assert.Equal(t, &wire.ForgetResult{DeletedIDs: []string{}}, f)
			n, err := w.CompactMemories(ctx, c.tenant, c.namespace, c.userID)
			require.NoError(t, err)
			assert.Zero(t, n)
			for _, part := range []struct {
				field, bound string
				name         *string
			}{{"namespace", c.tenant.Namespace, c.namespace}, {"user_id", c.tenant.UserID, c.userID}} {
				if part.bound == "" || part.name == nil || *part.name == part.bound {
					continue
				}
				for _, filter := range []string{`{"eq":%q}`, `{"any":[%q]}`, `{"all":[%q]}`, `{"in_":[%q]}`} {
					for _, text := range []string{"", "tea"} {
						found := w.find(t, c.tenant, fmt.Sprintf(`{"text":%q,%q:`+filter+`}`, text, part.field, *part.name))
						assert.Equal(t, &wire.Results{Memories: []wire.Found{}}, found, filter)
					}
				}
			}

			// A write for another is refused, and nothing of it is kept.
			one := body[wire.MemoryBody](t, `{"memories":[{"id":"new","text":"new"}]}`)
			assert.Equal(t, c.detail, refuses(t, service.Forbidden, w.CreateMemories(ctx, c.tenant, c.namespace, c.userID, one)).Detail)
			if orEmpty(c.namespace) != "" && c.userID == nil || orEmpty(c.userID) != "" && c.namespace == nil {
				named := &wire.MemoryBody{Memories: []wire.Memory{{ID: "mine", Text: "mine"}, {ID: "new", Text: "new", Namespace: c.namespace, UserID: c.userID}}}
				assert.Equal(t, c.detail, refuses(t, service.Forbidden, w.CreateMemories(ctx, c.tenant, nil, nil, named)).Detail)
			}
			for _, id := range slices.Concat(c.own, []string{c.foreign, "none"}) {
				_, err = w.PatchMemory(ctx, c.tenant, id, nil, nil, &wire.MemoryPatch{Namespace: c.namespace, UserID: c.userID})
				assert.Equal(t, c.detail, refuses(t, service.Forbidden, err).Detail, "the same whether it is there or not")
			}
			assert.Equal(t, before.Memories, w.find(t, unbound, `{"limit":100}`).Memories, "nothing was changed")

			// What is its own, it has.
			for _, id := range c.own {
				_, err := w.GetMemory(ctx, c.tenant, id, nil, nil)
				require.NoError(t, err)
				_, err = w.PatchMemory(ctx, c.tenant, id, nil, nil, pin)
				require.NoError(t, err)
				assert.Contains(t, w.findIDs(t, c.tenant, `{"text":"tea"}`), id)
			}
			assert.Len(t, w.findIDs(t, c.tenant, `{}`), 2*len(c.own))
			// An id that several of its owners have means none of them.
			_, err = w.GetMemory(ctx, c.tenant, "shared", nil, nil)
			assert.Equal(t, len(c.own) == 1, err == nil)
			n, err = w.DeleteMemories(ctx, c.tenant, []string{"shared"}, nil, nil)
			require.NoError(t, err)
			assert.Equal(t, len(c.own) == 1, n == 1)
		})
	}
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func TestCreatedMemoriesAreTheTenants(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld(t, nil)
	bound := service.Tenant{Namespace: "shop", UserID: "anna"}
	for _, memory := range []string{`{"id":"a","text":"1"}`, `{"id":"b","text":"2","namespace":"","user_id":""}`, `{"id":"c","text":"3","namespace":"shop","user_id":"anna"}`} {
		require.NoError(t, w.CreateMemories(t.Context(), bound, nil, nil, body[wire.MemoryBody](t, `{"memories":[`+memory+`]}`)))
	}
	for _, m := range w.find(t, unbound, `{}`).Memories {
		assert.Equal(t, []string{"shop", "anna"}, []string{*m.Namespace, *m.UserID}, m.ID)
	}
	part := service.Tenant{UserID: "bob"}
	require.NoError(t, w.CreateMemories(t.Context(), part, new("work"), nil, body[wire.MemoryBody](t, `{"memories":[{"id":"d","text":"1"}]}`)))
	m, err := w.GetMemory(t.Context(), unbound, "d", new("work"), new("bob"))
	require.NoError(t, err)
	assert.Equal(t, "bob", *m.UserID)
}

func TestPromptsAreOfTheTenant(t *testing.T) {
	t.Parallel()
	w := populated(t)
	for _, key := range []session.Key{{Namespace: "shop", UserID: "anna", SessionID: "s1"}, {Namespace: "work", UserID: "bob", SessionID: "s2"}} {
		_, err := w.manager.Append(t.Context(), key, []session.Message{{Role: "user", Content: "said to " + key.Namespace}}, nil)
		require.NoError(t, err)
	}
	bound := service.Tenant{Namespace: "shop", UserID: "anna"}
	for request, want := range map[string][]string{
		`{"query":"tea","session":{"session_id":"s1"},"long_term_search":true}`:                                                     {"shop-anna", "said to shop"},
		`{"query":"tea","session":{"session_id":"s2"},"long_term_search":true}`:                                                     {"shop-anna", "said to nobody"},
		`{"query":"tea","long_term_search":{"user_id":{"any":["anna","bob"]}}}`:                                                     {"shop-anna", "said to nobody"},
		`{"query":"tea","session":{"session_id":"s2","namespace":"work","user_id":"bob"},"long_term_search":true}`:                  {"", "said to nobody"},
		`{"query":"tea","session":{"session_id":"s1"},"long_term_search":{"namespace":{"eq":"work"}}}`:                              {"", "said to shop"},
		`{"query":"tea","session":{"session_id":"s1","namespace":"work"},"long_term_search":{"namespace":{"ne":"x"},"user_id":{}}}`: {"shop-anna", "said to nobody"},
	} {
		p, err := w.Prompt(t.Context(), bound, body[wire.PromptRequest](t, request))
		require.NoError(t, err)
		text := fmt.Sprint(p.Messages)
		assert.Equal(t, want[1] == "said to shop", strings.Contains(text, "said to shop"), request)
		assert.NotContains(t, text, "said to work")
		assert.Equal(t, want[0] != "", strings.Contains(text, "shop-anna"), request)
		for _, foreign := range []string{"shop-bob", "work-anna", "work-bob"} {
			assert.NotContains(t, text, foreign)
		}
		for _, m := range p.LongTerm {
			assert.Equal(t, []string{"shop", "anna"}, []string{*m.Namespace, *m.UserID})
		}
	}
}

// owned is a memory of the model: whose it is, and its id.
type owned struct{ namespace, user, id string }

func (o owned) in(t service.Tenant) bool {
	return (t.Namespace == "" || t.Namespace == o.namespace) && (t.UserID == "" || t.UserID == o.user)
}

func (o owned) named(namespace, user *string) bool {
	return (namespace == nil || *namespace == o.namespace) && (user == nil || *user == o.user)
}

// What a tenant can search, get, patch, delete and forget is exactly what is his.
func TestTenantsHaveExactlyWhatIsTheirs(t *testing.T) {
	t.Parallel()
	names, ids := []string{"", "a", "b"}, []string{"1", "2", "3"}
	maybe := rapid.Custom(func(t *rapid.T) *string {
		if rapid.Bool().Draw(t, "left open") {
			return nil
		}
		return new(rapid.SampledFrom(names).Draw(t, "name"))
	})
	rapid.Check(t, func(rt *rapid.T) {
		w := newMemoryWorld(t, nil)
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

// checkTenant does one thing for a tenant, of whom his are by their ids.
func checkTenant(t *rapid.T, w *memoryWorld, all map[owned]bool, his map[string][]owned, tenant service.Tenant, namespace, user *string) {
	ctx := t.Context()
	var ids []string
	for id, list := range his {
		ids = append(ids, slices.Repeat([]string{id}, len(list))...)
	}
	id := rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "id")
	switch rapid.IntRange(0, 4).Draw(t, "what") {
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
			refuses(t, service.NotFound, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, his[id][0], owned{orEmpty(m.Namespace), orEmpty(m.UserID), m.ID})
	case 2:
		m, err := w.PatchMemory(ctx, tenant, id, namespace, user, &wire.MemoryPatch{Topics: &wire.List{rapid.SampledFrom([]string{"x", "y"}).Draw(t, "topic")}})
		if len(his[id]) != 1 {
			refuses(t, service.NotFound, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, his[id][0], owned{orEmpty(m.Namespace), orEmpty(m.UserID), m.ID})
	case 3:
		n, err := w.DeleteMemories(ctx, tenant, []string{id, "4"}, namespace, user)
		require.NoError(t, err)
		if len(his[id]) != 1 {
			require.Zero(t, n)
			break
		}
		require.Equal(t, 1, n)
		delete(all, his[id][0])
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
	require.Equal(t, len(all), w.find(t, unbound, `{}`).Total)
}
