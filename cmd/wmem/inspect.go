package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/adapters/server/client"
	"github.com/go-workingmemory/workingmemory/adapters/server/wire"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/internal/translate"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
	"github.com/go-workingmemory/workingmemory/prompt"
)

// inspectFlags are the flags of inspect.
type inspectFlags struct {
	places                  *config.Reader
	namespace, user, server string
	messages                int
	json                    bool
	web                     webFlags
}

func newInspect() *cobra.Command {
	f := inspectFlags{places: config.NewReader(config.Places)}
	cmd := &cobra.Command{
		Use:   "inspect [--namespace NS] [--user ID] [--server URL | --store STORE] SESSION\n  wmem inspect --web TRACES…",
		Short: "Show what is remembered of a session, and how its block is chosen",
		Long: `Inspect shows a session: its messages, the summary of removed ones, the entities
that tools returned and whether the block shows them, the block, how full the
context window is, and the memories that wait for promotion to long-term memory.

It reads the store of a server, which may be running, or with --server asks the
server, using the token in ` + config.TokenEnv + ` if it is set. Recent decisions, what the last
recorded calls did to entities, are in the store of a server with --journal SIZE;
otherwise only the server knows them.

Inspect changes nothing. Unprintable characters are escaped.

With --web it serves pages on this machine that show recorded traces, as wmem
replay reads them, until it is interrupted: each step with the block, what came
and went, and why an id is shown or not; survival figures and misses. Pages of
the sessions of a server are at /inspect of wmem serve.`,
		Example: `  wmem inspect s-1
  wmem inspect --store sqlite:/var/lib/wmem/wmem.db --namespace shop --user ann s-1
  wmem inspect --server http://127.0.0.1:8000 --json s-1
  wmem inspect --web traces.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.web.on {
				return traceFiles(cmd, args)
			}
			if len(args) != 1 || args[0] == "" {
				return usagef("exactly one SESSION is required")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.web.on {
				return f.web.run(cmd, args)
			}
			return f.run(cmd, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.namespace, "namespace", "", "`NAMESPACE` of the session; any if not given")
	flags.StringVar(&f.user, "user", "", "`ID` of the user of the session; any if not given")
	flags.StringVar(&f.server, "server", "", "ask the server at `URL` instead of reading a store")
	flags.IntVar(&f.messages, "messages", 20, "`NUMBER` of messages shown, the newest; 0 means all")
	flags.BoolVar(&f.json, "json", false, "write JSON")
	f.web.add(cmd)
	addPlaces(cmd, f.places)
	return cmd
}

// inspection is the result of inspecting a session.
type inspection struct {
	Session   *wire.Session   `json:"session"`
	Block     string          `json:"block"`
	Decisions *wire.Decisions `json:"decisions"`
	// fromServer is set if a server answered, which knows recent decisions.
	fromServer bool
}

func (f *inspectFlags) run(cmd *cobra.Command, id string) error {
	flags := cmd.Flags()
	switch {
	case flags.Changed("server") && (flags.Changed("store") || flags.Changed("config")):
		return usagef("--server excludes --store and --config")
	case flags.Changed("listen"):
		return usagef("--listen requires --web")
	case f.messages < 0:
		return usagef("--messages must not be negative")
	}
	look := f.inStore
	if flags.Changed("server") {
		look = f.atServer
	}
	found, err := look(cmd, id)
	var usage usageError
	switch {
	case errors.As(err, &usage):
		return err
	case err != nil:
		return fmt.Errorf("session %s: %w%s", printable(id), plainError{err}, f.advice(err))
	}
	if f.json {
		return writeInspectionJSON(cmd.OutOrStdout(), found)
	}
	return writeInspection(cmd.OutOrStdout(), found)
}

// errNoSession is returned when a store has no such session, or several.
var errNoSession = errors.New("not found")

// advice returns a hint for an error, if there is one.
func (f *inspectFlags) advice(err error) string {
	switch {
	case errors.Is(err, client.ErrUnauthorized):
		return ": set " + config.TokenEnv + " to a token of the server"
	case (errors.Is(err, errNoSession) || errors.Is(err, client.ErrNotFound)) && (f.namespace == "" || f.user == ""):
		return ": if several namespaces or users have a session with this id, use --namespace and --user"
	}
	return ""
}

// plainError escapes the text of an error, which may come from a server, for terminals.
type plainError struct{ error }

// Error implements error.
func (e plainError) Error() string { return printable(e.error.Error()) }

// Unwrap returns the error.
func (e plainError) Unwrap() error { return e.error }

// atServer asks a server.
func (f *inspectFlags) atServer(cmd *cobra.Command, id string) (*inspection, error) {
	c, err := client.New(f.server, &client.Options{Token: os.Getenv(config.TokenEnv), Retries: 1})
	if err != nil {
		return nil, usagef("--server: %w", plainError{err})
	}
	ctx, owner := cmd.Context(), client.Owner{Namespace: f.namespace, UserID: f.user}
	found := inspection{fromServer: true}
	if found.Session, err = c.Session(ctx, id, &client.ReadOptions{Owner: owner, Recent: f.messages}); err != nil {
		return nil, err
	}
	if found.Block, err = c.Block(ctx, id, 0, &owner); err != nil {
		return nil, err
	}
	found.Decisions, err = c.Decisions(ctx, id, &owner)
	return &found, err
}

// inStore reads the store as a server does.
func (f *inspectFlags) inStore(cmd *cobra.Command, id string) (found *inspection, err error) {
	ctx := cmd.Context()
	place, settings, err := storeOf(cmd, f.places, false)
	if err != nil {
		return nil, err
	}
	b, err := backend.Open(ctx, backend.Config{Store: settings.Store, Index: "memory:"})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	manager, err := session.NewManager(b.Sessions, &session.Options{
		Context: &memory.ContextOptions{Capacity: middleware.BudgetCapacity}, // as servers have
	})
	if err != nil {
		return nil, err
	}
	journal := middleware.NewJournal(&middleware.JournalOptions{Stored: true})
	block := prompt.Options{Budget: config.DefaultBudget} // as servers have
	s, err := service.New(manager, &service.Options{Recording: &middleware.SessionsOptions{Journal: journal, Block: block}})
	if err != nil {
		return nil, err
	}
	ref := service.Ref{SessionID: id, Namespace: f.flagValue(cmd, "namespace"), UserID: f.flagValue(cmd, "user")}
	found, err = f.readFrom(ctx, s, ref)
	if e, ok := errors.AsType[*service.Error](err); ok && e.Kind == service.NotFound {
		return nil, fmt.Errorf("%w in %s", errNoSession, place)
	}
	return found, err
}

func (f *inspectFlags) readFrom(ctx context.Context, s *service.Service, ref service.Ref) (*inspection, error) {
	var found inspection
	session, err := s.GetSession(ctx, service.Tenant{}, ref, service.View{Recent: int64(f.messages)})
	if err != nil {
		return nil, reason(err)
	}
	if found.Block, err = s.Block(ctx, service.Tenant{}, ref, service.BlockView{}); err != nil {
		return nil, reason(err)
	}
	decisions, err := s.Decisions(ctx, service.Tenant{}, ref)
	if err != nil {
		return nil, reason(err)
	}
	found.Session, found.Decisions = translate.Session(session, false), translate.Decisions(decisions)
	return &found, nil
}

// reason returns the cause of a service's error. Unlike clients of a server, those who read its
// store may see it.
func reason(err error) error {
	if e, ok := errors.AsType[*service.Error](err); ok && e.Kind != service.NotFound && e.Err != nil {
		return e.Err
	}
	return err
}

// flagValue returns the value of a flag, or nil if it was not given.
func (f *inspectFlags) flagValue(cmd *cobra.Command, flag string) *string {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	value, _ := cmd.Flags().GetString(flag)
	return &value
}
