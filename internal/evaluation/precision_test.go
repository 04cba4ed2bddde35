package evaluation_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/evaluation"
)

func TestPrecision(t *testing.T) {
	t.Parallel()
	both := "pages:\n  - \"One\" (page-0001)\n  - \"Two\" (page-0002)"
	publish := func(id string) string { return call("publish", fmt.Sprintf(`{"pages":[%q]}`, id), `"ok"`) }
	idle := call("idle", `{}`, `"ok"`)
	for _, tc := range []struct {
		name         string
		method       evaluation.Method
		steps        []string
		ids, inBlock float64
		shown        int
	}{
		{"by the call it stands before", fixed(both), []string{publish("page-0001")}, 0.5, 0.5, 2},
		{"by a later call", fixed(both), []string{idle, idle, publish("page-0001")}, 0.5, 0.5, 2},
		{"not by an earlier one", evaluation.LastCalls(1), []string{publish("page-0001"), idle}, 0, 0, 1},
		{"blocks after the last use", fixed(both), []string{publish("page-0001"), idle}, 0.5, 0.25, 2},
		{"part of an argument is no use", fixed(both), []string{publish("see page-0001")}, 0, 0, 2},
		{"nothing shown", fixed(""), []string{publish("page-0001")}, 0, 0, 0},
		{"text shows what could be identifiers", evaluation.LastCalls(0),
			[]string{call("list", `{"site":"s-77"}`, `"page-0001 is open, page-0002 is not"`), publish("page-0002")}, 0.3333, 0.3333, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := evaluate(t, tc.method, tc.steps...)
			assert.InDelta(t, tc.ids, r.Precision, 0)
			assert.InDelta(t, tc.inBlock, r.BlockPrecision, 0)
			assert.Equal(t, tc.shown, r.ShownIDs)
		})
	}
}
