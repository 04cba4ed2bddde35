package extractor

import (
	"slices"
	"strings"

	"github.com/go-workingmemory/workingmemory/internal/english"
)

// keyClass classifies field names by what their values mean.
type keyClass uint8

const (
	// classPlain is a fact, or the noun of the value's records.
	classPlain keyClass = iota
	// classID identifies its record: id, _id, uuid.
	classID
	// classTypedID identifies an entity of the type in its name, order_id or
	// flightNumber: the record itself or another one (a foreign key).
	classTypedID
	// classWeakID identifies a record without a better identifier: key, number, code,
	// sku, path.
	classWeakID
	// className names the record: name, title, subject.
	className
	// classTypedName names an entity of the type in its name: page_name,
	// sectionTitle.
	classTypedName
	// classType gives the record's type: type, kind, __typename.
	classType
	// classSecret holds a secret: password, api_key. Its text is never read; below
	// it, only names of secrets are.
	classSecret
	// classMapKey is an identifier used as a key: {"4202497723": {…}}.
	classMapKey
	// classNoise is neither an identifier nor a useful fact: timestamps, links,
	// checksums.
	classNoise
)

// keyInfo describes a field name. It is immutable.
type keyInfo struct {
	name string
	// snake is the name in lower case, its words joined by "_"; empty for identifiers.
	snake string
	class keyClass
	// rank orders keys of a class, best first.
	rank uint8
	// noun is the type in the name of a typed class (order of order_id), else the
	// type of the value's records (page of pages). It is empty if the name is
	// generic: data, results.
	noun string
	// wrapper is item for keys such as items and order_items, which hardly describe
	// their values. It is a type only inside a record.
	wrapper string
	// plural is set for names of lists: pages, item_ids.
	plural bool
	// given and family mark the parts of a person's name.
	given, family bool
	traits        traits
}

// maxKeys is the number of field names an extractor remembers.
const maxKeys = 8192

// maxKeyBytes is the longest field name that is classified.
const maxKeyBytes = 128

var longKey = &keyInfo{class: classNoise}

// keyTable classifies field names and remembers the answers, because the same names
// recur in every result. It is safe for concurrent use.
type keyTable struct{ known memo[*keyInfo] }

// info returns the description of a name. remembered is false for identifiers, which
// rarely recur and would crowd out names.
func (t *keyTable) info(name string) (k *keyInfo, remembered bool) {
	if k, ok := t.known.get(name); ok {
		return k, true
	}
	k = classify(strings.Clone(name))
	return k, k.class != classMapKey && t.known.put(k.name, k, maxKeys)
}

// keyCache is a small cache in front of a keyTable, for one goroutine. Each name
// hashes to one slot, which holds the last name used there.
type keyCache struct {
	table *keyTable
	last  [256]*keyInfo
}

func (c *keyCache) info(name []byte) *keyInfo {
	if len(name) > maxKeyBytes {
		return longKey
	}
	place := &c.last[keyPlace(name)]
	if *place != nil && (*place).name == string(name) {
		return *place
	}
	k, remembered := c.table.info(string(name))
	if remembered {
		*place = k
	}
	return k
}

// keyPlace hashes the length, the ends and the middle of a name.
func keyPlace(name []byte) uint8 {
	n := len(name)
	if n == 0 {
		return 0
	}
	return uint8(n) + 7*name[0] + 31*name[n-1] + 101*name[n/2]
}

// Ranks of weak identifiers that need a closer look.
const (
	rankPrinted = 4 // the number on a thing itself: isbn, barcode
	rankClock   = 6 // the time of a message
	rankSlug    = 7
	rankURL     = 9
	// rankTag is the rank of typed identifiers that need a closer look: asset_tag.
	rankTag = 7
)

var (
	noiseWords = wordSet{list: `at timestamp url uri href link etag checksum hash md5 sha1 sha256 sha512
		digest signature fingerprint self html avatar icon thumbnail gravatar base64 blob cursor offset nonce
		latitude longitude lat lng lon geo coordinates`}
	// noiseFirst are the first words of field names for bookkeeping.
	noiseFirst = wordSet{list: `created updated modified deleted inserted changed fetched cached indexed synced`}
	// secretWords make a key secret at any position.
	secretWords = wordSet{list: `password passwd pwd secret secrets passphrase credential credentials cookie cvv cvv2 cvc ssn otp totp pin pins pincode passcode
		jwt bearer apikey privatekey accesskey mnemonic mfa csrf xsrf`}
	// secretPairs make a key secret when adjacent.
	secretPairs = wordSet{list: `api_key private_key access_key secret_key encryption_key signing_key hmac_key master_key ssh_key shared_key session_key
		verification_code recovery_code recovery_codes backup_code backup_codes security_code login_code auth_code magic_link
		seed_phrase recovery_phrase connection_string client_secret card_number`}
	// noIDBefore are words that keep a following number, code or key from being an
	// identifier: phone_number, status_code.
	noIDBefore = wordSet{list: `phone telephone mobile fax page line house street version status error response http exit return zip postal post
		area country currency language lang locale region state time zone color colour primary foreign sort partition
		public private api access secret encryption total max min port row column week day month year quarter age
		security card pan cvv dial calling weather qr bar source plain html hex raw text display first last middle given family
		full nick host`}
	// noRecordBefore are words before "id" that name a request, not an entity.
	noRecordBefore = wordSet{list: `request req trace span correlation idempotency x client_request amz log nonce rpc jsonrpc device_request
		event_trace parent_span causation`}
)

// classify describes a field name. Names are judged here and nowhere else.
func classify(name string) *keyInfo {
	k := &keyInfo{name: name}
	classifyName(k)
	k.traits = traitsOf(k)
	return k
}

func classifyName(k *keyInfo) {
	name := k.name
	if isIDKey(name) {
		k.class = classMapKey
		return
	}
	ws := splitRunTogether(english.Words(name))
	if len(ws) == 0 {
		return
	}
	k.snake = strings.Join(ws, "_")
	last := ws[len(ws)-1]
	switch {
	case isSecretKey(ws):
		k.class = classSecret
	case setRank(k, classType, typeKeyRank, strings.ToLower(name)), setRank(k, classType, typeKeyRank, k.snake):
	case setRank(k, classID, idRank, k.snake):
		k.plural = english.Singular(last) != last
	case setRank(k, className, nameKeyRank, k.snake):
		if entityNouns.has(k.snake) { // a label, a subject
			k.noun = k.snake
		}
	case setRank(k, classWeakID, weakIDRank, k.snake):
	case isPageToken(ws):
		k.class, k.noun = classTypedID, "page_token"
	case len(ws) > 1 && classifyTypedID(k, ws):
	case len(ws) > 1 && (last == "name" || last == "title" || last == "label"):
		classifyTypedName(k, ws)
	default:
		classifyPlain(k, ws)
	}
}

func setRank(k *keyInfo, class keyClass, rankOf func(string) (uint8, bool), word string) bool {
	rank, ok := rankOf(word)
	if ok {
		k.class, k.rank = class, rank
	}
	return ok
}

// isSecretKey reports whether a field's value must never be kept: passwords, tokens,
// private keys. Page tokens are not secrets.
func isSecretKey(ws []string) bool {
	last := ws[len(ws)-1]
	if len(ws) > 1 && (last == "id" || last == "ids" || last == "arn" || last == "name") {
		return false // secret_id, api_key_name: a name is not secret
	}
	for i, w := range ws {
		if secretWords.has(w) || i > 0 && secretPairs.has(ws[i-1]+"_"+w) {
			return true
		}
		if (w == "token" || w == "tokens") && !isPageToken(ws) && len(ws) <= 4 {
			return true
		}
	}
	return len(ws) == 1 && last == "authorization"
}

// isPageToken reports whether the words name the token of the next page of results.
func isPageToken(ws []string) bool {
	joined := strings.Join(ws, "_")
	switch strings.TrimPrefix(joined, "next_") {
	case "page_token", "cursor", "continuation_token", "marker", "pagetoken", "sync_token":
		return true
	}
	return joined == "next_token" || joined == "end_cursor"
}

// classifyTypedID classifies order_id, flightNumber, item_ids.
func classifyTypedID(k *keyInfo, ws []string) bool {
	last := ws[len(ws)-1]
	rank, ok := suffixRank(last)
	stem := ws[:len(ws)-1]
	if !ok || rank > 1 && noIDBefore.has(stem[len(stem)-1]) || noRecordBefore.has(strings.Join(stem, "_")) || noRecordBefore.has(stem[0]) {
		return false
	}
	for len(stem) > 1 && (stem[0] == "new" || stem[0] == "old" || stem[0] == "current" || stem[0] == "previous" || stem[0] == "original") {
		stem = stem[1:]
	}
	if isIndexedBy(stem) { // restaurantsById
		return false
	}
	if n := len(stem); n > 2 && stem[n-1] == "or" { // issueIdOrKey
		stem = stem[:n-2]
	}
	k.class, k.rank = classTypedID, rank
	if len(stem) > 1 || !isParticiple(stem[0]) { // not orderedIds
		k.noun = specific(singularNoun(stem), &vagueNouns)
	}
	k.plural = last != english.Singular(last)
	if k.noun == "" {
		k.class, k.rank = classWeakID, 2
	}
	return true
}

func classifyTypedName(k *keyInfo, ws []string) {
	k.class = classTypedName
	stem := ws[:len(ws)-1]
	switch stem[0] {
	case "first", "given", "fore":
		k.class, k.given = classPlain, true
	case "last", "family", "sur":
		k.class, k.family = classPlain, true
	case "middle", "nick", "host", "domain", "zone":
		k.class = classPlain
	default:
		k.noun = singularNoun(stem)
	}
}

func classifyPlain(k *keyInfo, ws []string) {
	switch k.snake {
	case "firstname", "givenname", "forename":
		k.given = true
		return
	case "lastname", "familyname", "surname":
		k.family = true
		return
	}
	if n := len(ws); n > 2 && isIndexedBy(ws[:n-1]) {
		ws = ws[:n-2]
	}
	last := ws[len(ws)-1]
	if noiseWords.has(last) || noiseFirst.has(ws[0]) || noRecordBefore.has(ws[0]) && len(ws) > 1 {
		k.class = classNoise
	}
	k.plural = last != english.Singular(last)
	noun := keyNoun(ws)
	if len(noun) == 1 { // OData's {"d": {"results": […]}}
		noun = ""
	}
	k.noun = specific(noun, &genericNouns)
	if noun == "item" {
		k.wrapper = noun
	}
}

// keyNoun returns the type of the records under a key: saved_passengers → passenger,
// securityGroups → security_group, order_items → item, searchResults → "".
func keyNoun(ws []string) string {
	for len(ws) > 1 && (modifiers.has(ws[0]) || isParticiple(ws[0])) {
		ws = ws[1:]
	}
	for len(ws) > 1 && (isVersion(ws[len(ws)-1]) || keyTails.has(english.Singular(ws[len(ws)-1])) && !compoundNouns.has(singularNoun(ws))) {
		ws = ws[:len(ws)-1]
	}
	return headNoun(ws)
}

// isIndexedBy reports whether the words name a map and the key it is indexed by, as
// in restaurants_by_id without the id.
func isIndexedBy(ws []string) bool {
	n := len(ws)
	return n > 1 && ws[n-1] == "by" && english.Singular(ws[n-2]) != ws[n-2]
}

// splitRunTogether splits names written without a separator, accountid and
// _ownerid_value, that end in "id" after a common noun for entities.
func splitRunTogether(ws []string) []string {
	if len(ws) == 2 && ws[1] == "value" && strings.HasSuffix(ws[0], "id") {
		ws = ws[:1]
	}
	if len(ws) == 0 {
		return ws
	}
	last := ws[len(ws)-1]
	for _, suffix := range [...]string{"ids", "id", "number"} {
		stem, ok := strings.CutSuffix(last, suffix)
		if !ok {
			continue
		}
		for i := 0; i <= len(stem)-4; i++ {
			if entityNouns.has(stem[i:]) {
				return append(slices.Clone(ws[:len(ws)-1]), stem[i:], suffix)
			}
		}
	}
	return ws
}

// keyTails are words at the end of a key that describe a container.
var keyTails = wordSet{list: `list data info detail result record response object collection array map set edge node`}

// isIDKey reports whether a map key is an identifier: a number, a UUID, a prefixed
// id, a code in capitals with digits. Field names that end in a digit (address1,
// line_2, utf8) are not.
func isIDKey(name string) bool {
	switch shapeOf([]byte(name)) {
	case surelyID, likelyID:
		return true
	case maybeID:
		return isDigits([]byte(name))
	default:
		return false
	}
}
