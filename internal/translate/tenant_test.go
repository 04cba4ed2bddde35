package translate_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory"
)

// sessionCalls are all methods on one session, with what they answer.
func (w *working) sessionCalls(t *testing.T, tenant service.Tenant, at service.Ref) map[string]func() (any, error) {
	view := writeView{Ref: at}
	return map[string]func() (any, error){
		"get":      func() (any, error) { return w.GetSession(t.Context(), tenant, at, service.View{}) },
		"recent":   func() (any, error) { return w.GetSession(t.Context(), tenant, at, service.View{Recent: 1, Window: 5}) },
		"entities": func() (any, error) { return w.Entities(t.Context(), tenant, at) },
		"block":    func() (any, error) { return w.Block(t.Context(), tenant, at, 0) },
		"budget":   func() (any, error) { return w.Block(t.Context(), tenant, at, 100) },
		"list": func() (any, error) {
			return w.ListSessions(t.Context(), tenant, at.Namespace, at.UserID, 20, 0)
		},
		"delete":    func() (any, error) { return nil, w.DeleteSession(t.Context(), tenant, at, "") },
		"delete if": func() (any, error) { return nil, w.DeleteSession(t.Context(), tenant, at, "*") },
		"summarize": func() (any, error) { return w.Summarize(t.Context(), tenant, at) },
		"put": func() (any, error) {
			answer, err := w.PutSession(t.Context(), tenant, view, &wire.SessionBody{Messages: said("mine")})
			return answer, err
		},
		"append": func() (any, error) {
			answer, err := w.AppendMessages(t.Context(), tenant, view, &wire.Append{Messages: said("mine")})
			return answer, err
		},
		"minimal append": func() (any, error) {
			view := view
			view.Minimal = true
			answer, err := w.AppendMessages(t.Context(), tenant, view, &wire.Append{Messages: said("mine")})
			return answer, err
		},
		"append if": func() (any, error) {
			view := view
			view.IfMatch = "*"
			answer, err := w.AppendMessages(t.Context(), tenant, view, &wire.Append{Messages: said("mine")})
			return answer, err
		},
		"tool call": func() (any, error) {
			return w.RecordToolCall(t.Context(), tenant, at, &wire.RecordedCall{Name: "get_page", Result: map[string]any{"id": "mine-1", "title": "Mine"}})
		},
	}
}

var writes = map[string]bool{"put": true, "append": true, "minimal append": true, "append if": true, "tool call": true}

// Nobody reads or changes, or learns of, what is another tenant's: it is as if it were not
// there.
func TestTenantsAreApart(t *testing.T) {
	t.Parallel()
	bound := map[string]service.Tenant{
		"namespace": {Namespace: "n2"}, "user": {UserID: "u2"}, "both": {Namespace: "n2", UserID: "u2"},
	}
	asked := map[string]service.Ref{
		"by id":                       ref("s"),
		"by the other's namespace":    {SessionID: "s", Namespace: new("n1")},
		"by the other's user":         {SessionID: "s", UserID: new("u1")},
		"by all of the other's":       refOf("n1", "u1", "s"),
		"by own namespace and user":   refOf("n2", "u2", "s"),
		"by empty namespace and user": refOf("", "", "s"),
	}
	for tenantName, tenant := range bound {
		for askedName, at := range asked {
			names := newWorking(t, nil, nil).sessionCalls(t, tenant, at)
			for name := range names {
				t.Run(tenantName+"/"+askedName+"/"+name, func(t *testing.T) {
					t.Parallel()
					w := newWorking(t, nil, nil)
					absent := newWorking(t, nil, nil) // where the other's session is not there
					secret := &wire.SessionBody{Messages: said("secret"), Entities: &[]memory.Entity{{Type: "page", ID: "secret-1", Name: "secret"}}}
					other := writeView{Ref: refOf("n1", "u1", "s")}
					before, err := w.PutSession(t.Context(), everybody, other, secret)
					require.NoError(t, err)

					got, gotErr := w.sessionCalls(t, tenant, at)[name]()
					want, wantErr := absent.sessionCalls(t, tenant, at)[name]()
					assert.Equal(t, wantErr, gotErr)
					assert.Equal(t, shape(t, want), shape(t, got))
					if gotErr != nil && writes[name] && name != "append if" {
						requireKind(t, service.Forbidden, gotErr)
					}

					after, err := w.GetSession(t.Context(), everybody, other.Ref, service.View{})
					require.NoError(t, err)
					assert.Equal(t, before, after)
				})
			}
		}
	}
}

// shape is an answer without what is random.
func shape(t *testing.T, answer any) string {
	if s, ok := answer.(*wire.Session); ok && s != nil {
		s.Version = 0
	}
	data, err := json.Marshal(answer)
	require.NoError(t, err)
	assert.NotContains(t, string(data), "secret")
	return string(data)
}

// What is bound and not named is the tenant's, by whatever method.
func TestTenantsWorkWithTheirOwn(t *testing.T) {
	t.Parallel()
	for name, tenant := range map[string]service.Tenant{"namespace": {Namespace: "n"}, "user": {UserID: "u"}, "both": {Namespace: "n", UserID: "u"}} {
		w := newWorking(t, nil, nil)
		_, err := w.sessionCalls(t, tenant, ref("s"))["append"]()
		require.NoError(t, err)
		_, err = w.sessionCalls(t, tenant, ref("s"))["tool call"]()
		require.NoError(t, err)
		for _, call := range []string{"get", "recent", "entities", "block", "budget", "list", "summarize", "put", "append", "minimal append", "append if", "tool call", "delete if"} {
			answer, err := w.sessionCalls(t, tenant, ref("s"))[call]()
			require.NoError(t, err, "%s %s", name, call)
			switch answer := answer.(type) {
			case *wire.Session:
				assert.Equal(t, [2]string{tenant.Namespace, tenant.UserID}, [2]string{text(answer.Namespace), text(answer.UserID)})
			case *wire.SessionList:
				assert.Equal(t, []string{"s"}, answer.Sessions)
			case string:
				assert.Contains(t, answer, "mine-1")
			}
		}
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestForeignMemoriesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorking(t, nil, nil)
	for _, foreign := range []wire.Memory{{Text: "x", Namespace: new("n2")}, {Text: "x", UserID: new("u2")}} {
		_, err := w.PutSession(t.Context(), service.Tenant{Namespace: "n", UserID: "u"}, writeView{Ref: ref("s")}, &wire.SessionBody{Memories: []wire.Memory{foreign}})
		requireKind(t, service.Forbidden, err)
	}
	_, err := w.GetSession(t.Context(), everybody, ref("s"), service.View{})
	requireKind(t, service.NotFound, err)
	_, err = w.PutSession(t.Context(), service.Tenant{Namespace: "n", UserID: "u"}, writeView{Ref: ref("s")}, &wire.SessionBody{
		Memories: []wire.Memory{{Text: "x"}, {Text: "x", Namespace: new(""), UserID: new("")}, {Text: "x", Namespace: new("n"), UserID: new("u")}},
	})
	require.NoError(t, err)
}
