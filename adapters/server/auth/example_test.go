package auth_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-workingmemory/workingmemory/adapters/server/auth"
)

func Example() {
	ctx := context.Background()
	store := auth.NewMemoryTokenStore()
	text, _, err := auth.Create(ctx, store, auth.CreateOptions{
		Description: "the agent at the till",
		Tenant:      auth.Tenant{Namespace: "shop"},
		TTL:         90 * 24 * time.Hour,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	verifier := auth.NewVerifier(store, nil)
	token, err := verifier.Verify(ctx, text)
	fmt.Println(token.Tenant.Namespace, err)

	_, err = verifier.Verify(ctx, strings.TrimSuffix(text, text[len(text)-1:]))
	fmt.Println(errors.Is(err, auth.ErrInvalid))

	if err := store.Remove(ctx, token.ID); err != nil {
		fmt.Println(err)
	}
	_, err = verifier.Verify(ctx, text)
	fmt.Println(err)
	// Output:
	// shop <nil>
	// true
	// auth: invalid token
}
