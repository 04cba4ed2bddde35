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
		Short: "Create, list and revoke the tokens of a server",
		Long: `Token manages the tokens that 'wmem serve --auth token' requires. They are stored
beside the server's sessions, so --store must be that of the server. The server may
be running: a token is valid as soon as it is created, and refused as soon as it is
revoked. The store keeps only a hash of each.`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	addPlaces(cmd, places)
	cmd.AddCommand(newTokenCreate(places), newTokenList(places), newTokenRevoke(places))
	return cmd
}

// withTokens calls do with the tokens and the place of the command's store. A missing file is
// created only if create is set.
func withTokens(cmd *cobra.Command, places *config.Reader, create bool, do func(ctx context.Context, tokens auth.TokenStore, place backend.Place) error) (err error) {
	_, settings, err := storeOf(cmd, places, create)
	if err != nil {
		return err
	}
	// In memory, so that no file for memories is created.
	b, err := backend.Open(cmd.Context(), backend.Config{Store: settings.Store, Index: "memory:"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return do(cmd.Context(), b.Tokens, b.Store)
}

func newTokenRevoke(places *config.Reader) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID...",
		Short: "Revoke tokens, which are refused at once",
		Long: `Revoke removes tokens by their ids, which list shows. It also accepts a whole token,
whose id is the part between the underscores.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("an ID is required")
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

// revokeTokens revokes the tokens that exist, and fails if one does not.
func revokeTokens(ctx context.Context, cmd *cobra.Command, tokens auth.TokenStore, args []string) error {
	var missing []string
	for _, arg := range args {
		id, _, _ := strings.Cut(strings.TrimPrefix(arg, auth.Prefix), "_") // without the secret part
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
		return fmt.Errorf("no such token: %s", strings.Join(missing, ", "))
	}
	return nil
}
