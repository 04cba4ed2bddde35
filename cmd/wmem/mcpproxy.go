package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/adapters/mcpproxy"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// proxyFlags are the flags of mcp proxy.
type proxyFlags struct {
	settings     *config.Reader
	key          session.Key
	url, servers string
	block        string
}

func newMCPProxy() *cobra.Command {
	f := proxyFlags{settings: config.NewReader(config.Places, config.Models, config.Sessions, config.Logging)}
	cmd := &cobra.Command{
		Use:   "proxy [flags] (-- COMMAND [ARGUMENT]... | --url URL | --servers FILE)",
		Short: "Add working memory to any MCP server, for any MCP client",
		Long: `Proxy runs an MCP server for an MCP client that starts this command in its place.
Everything passes unchanged, and each tool call is recorded in a session. The
block is added as the tool ` + mcpproxy.BlockTool + ` and as the resource
` + mcpproxy.BlockURI + `, and with --block to each result of a tool.

With --servers, several servers are joined; FILE has an object "mcpServers", as
clients have it: by the name of each server its command, args, env and cwd, or
its url and headers. Proxies with the same --store and --session-id share a
session, too. With --handles or --store-results, the client sees handles and
descriptions of large results.

The exit code is that of the server. Settings without a flag are read from the
environment, then from the file of --config. Secrets have no flags:
` + f.settings.Secrets() + fileExample,
		Example: `  wmem mcp proxy --store sqlite:/path/to/wmem.db -- npx -y @modelcontextprotocol/server-filesystem /data
  wmem mcp proxy --session-id s-1 --block after --url https://mcp.example.com/mcp
  wmem mcp proxy --servers servers.json`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows COMMAND is for it
	f.settings.AddFlags(flags)
	flags.StringVar(&f.key.SessionID, "session-id", "", "`ID` of the session; if not given, a new one")
	flags.StringVar(&f.key.Namespace, "namespace", "", "`NAMESPACE` of the session")
	flags.StringVar(&f.key.UserID, "user-id", "", "`USER` of the session")
	flags.StringVar(&f.url, "url", "", "`URL` of a server with the streamable HTTP transport")
	flags.StringVar(&f.servers, "servers", "", "JSON `FILE` with several servers")
	flags.StringVar(&f.block, "block", "none", "where the block is added to results of tools: `none|before|after`")
	return cmd
}

// resultBlocks returns the values of --block.
func resultBlocks() map[string]mcpproxy.ResultBlock {
	return map[string]mcpproxy.ResultBlock{
		"none": mcpproxy.BlockNowhere, "before": mcpproxy.BlockBefore, "after": mcpproxy.BlockAfter,
	}
}

func (f *proxyFlags) run(cmd *cobra.Command, args []string) (err error) {
	if err := f.check(args); err != nil {
		return err
	}
	_, e, logger, err := openForMCP(cmd, f.settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeEngine(cmd.Context(), e, logger)) }()
	sessions, err := middleware.NewSessions(e.Sessions, e.Recording)
	if err != nil {
		return err
	}
	opts := &mcpproxy.Options{ResultBlock: resultBlocks()[f.block], ResultTools: e.Recording.Results != nil, Logger: logger}
	server, err := f.connect(cmd, args, logger)
	if err != nil {
		return err
	}
	logger.Info("recording tool calls", "session", f.key.SessionID, "store", printable(e.Backend.Store.String()))
	broken := make(chan os.Signal, 1) // or a client that stops reading would kill this process
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	// Without Close, for which a read of standard input would keep it waiting.
	client := mcpproxy.NewStream(struct{ io.Reader }{cmd.InOrStdin()}, struct{ io.Writer }{cmd.OutOrStdout()})
	err = mcpproxy.Run(cmd.Context(), sessions.Recorder(f.key), client, server, opts)
	if errors.Is(err, context.Canceled) {
		return nil // interrupted
	}
	return err
}

// check checks the command line, and chooses a session if none is given.
func (f *proxyFlags) check(args []string) error {
	given := 0
	for _, is := range []bool{len(args) > 0, f.url != "", f.servers != ""} {
		if is {
			given++
		}
	}
	switch _, ok := resultBlocks()[f.block]; {
	case given != 1:
		return usagef("exactly one of COMMAND, --url and --servers is required")
	case !ok:
		return usagef("--block must be none, before or after")
	}
	if f.key.SessionID == "" {
		f.key.SessionID = rand.Text()
	}
	if err := f.key.Check(); err != nil {
		return usageError{err}
	}
	return nil
}

// connect connects to the server, or the servers, of the command line.
func (f *proxyFlags) connect(cmd *cobra.Command, args []string, logger *slog.Logger) (mcpproxy.Conn, error) {
	if f.servers != "" {
		return connectAll(f.servers, cmd.ErrOrStderr(), logger)
	}
	server := mcpServer{URL: f.url}
	if len(args) > 0 {
		server = mcpServer{Command: args[0], Args: args[1:]}
	}
	return server.connect(cmd.ErrOrStderr(), logger)
}
