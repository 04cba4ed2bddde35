package extractor_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/extractor"
)

// TestEntitiesOwnTheirTexts overwrites the input after extraction.
func TestEntitiesOwnTheirTexts(t *testing.T) {
	t.Parallel()
	result := orderList(4 << 10)
	in := extractor.Input{Tool: "list_orders", Arguments: []byte(`{"customer_id":"cus_000001"}`), Result: slices.Clone(result)}
	want := extract(t, in)
	in.Arguments, in.Result = []byte(`{"customer_id":"cus_000001"}`), slices.Clone(result)
	got := extract(t, in)
	for _, text := range [][]byte{in.Arguments.([]byte), in.Result.([]byte)} {
		for i := range text {
			text[i] = 'X'
		}
	}
	require.NotEmpty(t, got.Entities)
	assert.Equal(t, want, got)
}

// TestExtractorsAreShared uses one extractor from many goroutines, which must not see
// each other's results.
func TestExtractorsAreShared(t *testing.T) {
	t.Parallel()
	const sessions, calls = 8, 50
	x := extractor.Default(extractor.Limits{})
	call := func(session int) extractor.Input {
		return extractor.Input{
			Tool: fmt.Sprintf("get_thing%d", session), Arguments: fmt.Sprintf(`{"thing%d_id":"T-%04d"}`, session, session),
			Result: fmt.Sprintf(`{"things%d":[{"id":"T-%04d","name":"Thing %d","owner%d_id":"O-%04d"},{"content":"{\"id\":\"C-%04d\"}"}]}`,
				session, session, session, session, session, session),
		}
	}
	var group sync.WaitGroup
	for session := range sessions {
		group.Go(func() {
			want, err := extractor.Default(extractor.Limits{}).Extract(context.Background(), call(session))
			assert.NoError(t, err)
			assert.NotEmpty(t, want.Entities)
			for range calls {
				got, err := x.Extract(context.Background(), call(session))
				assert.NoError(t, err)
				assert.Equal(t, want, got)
			}
		})
	}
	group.Wait()
}
