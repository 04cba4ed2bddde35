package rest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

// A view belongs to the tenant of the token, and reads its memories only, whatever its filters and
// groups are.
func TestSummaryViewsOfTenants(t *testing.T) {
	t.Parallel()
	s := start(t, withTokens, withLongTerm)
	header := func(tenant auth.Tenant) string {
		text, _ := s.token(tenant, 0)
		return "Authorization: Bearer " + text
	}
	admin, shop, bank := header(auth.Tenant{}), header(auth.Tenant{Namespace: "shop"}), header(auth.Tenant{Namespace: "bank"})
	anna := header(auth.Tenant{Namespace: "shop", UserID: "anna"})
	s.do("POST", "/v1/long-term-memory", `{"memories":[{"id":"1","text":"tea","namespace":"shop","user_id":"anna"},{"id":"2","text":"gold","namespace":"bank","user_id":"anna"},{"id":"3","text":"cake","namespace":"shop","user_id":"bert"}]}`, admin).is(200)
	view := s.do("POST", "/v1/summary-views", `{"source":"long_term","group_by":["user_id"]}`, shop).is(200)["id"].(string)
	path := "/v1/summary-views/" + view
	assert.Equal(t, "tea", s.do("POST", path+"/partitions/run", `{"group":{"user_id":"anna"}}`, shop).is(200)["summary"])
	s.do("POST", path+"/run", `{"task_id":"t-1"}`, shop).is(200)
	for _, other := range []string{admin, bank, anna} {
		assert.JSONEq(t, "[]", s.do("GET", "/v1/summary-views", "", other).Body.String())
		for _, c := range [][3]string{{"GET", "", ""}, {"GET", "/partitions", ""}, {"POST", "/partitions/run", `{"group":{"user_id":"anna"}}`}, {"POST", "/run", `{}`}} {
			s.do(c[0], path+c[1], c[2], other).fails(404, "SummaryView "+view+" not found")
		}
		s.do("DELETE", path, "", other).is(200)
		s.do("GET", "/v1/tasks/t-1", "", other).fails(404, "Task t-1 not found")
	}
	s.do("GET", path, "", shop).is(200)

	for _, filters := range []string{`{"namespace":"bank"}`, `{"namespace":["bank","shop"],"user_id":{"ne":"bert"}}`} {
		id := s.do("POST", "/v1/summary-views", `{"source":"long_term","group_by":["namespace"],"filters":`+filters+`}`, anna).is(200)["id"].(string)
		got := s.do("POST", "/v1/summary-views/"+id+"/partitions/run", `{"group":{"namespace":"bank"}}`, anna).is(200)
		assert.Equal(t, "no_matching_memories", got["empty_reason"])
	}
}
