package translate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory/longterm"
	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
	"github.com/go-workingmemory/workingmemory/memory/longterm/memindex"
	"github.com/go-workingmemory/workingmemory/memory/session"
)

// remembered returns all records of long-term memory as "namespace/user/session/id: text".
func (w *working) remembered() []string {
	w.t.Helper()
	results, err := w.memory.Search(w.t.Context(), longterm.Everyone(), longterm.Query{Limit: 100, NoTouch: true})
	require.NoError(w.t, err)
	records := []string{}
	for _, hit := range results.Hits {
		r := &hit.Record
		records = append(records, fmt.Sprintf("%s/%s/%s/%s: %s", r.Namespace, r.UserID, r.SessionID, r.ID, r.Text))
	}
	return records
}

func TestMemoriesOfOtherOwners(t *testing.T) {
	t.Parallel()
	w := newRemembering(t, memindex.New(nil), nil)
	answer := w.put("s", &wire.SessionBody{Memories: []wire.Memory{
		{ID: "own", Text: "nobody's"}, {ID: "hers", Text: "Anna flies", UserID: new("anna")},
		{ID: "there", Text: "the shop sells", Namespace: new("shop"), SessionID: new("earlier")},
		{ID: "known", Text: "persisted", UserID: new("anna"), PersistedAt: at(-5)},
		{ID: "empty", Text: "nobody's either", UserID: new(""), Namespace: new("")},
	}})
	persisted := []bool{}
	for _, m := range answer.Memories {
		persisted = append(persisted, m.PersistedAt != nil)
	}
	assert.Equal(t, []bool{false, true, true, true, false}, persisted)
	assert.True(t, bool(answer.Memories[1].Extracted))
	assert.Equal(t, "anna", *answer.Memories[1].UserID)
	first := []string{"/anna/s/hers: Anna flies", "shop//earlier/there: the shop sells"}
	assert.ElementsMatch(t, first, w.remembered())

	w.promote("s")
	all := append(first, "//s/own: nobody's", "//s/empty: nobody's either")
	assert.ElementsMatch(t, all, w.remembered())
	w.put("s", sentBack(answer))
	w.promote("s")
	assert.ElementsMatch(t, all, w.remembered(), "nothing twice")

	body := sentBack(answer)
	body.Memories = body.Memories[1:2]
	body.Memories[0].Text, body.Memories[0].PersistedAt = "Anna sails", nil
	w.put("s", body)
	assert.Contains(t, w.remembered(), "/anna/s/hers: Anna sails", "the same id replaces")
	assert.Len(t, w.remembered(), 4)
}

// Either step may fail, after which the client tries again.
func TestMemoriesOfOtherOwnersAreKeptOnceWhateverFails(t *testing.T) {
	t.Parallel()
	w := newRemembering(t, memindex.New(nil), nil)
	body := &wire.SessionBody{Memories: []wire.Memory{{ID: "1", Text: "Anna flies", UserID: new("anna")}, {Text: "Anna sails", UserID: new("anna")}}}
	w.store.write = func() error { return session.ErrUnavailable }
	for range 3 {
		_, err := w.PutSession(t.Context(), everybody, writeView{Ref: ref("s")}, body)
		requireKind(t, service.Unavailable, err)
	}
	_, err := w.GetSession(t.Context(), everybody, ref("s"), service.View{})
	requireKind(t, service.NotFound, err)
	require.Len(t, w.remembered(), 2)

	times := 0
	w.store.write = func() error { // others write meanwhile, then it succeeds
		if times++; times < 4 {
			return session.ErrConflict
		}
		return nil
	}
	answer := w.put("s", body)
	w.store.write = nil
	for _, m := range answer.Memories {
		assert.NotNil(t, m.PersistedAt)
		assert.NotEmpty(t, m.ID)
	}
	require.Len(t, w.remembered(), 2)
	w.promote("s")
	require.Len(t, w.remembered(), 2)

	times = 2
	w.store.write = func() error {
		if times++; times < 4 {
			return session.ErrConflict
		}
		return nil
	}
	made := w.put("made", &wire.SessionBody{Memories: []wire.Memory{{Text: "Anna dives", UserID: new("anna")}}}).Memories[0].ID
	assert.Contains(t, w.remembered(), "/anna/made/"+made+": Anna dives", "by the id that it was answered with")
}

func TestMemoriesOfOtherOwnersThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newRemembering(t, memindex.New(nil), nil)
	put := func(tenant service.Tenant, view writeView, body *wire.SessionBody) error {
		view.SessionID = "s"
		_, err := w.PutSession(t.Context(), tenant, view, body)
		return err
	}
	hers := wire.Memory{ID: "1", Text: "Anna flies", UserID: new("anna")}
	requireKind(t, service.Forbidden, put(service.Tenant{UserID: "bert"}, writeView{}, &wire.SessionBody{Memories: []wire.Memory{hers}}))
	requireKind(t, service.Stale, put(everybody, writeView{IfMatch: "*"}, &wire.SessionBody{Memories: []wire.Memory{hers}}))
	requireKind(t, service.Bad, put(everybody, writeView{}, &wire.SessionBody{Memories: []wire.Memory{hers}, Messages: said("")}))
	deep := any("end")
	for range driver.MaxMetadataDepth + 1 {
		deep = []any{deep}
	}
	for name, wrong := range map[string]wire.Memory{
		"blank": {ID: "2", Text: " ", UserID: new("anna")}, "type": {ID: "2", Text: "x", Type: "telepathic", UserID: new("anna")},
		"metadata": {ID: "2", Text: "x", Metadata: map[string]any{"deep": deep}, UserID: new("anna")},
		"tags":     {ID: "2", Text: "x", Topics: strings.Split(strings.Repeat("x ", driver.MaxTags+1), " "), UserID: new("anna")},
	} {
		err := put(everybody, writeView{}, &wire.SessionBody{Memories: []wire.Memory{{ID: "0", Text: "own"}, hers, wrong}})
		assert.Equal(t, []string{"memories", "2"}, requireKind(t, service.Invalid, err).Fields[0].Path[:2], name)
		wrong.UserID = nil
		err = put(everybody, writeView{}, &wire.SessionBody{Memories: []wire.Memory{hers, wrong}})
		if name == "blank" { // it says nothing that could be lost
			require.NoError(t, err)
			require.NoError(t, w.DeleteSession(t.Context(), everybody, ref("s"), ""))
			_, err = w.memory.Delete(t.Context(), longterm.Everyone(), "1")
			require.NoError(t, err)
			continue
		}
		assert.Equal(t, []string{"memories", "1"}, requireKind(t, service.Invalid, err).Fields[0].Path[:2], name)
	}
	require.NoError(t, put(everybody, writeView{}, &wire.SessionBody{Memories: []wire.Memory{
		{ID: "2", Text: "x", Metadata: map[string]any{"deep": deep}, PersistedAt: at(0)},
	}}), "what is promoted does not come into long-term memory again")
	require.NoError(t, w.DeleteSession(t.Context(), everybody, ref("s"), ""))
	assert.Empty(t, w.remembered())
	_, err := w.GetSession(t.Context(), everybody, ref("s"), service.View{})
	requireKind(t, service.NotFound, err)

	require.NoError(t, put(service.Tenant{Namespace: "shop"}, writeView{}, &wire.SessionBody{Memories: []wire.Memory{hers}}))
	assert.Equal(t, []string{"shop/anna/s/1: Anna flies"}, w.remembered())
}

func TestMemoriesOfOtherOwnersWithoutLongTermMemory(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	answer := w.put("s", &wire.SessionBody{Memories: []wire.Memory{{ID: "1", Text: "Anna flies", UserID: new("anna")}}})
	assert.Nil(t, answer.Memories[0].PersistedAt)
}
