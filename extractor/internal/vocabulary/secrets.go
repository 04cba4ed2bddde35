package vocabulary

// The commands that print secrets. See naming.ReadsSecrets.
var (
	// SecretPrograms print secrets, or take them as words.
	SecretPrograms = Set{List: `pwgen mkpasswd makepasswd apg htpasswd chpasswd age-keygen`}
	// SecretCommands are pairs of a program and a word behind it.
	SecretCommands = Set{List: `vault/unwrap keyring/get secret-tool/lookup chamber/export doppler/secrets railway/variables
		heroku/config heroku/config:get rails/credentials:show argocd/initial-password redis-cli/requirepass vault/init
		nmcli/-s nmcli/--show-secrets security/find-generic-password security/find-internet-password git/credential kubeadm/token az/keys openssl/rand
		openssl/passwd openssl/genrsa openssl/genpkey wg/genkey wg/genpsk base64/-d base64/-D base64/--decode gpg/-d gpg/--decrypt sops/-d
		sops/--decrypt sops/decrypt age/-d age/--decrypt ansible-vault/view ansible-vault/decrypt aws/--with-decryption kubectl/--raw
		oc/--raw`}
	// SecretStores are such pairs of commands that ask for a secret by its name, * for any word.
	SecretStores = Set{List: `vault/read vault/get op/read op/get bw/get lpass/show rbw/get chamber/read pass/* gopass/*`}
	// SecretSelectors are parts of commands that select the values.
	SecretSelectors = [...]string{".data", ".stringData", "SecretString", "@base64d"}
	// SecretVerbs are words of commands and tools that print a secret which another word names.
	SecretVerbs = Set{List: `get show read access print view reveal describe export fetch output generate retrieve cat`}
	// SecretFillers are words before the name of a secret: vault kv get.
	SecretFillers = Set{List: `kv kv2 item items secret secrets version versions latest value`}
	// SecretNouns are what tools that print secrets call them. A token may also be money.
	SecretNouns = Set{List: `secret password passphrase credential`}
	// SecretFlags are the options of such a command that name the secret.
	SecretFlags = []string{"--secret-id", "--secret", "--secret-name", "--name"}
	// ListingWords are words behind a program that print no secrets.
	ListingWords = Set{List: `list ls list-secrets find search grep insert add edit set put create new init rm delete destroy remove mv cp
		git version help status login`}
)

// SecretFacts are fields beside a secret that may be told.
var SecretFacts = Set{List: `arn namespace api_version`}

// ValueHeads are heads of columns that may hold secrets.
var ValueHeads = Set{List: `VALUE VALUES PLAINTEXT DECRYPTED ENV`}

// ContentPrograms print what is in files, CarrierPrograms run another command elsewhere, and
// VariablePrograms print variables.
var (
	ContentPrograms = Set{List: `cat head tail less more bat batcat tac nl grep egrep rg sed awk cut jq yq strings xxd od hexdump base64
		type tr dd`}
	CarrierPrograms  = Set{List: `ssh docker podman kubectl oc bash sh zsh su chroot nsenter heroku fly flyctl docker-compose`}
	VariablePrograms = Set{List: `echo printf printenv`}
)

// SecretFiles are names of files that hold secrets, SecretExtensions their extensions, and SettingFiles
// those of others whose name may be that of a secret: secrets.yaml, db-password.txt.
var (
	SecretFiles = Set{List: `.env .envrc .pgpass pgpass.conf .netrc _netrc .npmrc .pypirc .git-credentials .htpasswd .my.cnf .vault-token
		.dockercfg .s3cfg .boto .kube/config .docker/config.json kubeconfig shadow dev/urandom dev/random`}
	SecretExtensions = Set{List: `env kubeconfig pem key p12 pfx jks`}
	SettingFiles     = Set{List: `yaml yml json toml ini conf cfg txt env enc properties xml tfvars ejson`}
)
