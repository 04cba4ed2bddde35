package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-workingmemory/workingmemory/adapters/server/rest"
)

func TestBodiesThatNeverFit(t *testing.T) {
	t.Parallel()
	s := start(t, with(func(o *rest.Options) { o.MaxBodiesBytes = 100_000 }))
	body := fmt.Sprintf(`{"data":{"a":[%s1]}}`, strings.Repeat("1,", 10_000))
	s.do("PUT", sessionPath, body).fails(413, "Request body would take too much memory")
	s.do("PUT", sessionPath, oneMessage).is(200)
}
