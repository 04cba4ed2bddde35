package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
)

// listedToken is the JSON form of a token.
type listedToken struct {
	ID          string    `json:"id"`
	Description string    `json:"description"`
	Namespace   string    `json:"namespace"` // empty if not bound to one
	UserID      string    `json:"user_id"`   // empty if not bound to one
	CreatedAt   time.Time `json:"created_at"`
	ExpiresAt   time.Time `json:"expires_at,omitzero"` // left out if it does not expire
	Expired     bool      `json:"expired"`
}

func newTokenList(places *config.Reader) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List tokens, oldest first, without their secrets",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withTokens(cmd, places, false, func(ctx context.Context, tokens auth.TokenStore, _ backend.Place) error {
				return listTokens(ctx, cmd, tokens, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func listTokens(ctx context.Context, cmd *cobra.Command, tokens auth.TokenStore, asJSON bool) error {
	all, err := tokens.List(ctx)
	if err != nil {
		return err
	}
	listed, now := make([]listedToken, len(all)), time.Now()
	for i, t := range all {
		listed[i] = listedToken{
			ID: t.ID, Description: t.Description, Namespace: t.Tenant.Namespace, UserID: t.Tenant.UserID,
			CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt, Expired: t.Expired(now),
		}
	}
	if asJSON {
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(listed)
	}
	_, err = cmd.OutOrStdout().Write(tokenTable(listed))
	return err
}

func tokenTable(listed []listedToken) []byte {
	var b bytes.Buffer
	tab := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "ID\tNAMESPACE\tUSER\tCREATED\tEXPIRES\tDESCRIPTION")
	for _, t := range listed {
		expires := "never"
		if !t.ExpiresAt.IsZero() {
			expires = t.ExpiresAt.Format(time.RFC3339)
		}
		if t.Expired {
			expires += " (expired)"
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%s\n",
			t.ID, anyOr(t.Namespace), anyOr(t.UserID), t.CreatedAt.Format(time.RFC3339), expires, printable(t.Description))
	}
	tab.Flush() // into memory: cannot fail
	return b.Bytes()
}

// anyOr returns the name of a namespace or user, or "(any)" if it is empty.
func anyOr(name string) string {
	if name == "" {
		return "(any)"
	}
	return printable(name)
}
