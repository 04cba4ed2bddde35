package naming

import "github.com/go-workingmemory/workingmemory/extractor/internal/vocabulary"

// The ranks of weakIDNames that need a closer look; they are the numbers of its lines.
const (
	// RankPrinted is the rank of the number on a thing itself: isbn, barcode.
	RankPrinted = 4
	// RankSlug is the rank of a slug.
	RankSlug = 7
	// RankURL is the rank of a web address, and RankSelf that of a link to the record itself.
	RankURL, RankSelf = 10, 11
)

// RankTag is the rank of those idSuffixes that need a closer look: asset_tag.
const RankTag = 7

// The names of fields that identify, name or type a record, and the last words of the names of typed
// identifiers. Each line has the names of one rank, the best first.
var (
	idNames = vocabulary.Set{List: `id ids
		sys_id identifier identifiers uuid uuids guid guids
		short_id display_id public_id object_id record_id entity_id resource_id sid uid uids oid pk
		row_id gid`}
	weakIDNames = vocabulary.Set{List: `number no num iid nr nro nummer numero número numéro
		key
		reference ref
		code sku arn iban
		urn isbn barcode vin serial serial_number
		handle username login ean
		iata symbol ticker ts message_ts
		slug
		path filename
		sha
		url uri href
		self self_link odata_id`}
	nameNames = vocabulary.Set{List: `name
		title
		full_name display_name displayname fullname
		real_name label
		subject headline heading
		caption plain_text
		summary
		slug`}
	typeNames = vocabulary.Set{List: `__typename
		resource_type object_type entity_type
		object odata_type
		kind
		type _type _index`}
	idSuffixes = vocabulary.Set{List: `id ids uuid uuids guid guids
		uid uids gid gids sid sids identifier identifiers
		number numbers serial serials no nos num
		reference references ref refs
		code codes key keys sku skus arn arns
		sha handle handles
		slug
		tag barcode`}
)
