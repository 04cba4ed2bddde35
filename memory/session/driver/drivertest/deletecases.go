package drivertest

import (
	"math"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/memory/session/driver"
)

func deleteCases() []testCase {
	return []testCase{{
		Name:  "delete",
		About: "Delete removes a session with its messages and the ids that it remembers; it is no error if there is none.",
		Run:   deleteAll,
	}, {
		Name:  "delete on a condition",
		About: "Delete with a condition removes nothing unless the session stands there; without a session it is a conflict.",
		Run:   deleteConditions,
	}, {
		Name:  "delete leaves others",
		About: "Delete removes one session and leaves those whose keys are like it.",
		Run:   deleteOthers,
	}}
}

func deleteAll(e *env) {
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	p := e.append("a", "b")
	w := writeIf(at(p), `1`)
	w.DropBefore, w.Window = 2, 7
	e.write(w)
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	e.absent(key)
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	p = e.append("b", "a")
	require.Equal(e, [2]uint64{1, 3}, [2]uint64{p.First, p.Next})
	require.Zero(e, p.Window)
	e.has("b", "a")
}

func deleteConditions(e *env) {
	require.ErrorIs(e, e.store.Delete(e.ctx, key, &driver.Condition{Revision: 1}), driver.ErrConflict)
	p := e.append("a")
	stale := p
	p = e.write(writeIf(at(p), `1`, "b"))
	for _, c := range []driver.Condition{
		{}, at(stale), {Revision: stale.Revision}, {Revision: p.Revision, Next: stale.Next}, {Revision: p.Revision, Next: p.Next + 1},
		{Revision: math.MaxUint64}, {Revision: p.Revision, Next: math.MaxUint64},
	} {
		e.unchanged(func() { require.ErrorIs(e, e.store.Delete(e.ctx, key, &c), driver.ErrConflict) })
	}
	now := at(p)
	require.NoError(e, e.store.Delete(e.ctx, key, &now))
	e.absent(key)
	require.ErrorIs(e, e.store.Delete(e.ctx, key, &now), driver.ErrConflict)
	p = e.append("a")
	e.append("b")
	require.NoError(e, e.store.Delete(e.ctx, key, &driver.Condition{Revision: p.Revision}))
	e.absent(key)
}

func deleteOthers(e *env) {
	others := []driver.Key{
		{Namespace: "ns", UserID: "user", SessionID: "session1"}, {Namespace: "ns", UserID: "user", SessionID: "sessio"},
		{Namespace: "ns", UserID: "user", SessionID: "session/"}, {Namespace: "ns", UserID: "use", SessionID: "session"},
		{Namespace: "ns", UserID: "", SessionID: "session"}, {Namespace: "", UserID: "user", SessionID: "session"},
		{SessionID: "session"}, {SessionID: "ns/user/session"}, {Namespace: "NS", UserID: "user", SessionID: "session"},
	}
	e.append("a")
	for _, other := range others {
		e.appendTo(other, appendOf("a"), 1)
	}
	require.NoError(e, e.store.Delete(e.ctx, key, nil))
	e.absent(key)
	for _, other := range others {
		e.keyHas(other, "a")
	}
}
