package mcpserver_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
)

// Not parallel: it replaces standard input and output.
func TestRunStdio(t *testing.T) {
	in, write, err := os.Pipe()
	require.NoError(t, err)
	read, out, err := os.Pipe()
	require.NoError(t, err)
	stdin, stdout := os.Stdin, os.Stdout
	os.Stdin, os.Stdout = in, out
	_, err = write.WriteString(ping("7"))
	require.NoError(t, err)
	require.NoError(t, write.Close())
	err = newServer(t, mcpserver.Options{}).RunStdio(t.Context())
	os.Stdin, os.Stdout = stdin, stdout
	require.NoError(t, err)
	require.NoError(t, out.Close())
	said, err := io.ReadAll(read)
	require.NoError(t, err)
	assert.Equal(t, pong("7"), strings.TrimSpace(string(said)))
}
