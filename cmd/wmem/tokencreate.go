package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/backend"
	"github.com/go-workingmemory/workingmemory/cmd/wmem/internal/config"
)

const (
	day = 24 * time.Hour
	// maxTokenTTL limits the lifetime of a token that expires.
	maxTokenTTL = 36_500 * day
)

type tokenFlags struct {
	namespace, user, description, expires string
	all                                   bool
}

func newTokenCreate(places *config.Reader) *cobra.Command {
	var f tokenFlags
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create a token and print it once",
		Long: `Create makes a token and prints it, alone, on standard output; what it is bound to
goes to standard error. The token cannot be printed again.

A token is bound to a namespace, to a user, or to a user in a namespace, and reads and
writes only their data. With --all it reads and writes the data of everyone.`,
		Example: `  TOKEN=$(wmem token create --namespace shop)
  wmem token create --namespace shop --user ann --expires 30d --description 'the agent at the till'
  wmem token create --all --expires never`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, places) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.namespace, "namespace", "", "`NAME` of the namespace that the token is bound to")
	flags.StringVar(&f.user, "user", "", "`ID` of the user that the token is bound to")
	flags.BoolVar(&f.all, "all", false, "for operators: the token reads and writes the data of everyone")
	flags.StringVar(&f.description, "description", "", "`TEXT` that describes the token, at most "+strconv.Itoa(auth.MaxDescriptionBytes)+" bytes")
	flags.StringVar(&f.expires, "expires", "90d", "`TIME` until it expires, such as 90d, 12h or 30m, or never")
	return cmd
}

func (f *tokenFlags) run(cmd *cobra.Command, places *config.Reader) error {
	opts, err := f.options(cmd)
	if err != nil {
		return err
	}
	// Refuse mistakes before a file is created.
	if _, _, err := auth.Create(cmd.Context(), auth.NewMemoryTokenStore(), opts); errors.Is(err, auth.ErrToken) {
		return usageError{err}
	}
	return withTokens(cmd, places, true, func(ctx context.Context, tokens auth.TokenStore, place backend.Place) error {
		text, t, err := auth.Create(ctx, tokens, opts)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), text); err != nil {
			// The token was not printed, so it is of no use.
			return errors.Join(err, tokens.Remove(context.WithoutCancel(ctx), t.ID))
		}
		cmd.PrintErrf("Token %s for %s, valid %s, for servers of %s. It is not shown again.\n",
			t.ID, boundTo(t.Tenant), validUntil(t), printable(place.String()))
		return nil
	})
}

// options returns the options of the token.
func (f *tokenFlags) options(cmd *cobra.Command) (opts auth.CreateOptions, err error) {
	for name, value := range map[string]string{"namespace": f.namespace, "user": f.user} {
		if cmd.Flags().Changed(name) && value == "" {
			return opts, usagef("--%s must not be empty", name)
		}
	}
	bound := f.namespace != "" || f.user != ""
	switch {
	case f.all && bound:
		return opts, usagef("--all excludes --namespace and --user")
	case !f.all && !bound:
		return opts, usagef("--namespace, --user or both are required, or --all")
	}
	ttl, err := parseExpiry(f.expires)
	return auth.CreateOptions{
		Description: f.description, Tenant: auth.Tenant{Namespace: f.namespace, UserID: f.user}, Unbound: f.all, TTL: ttl,
	}, err
}

// parseExpiry reads the lifetime of a token. Zero means that it does not expire.
func parseExpiry(text string) (ttl time.Duration, err error) {
	if text == "never" {
		return 0, nil
	}
	if count, ok := strings.CutSuffix(text, "d"); ok {
		var days uint64
		days, err = strconv.ParseUint(count, 10, 32)
		ttl = time.Duration(min(days, uint64(maxTokenTTL/day)+1)) * day
	} else {
		ttl, err = time.ParseDuration(text)
	}
	switch {
	case err != nil:
		return 0, usagef("--expires %q is not a time such as 90d, 12h or never", text)
	case ttl <= 0:
		return 0, usagef("--expires must be more than 0, or never")
	case ttl > maxTokenTTL:
		return 0, usagef("--expires must be at most %d days, or never", maxTokenTTL/day)
	}
	return ttl, nil
}

// boundTo describes the tenant of a token.
func boundTo(t auth.Tenant) string {
	var parts []string
	if t.Namespace != "" {
		parts = append(parts, `namespace "`+printable(t.Namespace)+`"`)
	}
	if t.UserID != "" {
		parts = append(parts, `user "`+printable(t.UserID)+`"`)
	}
	if len(parts) == 0 {
		return "all namespaces and users"
	}
	return strings.Join(parts, ", ")
}

func validUntil(t auth.Token) string {
	if t.ExpiresAt.IsZero() {
		return "until it is revoked"
	}
	return "until " + t.ExpiresAt.Format(time.RFC3339)
}
