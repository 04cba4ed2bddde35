package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
)

func newToken() *cobra.Command {
	places := config.NewReader(config.Places)
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make, list and revoke the tokens of a server",
		Long: `Token looks after the tokens that 'wmem serve --auth token' asks for. They are where
the server's sessions are, so that --store is to be the server's, which may run
meanwhile: a token is good as soon as it is made, and refused as soon as it is
revoked. The store keeps only a hash of each.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q", args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return usagef("create, list or revoke?") },
	}
	addPlaces(cmd, places)
	cmd.AddCommand(newTokenCreate(places), newTokenList(places), newTokenRevoke(places))
	return cmd
}

// withTokens calls do with the tokens of the store that a command is to work on, and with
// where that is. A file that is not there is made only if create is set.
func withTokens(cmd *cobra.Command, places *config.Reader, create bool, do func(ctx context.Context, tokens auth.TokenStore, place backend.Place) error) (err error) {
	_, settings, err := storeOf(cmd, places, create)
	if err != nil {
		return err
	}
	// No file for memories is made where the store has none.
	b, err := backend.Open(cmd.Context(), backend.Config{Store: settings.Store, Index: "memory:"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return do(cmd.Context(), b.Tokens, b.Store)
}

// newTokenRevoke makes the command that revokes tokens.
func newTokenRevoke(places *config.Reader) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID...",
		Short: "Revoke tokens: they are refused from then on",
		Long: `Revoke removes tokens by their ids, which list shows. A token itself will do too:
its id is what stands between its underscores.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("no ID is given")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return withTokens(cmd, places, false, func(ctx context.Context, tokens auth.TokenStore, _ backend.Place) error {
				return revokeTokens(ctx, cmd, tokens, args)
			})
		},
	}
}

// revokeTokens revokes all that are there, and fails if one was not.
func revokeTokens(ctx context.Context, cmd *cobra.Command, tokens auth.TokenStore, args []string) error {
	var missing []string
	for _, arg := range args {
		id, _, _ := strings.Cut(strings.TrimPrefix(arg, auth.Prefix), "_") // the secret part is told to nobody
		switch err := tokens.Remove(ctx, id); {
		case errors.Is(err, auth.ErrNotFound):
			missing = append(missing, printable(id))
		case err != nil:
			return err
		default:
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "revoked %s\n", id); err != nil {
				return err
			}
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("there is no token %s", strings.Join(missing, ", "))
	}
	return nil
}
