package summary_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/memory/session/summary"
)

func TestStatusNames(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "outrun", summary.Outrun.String())
	assert.Equal(t, "summary.Status(99)", summary.Status(99).String())
}
