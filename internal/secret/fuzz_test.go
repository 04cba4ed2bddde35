package secret_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-workingmemory/workingmemory/internal/secret"
)

// FuzzRedact: what is around secrets stays, in order, and a redacted text holds no secret.
func FuzzRedact(f *testing.F) {
	for _, seed := range []string{
		"the PIN is 4711, the key sk-proj-abc1def2ghi3jkl4", `{"password":"hun\"ter2","pin":1234}`, "https://ann:pw@example.com/?token=abc",
		"Authorization: Bearer abc\nCookie: a=b", "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", "4111 1111 1111 1111",
		"493817 is your verification code", "password: |\n  hunter2\n", "-u ann:hunter2", "1234567890:AA", "mysql -phunter2", `<add key="password" value="x9"/>`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		redacted := secret.Redact(text)
		require.Equal(t, redacted, string(secret.Redact([]byte(text))))
		require.Equal(t, redacted == text, !secret.Within(text))
		if strings.Contains(text, secret.Mark) {
			return
		}
		rest := text
		for i, piece := range strings.Split(strings.ReplaceAll(redacted, `"`+secret.Mark+`"`, secret.Mark), secret.Mark) {
			if i == 0 {
				require.True(t, strings.HasPrefix(rest, piece), "%q", redacted)
			}
			_, after, ok := strings.Cut(rest, strings.Trim(piece, `"`))
			require.True(t, ok, "%q", redacted)
			rest = after
		}
	})
}
