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
	// maxTokenTTL is how long a token that expires may be valid.
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
		Short: "Make a token, and print it, this once",
		Long: `Create makes a token and prints it, alone, on standard output; what it is bound to
goes to standard error. Nobody can print it again.

A token of a namespace, of a user, or of a user in a namespace reads and writes what
is theirs, and nothing of others. With --all it reads and writes everybody's.`,
		Example: `  TOKEN=$(wmem token create --namespace shop)
  wmem token create --namespace shop --user ann --expires 30d --description 'the agent at the till'
  wmem token create --all --expires never`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("create takes no arguments")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, places) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.namespace, "namespace", "", "`NAME` of the namespace that the token is bound to")
	flags.StringVar(&f.user, "user", "", "`ID` of the user that the token is bound to")
	flags.BoolVar(&f.all, "all", false, "bind the token to nothing: it reads and writes everybody's, for operators")
	flags.StringVar(&f.description, "description", "", "`TEXT` that says what the token is for, of at most "+strconv.Itoa(auth.MaxDescriptionBytes)+" bytes")
	flags.StringVar(&f.expires, "expires", "90d", "`TIME` for which it is valid: days as 90d, others as 12h or 30m, or never")
	return cmd
}

func (f *tokenFlags) run(cmd *cobra.Command, places *config.Reader) error {
	opts, err := f.options(cmd)
	if err != nil {
		return err
	}
	// What is no token is refused before a file is made for it.
	if _, _, err := auth.Create(cmd.Context(), auth.NewMemoryTokenStore(), opts); errors.Is(err, auth.ErrToken) {
		return usageError{err}
	}
	return withTokens(cmd, places, true, func(ctx context.Context, tokens auth.TokenStore, place backend.Place) error {
		text, t, err := auth.Create(ctx, tokens, opts)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), text); err != nil {
			// Nobody has it: it is not to stay.
			return errors.Join(err, tokens.Remove(context.WithoutCancel(ctx), t.ID))
		}
		cmd.PrintErrf("Token %s is for %s, and valid %s, at servers of %s. It is shown only this once.\n",
			t.ID, boundTo(t.Tenant), validUntil(t), printable(place.String()))
		return nil
	})
}

// options are those of the token that the flags ask for.
func (f *tokenFlags) options(cmd *cobra.Command) (opts auth.CreateOptions, err error) {
	for name, value := range map[string]string{"namespace": f.namespace, "user": f.user} {
		if cmd.Flags().Changed(name) && value == "" {
			return opts, usagef("--%s must not be empty", name)
		}
	}
	bound := f.namespace != "" || f.user != ""
	switch {
	case f.all && bound:
		return opts, usagef("--all goes without --namespace and --user")
	case !f.all && !bound:
		return opts, usagef("the token is to be bound to a --namespace, a --user or both, or to nothing by --all")
	}
	ttl, err := parseExpiry(f.expires)
	return auth.CreateOptions{
		Description: f.description, Tenant: auth.Tenant{Namespace: f.namespace, UserID: f.user}, Unbound: f.all, TTL: ttl,
	}, err
}

// parseExpiry reads how long a token is valid, 0: for ever.
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
		return 0, usagef("--expires %q is no time, such as 90d, 12h or never", text)
	case ttl <= 0:
		return 0, usagef("--expires must be more than 0; never is a word")
	case ttl > maxTokenTTL:
		return 0, usagef("--expires must be at most %d days, or never", maxTokenTTL/day)
	}
	return ttl, nil
}

// boundTo says what a token is bound to.
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
