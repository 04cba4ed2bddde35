package naming

// Ranks of weak identifiers that need a closer look.
const (
	// RankPrinted is the rank of the number on a thing itself: isbn, barcode.
	RankPrinted = 4
	// RankClock is the rank of the time of a message.
	RankClock = 6
	// RankSlug is the rank of a slug.
	RankSlug = 7
	// RankPath is the rank of a path.
	RankPath = 8
	// RankURL is the rank of a web address, and RankSelf of that under which an API has the
	// record itself.
	RankURL, RankSelf = 10, 11
)

// RankTag is the rank of typed identifiers that need a closer look: asset_tag.
const RankTag = 7

// idRank returns the rank of a field name for a record's own identifier.
func idRank(word string) (rank uint8, ok bool) {
	switch word {
	case "id", "ids":
		return 0, true
	case "sys_id", "identifier", "identifiers", "uuid", "uuids", "guid", "guids":
		return 1, true
	case "short_id", "display_id", "public_id", "object_id", "record_id", "entity_id", "resource_id", "sid", "uid", "uids", "oid", "pk":
		return 2, true
	case "row_id", "gid":
		return 3, true
	}
	return 0, false
}

// weakIDRank returns the rank of a field name that identifies a record without a
// better identifier.
func weakIDRank(word string) (rank uint8, ok bool) {
	switch word {
	case "number", "no", "num", "iid", "nr", "nro", "nummer", "numero", "número", "numéro":
		return 0, true
	case "key":
		return 1, true
	case "reference", "ref":
		return 2, true
	case "code", "sku", "arn", "iban":
		return 3, true
	case "urn", "isbn", "barcode", "vin", "serial", "serial_number":
		return RankPrinted, true
	case "handle", "username", "login", "ean":
		return 5, true
	case "iata", "symbol", "ticker":
		return 6, true
	case "ts", "message_ts":
		return RankClock, true
	case "slug":
		return RankSlug, true
	case "path", "filename":
		return RankPath, true
	case "sha": // of a file, whose path comes first, or of a commit
		return RankPath + 1, true
	case "url", "uri", "href":
		return RankURL, true
	case "self", "self_link", "odata_id":
		return RankSelf, true
	}
	return 0, false
}

// nameRank returns the rank of a field name for a record's name.
func nameRank(word string) (rank uint8, ok bool) {
	switch word {
	case "name":
		return 0, true
	case "title":
		return 1, true
	case "full_name", "display_name", "displayname", "fullname":
		return 2, true
	case "real_name", "label":
		return 3, true
	case "subject", "headline", "heading":
		return 4, true
	case "caption", "plain_text":
		return 5, true
	case "summary":
		return 6, true
	case "slug":
		return 7, true
	}
	return 0, false
}

// typeRank returns the rank of a field name for a record's type.
func typeRank(word string) (rank uint8, ok bool) {
	switch word {
	case "__typename":
		return 0, true
	case "resource_type", "object_type", "entity_type":
		return 1, true
	case "object", "odata_type":
		return 2, true
	case "kind":
		return 3, true
	case "type", "_type", "_index":
		return 4, true
	}
	return 0, false
}

// suffixRank returns the rank of the last word of a typed identifier's name.
func suffixRank(word string) (rank uint8, ok bool) {
	switch word {
	case "id", "ids", "uuid", "uuids", "guid", "guids":
		return 0, true
	case "uid", "uids", "gid", "gids", "sid", "sids", "identifier", "identifiers":
		return 1, true
	case "number", "numbers", "serial", "serials", "no", "nos", "num":
		return 2, true
	case "reference", "references", "ref", "refs":
		return 3, true
	case "code", "codes", "key", "keys", "sku", "skus", "arn", "arns":
		return 4, true
	case "sha", "handle", "handles":
		return 5, true
	case "slug":
		return 6, true
	case "tag", "barcode":
		return RankTag, true
	}
	return 0, false
}
