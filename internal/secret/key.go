package secret

import "strings"

// Words that name secrets. A label in a text ends with one of them, or holds it.
const (
	// secretWords name a secret anywhere in a name, and aloneWords as a whole name.
	secretWords = `password passwords passwd pwd passphrase passcode pincode pin pins pgpassword rolpassword requirepass
		secret secrets credential credentials creds cookie cookies jwt mnemonic csrf xsrf
		apikey privatekey accesskey secretkey authtoken accesstoken refreshtoken clientsecret
		psk passwort cvv cvv2 cvc cvc2 otp totp mfa tan tans mtan ssn aadhaar cpf curp nino pesel`
	aloneWords = `authorization auth pass pw sig signature bearer`
	// secretPairs name a secret where they are adjacent.
	secretPairs = `api_key api_keys private_key private_keys access_key secret_key encryption_key signing_key hmac_key
		master_key ssh_key shared_key session_key order_key account_key auth_key app_key application_key
		subscription_key storage_key role_key anon_key unseal_key
		door_code gate_code entry_code access_code alarm_code unlock_code
		verification_code recovery_code recovery_codes backup_code backup_codes security_code login_code reset_code
		auth_code authentication_code authentication_string authorization_code time_code fa_code 2fa_code sms_code
		magic_link seed_phrase recovery_phrase connection_string proxy_authorization amz_signature goog_signature
		db_pass database_pass user_pass admin_pass root_pass smtp_pass mail_pass mysql_pass postgres_pass pg_pass redis_pass mongo_pass
		ftp_pass ssh_pass login_pass api_pass app_pass
		db_pw database_pw user_pw admin_pw root_pw smtp_pw mail_pw
		key_data certificate_data authority_data
		card_number social_security security_number insurance_number national_insurance national_id identity_number citizen_id`
	// tokenWords name a secret unless one of noTokens is before them: tokens of a model are
	// counted, and that of a page of results identifies it.
	tokenWords = `token tokens`
	noTokens   = `page next continuation sync pagination prev previous
		max min total input output prompt completion cached reasoning`
	// describing are last words of names that do not hold the secret itself.
	describing = `id ids arn name names count counts limit limits usage type status policy
		expires expiry expiration length enabled required`
	// schemes introduce credentials in a header of HTTP.
	schemes = `bearer basic`
)

// vocabulary holds the words as sets.
type vocabulary struct {
	words, alone, pairs, noTokens, describing map[string]bool
}

func newVocabulary() vocabulary {
	return vocabulary{setOf(secretWords), setOf(aloneWords), setOf(secretPairs), setOf(noTokens), setOf(describing)}
}

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// IsKey reports whether the words of a name, in lower case, name a secret: the API key, the
// db_password. What only describes a secret, such as its id, its name or the number of tokens
// used, is none; nor is the token of a next page.
func IsKey(words []string) bool {
	const longest = 4 // words of the name of a token: the longer ones count tokens
	v, n := &table().vocabulary, len(words)
	for i, w := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		if (v.words[w] || v.pairs[before+"_"+w] || isToken(w) && !v.noTokens[before] && n <= longest) && (i == n-1 || !v.describing[words[n-1]]) {
			return true
		}
	}
	return n == 1 && v.alone[words[0]]
}

func isToken(w string) bool { return w == "token" || w == "tokens" }
