package secret_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-workingmemory/workingmemory/internal/secret"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "",
		"Anna likes aisle seats": "",
		"Anna's key is sk-proj-abc1def2ghi3jkl4.":                                "Anna's key is [redacted].",
		"She set OPENAI_API_KEY=sk-proj-abc1def2ghi3jkl4 in the shell":           "She set OPENAI_API_KEY=[redacted] in the shell",
		`the token is "ghp_0a1B2c3D4e5F6g7H8i9J"`:                                `the token is "[redacted]"`,
		"use `AKIA0123456789ABCDEF`!":                                            "use `[redacted]`!",
		"log in with eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl.":         "log in with [redacted].",
		"The database is postgres://anna:hunter2@db.example.com/shop.":           "The database is postgres://anna:[redacted]@db.example.com/shop.",
		"sign with ASIA0123456789ABCDEF.":                                        "sign with [redacted].",
		"post with EAAC" + strings.Repeat("b0", 60):                              "post with [redacted]",
		"EAACPYZYOWOZABI575NBW5OEPT is a random id":                              "",
		"ASIA0123456789ABCDEFG and AKIA0123456789abcdef are longer ids":          "",
		"-----BEGIN RSA PRIVATE KEY----- MIIE -----END RSA PRIVATE KEY-----, ok": "[redacted], ok",
		"Basic training begins on Monday, 7 o'clock":                             "",
		"Frodo is the ring Bearer of 3019":                                       "",
		"Anna uses sk-learn-contrib-imbalanced":                                  "",
		"see https://example.com/a:b@2 for 42 more":                              "",
		"order W7745234189 is on its way, and so is SKU sk-1":                    "",
		"Reach her at anna@example.com: she answers until 17:30 on a day":        "",
		"493817 is your verification code":                                       "[redacted] is your verification code",
		"Your one-time code: 493 817.":                                           "Your one-time code: [redacted].",
		"The PIN 4711 opens the door":                                            "The PIN [redacted] opens the door",
		"pay with 4111 1111 1111 1111, please":                                   "pay with [redacted], please",
		"Card ID: 4539578763621486":                                              "Card ID: [redacted]",
		"id 4111 1111 1111 1111":                                                 "id [redacted]",
		"team_id: 4539578763621486":                                              "team_id: 4539578763621486",
		"The ID 4539578763621486 exp 12/29":                                      "The ID [redacted] exp 12/29",
		"the password for the account of Ann is hunter2":                         "the password for the account of Ann is [redacted]",
		`{"password":"hun\"ter2","pin":1234,"id":"a-1"}`:                         `{"password":"[redacted]","pin":"[redacted]","id":"a-1"}`,
		`{"s":"{\"token\":\"abc\",\"id\":\"a-1\"}"}`:                             `{"s":"{\"token\":\"[redacted]\",\"id\":\"a-1\"}"}`,
		"GET /v1?access_token=abc&page=2":                                        "GET /v1?access_token=[redacted]&page=2",
		"Authorization: Bearer abc\nHost: x":                                     "Authorization: [redacted]\nHost: x",
		"curl -u ann:hunter2 https://example.com":                                "curl -u ann:[redacted] https://example.com",
		"mysql -h db -pswordfish shop && ls -p x":                                "mysql -h db -p[redacted] shop && ls -p x",
		"sshpass -p 'swordfish' ssh box":                                         "sshpass -p '[redacted]' ssh box",
		"docker login -u ann -p swordfish r.example":                             "docker login -u ann -p [redacted] r.example",
		"redis-cli -a swordfish ping":                                            "redis-cli -a [redacted] ping",
		"docker run -p 8080:80 web; ls -a mysql":                                 "",
		"zip -P swordfish a.zip a.txt; openssl enc -k swordfish":                 "zip -P [redacted] a.zip a.txt; openssl enc -k [redacted]", "curl -P x; mkdir -p zip": "",
		"mysql -p": "",
		"DB_PASS=swordfish, boarding pass BP-1142": "DB_PASS=[redacted], boarding pass BP-1142",
		"client-key-data: LS0tLS1CRUdJTg==":        "client-key-data: [redacted]",
		"<password>hunter2</password>":             "<password>[redacted]</password>",
		"max_tokens=500, next_page_token: abc123":  "",
		"Password: reset flow fails":               "",
		"password: swordfish\nuser: ann":           "password: [redacted]\nuser: ann",
	} {
		if want == "" {
			want = text
		}
		assert.Equal(t, want, secret.Redact(text), text)
		assert.Equal(t, want != text, secret.Within(text), text)
		assert.Equal(t, want, secret.Redact(want), "a second time")
	}
}

// TestPrivateKeys: no line of a private key is left, however it is wrapped.
func TestPrivateKeys(t *testing.T) {
	t.Parallel()
	const line = "MIIEpAIBAAKCAQEA7bq0Zk3xQ9vR2mT5sL8nW1yC4fH6jD0gKpXuVeYtBaSoNcQz"
	for _, kind := range []string{"RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"} {
		key := "-----BEGIN " + kind + "-----\n" + line + "\n" + line + "\n-----END " + kind + "-----"
		for name, text := range map[string]string{
			"lines":           key,
			"CRLF":            strings.ReplaceAll(key, "\n", "\r\n"),
			"indented":        strings.ReplaceAll(key, "\n", "\n    "),
			"one line":        strings.ReplaceAll(key, "\n", " "),
			"no breaks":       strings.ReplaceAll(key, "\n", ""),
			"escaped":         strings.ReplaceAll(key, "\n", `\n`),
			"escaped twice":   strings.ReplaceAll(key, "\n", `\\n`),
			"JSON":            `{"key":"` + strings.ReplaceAll(key, "\n", `\n`) + `"}`,
			"lines of JSON":   `["` + strings.ReplaceAll(key, "\n", `","`) + `"]`,
			"YAML":            "tls:\n  pem: |\n    " + strings.ReplaceAll(key, "\n", "\n    ") + "\nname: x\n",
			"a quote of mail": "> " + strings.ReplaceAll(key, "\n", "\n> "),
			"assigned":        "KEY=" + key,
			"truncated":       key[:150],
			"SSH2":            strings.NewReplacer("-----BEGIN ", "---- BEGIN SSH2 ", "-----END ", "---- END SSH2 ", "-----", " ----").Replace(key),
		} {
			redacted := secret.Redact(text)
			assert.NotContains(t, redacted, "KCAQEA7bq0", "%s: %s", kind, name)
			if name != "truncated" {
				assert.Contains(t, secret.Redact(text+" and more"), " and more", "%s: %s", kind, name)
			}
		}
	}
	for _, public := range []string{"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\nMIIE\n-----END PUBLIC KEY-----"} {
		assert.False(t, secret.Within(public), public)
	}
}

func TestIsKey(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"password": true, "db password": true, "api key": true, "access token": true, "client secret": true, "authorization": true,
		"proxy authorization": true, "one time code": true, "card number": true, "national id": true, "social security number": true,
		"csrf token": true, "session cookie": true, "key": false, "code": false, "number": false, "id": false, "order id": false,
		"secret id": false, "api key name": false, "secret arn": false, "page token": false, "next page token": false,
		"max tokens": false, "token count": false, "password expires": false, "payment authorization": false, "": false,
	} {
		assert.Equal(t, want, secret.IsKey(strings.Fields(name)), name)
	}
}
