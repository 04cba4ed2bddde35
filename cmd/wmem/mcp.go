package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/adapters/server/mcpserver"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/engine"
)

func newMCP() *cobra.Command {
	reader := config.NewReader(config.Places, config.Models, config.Sessions, config.Tools, config.Logging)
	var opts mcpserver.Options
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve sessions and long-term memory to one MCP client, on standard input and output",
		Long: `Mcp speaks the Model Context Protocol on standard input and output, for programs
that start their servers themselves; wmem serve speaks it over HTTP. Only the
protocol is written to standard output; logs go to standard error. The client
may read and write everything in the store. Calls that name no session are those
of one session: of --session-id, or else of a new one.

Settings without a flag are read from the environment, then from the file of
--config. Secrets have no flags:
` + reader.Secrets() + fileExample,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveMCP(cmd, reader, &opts) },
	}
	reader.AddFlags(cmd.Flags())
	cmd.Flags().StringVar(&opts.SessionID, "session-id", "", "`SESSION` of calls that name none; if not given, a new one")
	cmd.Flags().StringVar(&opts.Namespace, "namespace", "", "default `NAMESPACE` of requests")
	cmd.Flags().StringVar(&opts.UserID, "user-id", "", "default `USER` of requests")
	cmd.AddCommand(newMCPProxy())
	return cmd
}

func serveMCP(cmd *cobra.Command, reader *config.Reader, opts *mcpserver.Options) (err error) {
	s, e, logger, err := openForMCP(cmd, reader)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeEngine(cmd.Context(), e, logger)) }()
	opts.Tools = s.Tools
	server, err := newMCPServer(e, logger, opts)
	if err != nil {
		return err
	}
	logger.Info("serving MCP: " + describeSetup(s, e))
	if err := server.RunIO(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout()); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil // interrupted
}

// openForMCP opens the engine of a command without HTTP, which keeps no journal in the process: there
// is no page that shows it.
func openForMCP(cmd *cobra.Command, reader *config.Reader) (*config.Settings, *engine.Engine, *slog.Logger, error) {
	s, logger, err := loadSettings(cmd, reader)
	if err != nil {
		return nil, nil, nil, err
	}
	if s.Journal == 0 {
		s.Journal = -1
	}
	e, err := engine.Open(cmd.Context(), s, engine.Hooks{}, logger)
	return s, e, logger, err
}

// newMCPServer returns an MCP server for an engine. It completes opts.
func newMCPServer(e *engine.Engine, logger *slog.Logger, opts *mcpserver.Options) (*mcpserver.Server, error) {
	opts.Memory, opts.Promoter, opts.Recording, opts.Logger = e.Memory, e.Promoter, e.Recording, logger
	opts.Name, opts.Version = "wmem", version()
	server, err := mcpserver.New(e.Sessions, opts)
	if errors.Is(err, mcpserver.ErrUnknownTool) {
		return nil, usageError{err}
	}
	return server, err
}
