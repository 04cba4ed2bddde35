package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/adapters/rest/client"
	"github.com/go-workingmemory/workingmemory/adapters/rest/wire"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/internal/service"
	"github.com/go-workingmemory/workingmemory/memory"
	"github.com/go-workingmemory/workingmemory/memory/session"
	"github.com/go-workingmemory/workingmemory/middleware"
)

// tokenVariable is the environment variable with the token for --server: a flag would show it
// to everybody who lists processes.
const tokenVariable = "WMEM_TOKEN"

// inspectFlags say what is inspected, and how.
type inspectFlags struct {
	namespace, user, server, store string
	messages                       int
	json                           bool
}

func newInspect() *cobra.Command {
	var f inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect [--namespace NS] [--user ID] [--server URL | --store STORE] SESSION",
		Short: "Show what is remembered of a session, and why the block shows what it does",
		Long: `Inspect shows a session: its messages, the summary of those that left, the
entities that tools returned with what the block does with each, the block, how
full the context window is, and memories that wait for long-term memory.

It asks a server, with the token in WMEM_TOKEN if there is one, or reads a store.
A server also tells what became of entities in the calls that it recorded last.
Nothing is changed. What cannot be printed is escaped.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return usagef("one SESSION is expected")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.namespace, "namespace", "", "the `NAMESPACE` that the session is in; any if not given")
	flags.StringVar(&f.user, "user", "", "whose it is, by `ID`; anybody's if not given")
	flags.StringVar(&f.server, "server", "", "ask the server at `URL`")
	flags.StringVar(&f.store, "store", "", "read the `STORE`: sqlite:FILE, redis://…, rediss://… or postgres://… (one with a password belongs in the environment); sqlite:wmem.db if neither is given [WMEM_STORE]")
	flags.IntVar(&f.messages, "messages", 20, "how many messages are shown, the newest; 0: all")
	flags.BoolVar(&f.json, "json", false, "write JSON")
	return cmd
}

// inspection is what is known of a session.
type inspection struct {
	Session   *wire.Session   `json:"session"`
	Block     string          `json:"block"`
	Decisions *wire.Decisions `json:"decisions"`
}

func (f *inspectFlags) run(cmd *cobra.Command, id string) error {
	flags := cmd.Flags()
	switch {
	case flags.Changed("server") && flags.Changed("store"):
		return usagef("--server goes without --store")
	case f.messages < 0:
		return usagef("--messages must not be negative")
	}
	look := f.inStore
	if flags.Changed("server") {
		look = f.atServer
	}
	found, err := look(cmd, id)
	if err != nil {
		return fmt.Errorf("session %s: %w", printable(id), plainError{err})
	}
	if f.json {
		return writeInspectionJSON(cmd.OutOrStdout(), found)
	}
	return writeInspection(cmd.OutOrStdout(), found)
}

// plainError is an error whose text nobody's terminal acts on: a server may have written it.
type plainError struct{ error }

// Error implements error.
func (e plainError) Error() string { return printable(e.error.Error()) }

// Unwrap returns the error.
func (e plainError) Unwrap() error { return e.error }

// atServer asks a server.
func (f *inspectFlags) atServer(cmd *cobra.Command, id string) (*inspection, error) {
	c, err := client.New(f.server, &client.Options{Token: os.Getenv(tokenVariable), Retries: 1})
	if err != nil {
		return nil, err
	}
	ctx, owner := cmd.Context(), client.Owner{Namespace: f.namespace, UserID: f.user}
	var found inspection
	if found.Session, err = c.Session(ctx, id, &client.ReadOptions{Owner: owner, Recent: f.messages}); err != nil {
		return nil, err
	}
	if found.Block, err = c.Block(ctx, id, 0, &owner); err != nil {
		return nil, err
	}
	found.Decisions, err = c.Decisions(ctx, id, &owner)
	return &found, err
}

// inStore reads a store, as a server would.
func (f *inspectFlags) inStore(cmd *cobra.Command, id string) (found *inspection, err error) {
	ctx := cmd.Context()
	place, err := f.place()
	if err != nil {
		return nil, err
	}
	b, err := backend.Open(ctx, backend.Config{Store: place, Index: "memory:"})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	manager, err := session.NewManager(b.Sessions, &session.Options{
		Context: &memory.ContextOptions{Capacity: middleware.BudgetCapacity}, // all that servers keep
	})
	if err != nil {
		return nil, err
	}
	s, err := service.New(manager, nil)
	if err != nil {
		return nil, err
	}
	ref := service.Ref{SessionID: id, Namespace: f.given(cmd, "namespace"), UserID: f.given(cmd, "user")}
	return f.readFrom(ctx, s, ref)
}

func (f *inspectFlags) readFrom(ctx context.Context, s *service.Service, ref service.Ref) (*inspection, error) {
	var found inspection
	var err error
	if found.Session, err = s.GetSession(ctx, service.Tenant{}, ref, service.View{Recent: int64(f.messages)}); err != nil {
		return nil, reason(err)
	}
	if found.Block, err = s.Block(ctx, service.Tenant{}, ref, 0); err != nil {
		return nil, reason(err)
	}
	found.Decisions, err = s.Decisions(ctx, service.Tenant{}, ref)
	return &found, reason(err)
}

// reason is what a service failed with: who reads the store may know it, unlike its clients.
func reason(err error) error {
	if e, ok := errors.AsType[*service.Error](err); ok && e.Kind != service.NotFound && e.Err != nil {
		return e.Err
	}
	return err
}

// place is the store. A file that is not there is not made.
func (f *inspectFlags) place() (string, error) {
	text := f.store
	if text == "" {
		text = os.Getenv("WMEM_STORE")
	}
	if text == "" {
		text = backend.DefaultStore
	}
	place, err := backend.ParsePlace(text)
	if err != nil {
		return "", err
	}
	if file, ok := strings.CutPrefix(place.String(), "sqlite:"); ok {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("there is no file %s", file)
		}
	}
	return text, nil
}

// given is the value of a flag, nil if it was not given.
func (f *inspectFlags) given(cmd *cobra.Command, flag string) *string {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	value, _ := cmd.Flags().GetString(flag)
	return &value
}
