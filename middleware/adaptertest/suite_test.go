package adaptertest

import (
	"fmt"
	"testing"

	"github.com/go-workingmemory/workingmemory/internal/conformance"
)

func harness(wrapTools, readMessages bool, m mutant) Harness {
	return Harness{New: newLoop(wrapTools, readMessages, m), MessagesOnly: !wrapTools, Suspends: true}
}

func TestLoop(t *testing.T) {
	t.Parallel()
	for _, wrapTools := range []bool{false, true} {
		for _, readMessages := range []bool{false, true} {
			if wrapTools || readMessages {
				t.Run(fmt.Sprintf("tools=%v messages=%v", wrapTools, readMessages), func(t *testing.T) {
					t.Parallel()
					Run(t, harness(wrapTools, readMessages, ""))
				})
			}
		}
	}
}

// The suite finds each fault that an adapter may have.
func TestSuite(t *testing.T) {
	t.Parallel()
	open := func(wrapTools, readMessages bool, m mutant) func(testing.TB) *env {
		return func(tb testing.TB) *env { return &env{TB: tb, harness: harness(wrapTools, readMessages, m)} }
	}
	fault := func(wrapTools, readMessages bool, m mutant, cases ...string) conformance.Fault[*env] {
		return conformance.Fault[*env]{Name: string(m), Open: open(wrapTools, readMessages, m), Cases: cases}
	}
	conformance.Verify(t, cases, open(true, true, ""), []conformance.Fault[*env]{
		fault(true, true, ignoresContext, "two sessions at once"),
		fault(true, true, needsNoRecorder, "no recorder"),
		fault(false, true, recordsEachTime, "history given again", "failing model"),
		fault(false, true, trustsIDs, "repeated ids", "missing ids"),
		fault(true, true, placesNothing, "the next turn has the block"),
		fault(true, true, placesTwice, "the next turn has the block"),
		fault(true, true, placesOnce, "the next turn has the block", "history given again"),
		fault(true, true, recordsSuspended, "suspended call"),
		fault(true, false, losesFailures, "failing tool"),
		fault(true, true, recordsTwice, "parallel calls", "two agents of one session at once"),
		fault(true, false, losesNested, "nested agents"),
		fault(true, false, showsIDs, "handles", "large result"),
		fault(false, true, showsIDs, "handles", "large result"),
		fault(true, false, passesHandles, "handles"),
		fault(false, true, passesHandles, "handles", "unknown handle"),
		fault(true, false, callsRefused, "unknown handle"),
		fault(true, false, failsRefused, "unknown handle"),
	})
}
