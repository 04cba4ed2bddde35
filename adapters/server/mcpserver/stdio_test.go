package mcpserver_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/memory/session/memstore"
)

// asServer makes the test binary a server on its standard input and output.
const asServer = "WORKINGMEMORY_TEST_MCP_STDIO"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	if err := runStdio(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runStdio() error {
	manager, err := session.NewManager(memstore.New(nil), nil)
	if err != nil {
		return err
	}
	s, err := mcpserver.New(manager, &mcpserver.Options{Namespace: "desk"})
	if err != nil {
		return err
	}
	return s.RunStdio(context.Background())
}

func TestStdio(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), asServer+"=1")
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	cs, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	c := newCaller(t, cs)
	_, set := c.call("set_working_memory", `{"session_id":"s","messages":[{"role":"user","content":"over a pipe"}]}`)
	assert.Equal(t, "desk", set["namespace"])
	said, _ := c.call("get_working_memory", `{"session_id":"s"}`)
	assert.Contains(t, said, "over a pipe")
	assert.NoError(t, cs.Close())
}
