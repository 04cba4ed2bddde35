package longterm

import "github.com/go-workingmemory/workingmemory/memory/longterm/driver"

// Record is the unit of long-term memory: a fact, an event, or a message. It is the
// session.Record that sessions hold. ID and Text are required. Type (by default
// session.RecordSemantic), Topics, Entities, SessionID, EventDate, Pinned, Metadata,
// ExtractedFrom and ExtractionStrategy are optional. Namespace and UserID name the owner. A
// Memory sets Hash, PersistedAt, LastAccessed and AccessCount, and CreatedAt and UpdatedAt if
// they are zero.
type Record = driver.Record

// RecordKey identifies a record by the strings Namespace, UserID and ID. Ids are unique within
// a namespace and user.
type RecordKey = driver.RecordKey

// Hit is a Record that a search found, with its Version. Score is the value it was ranked by,
// Similarity the cosine of the vectors, from -1 to 1, if Compared is true, and Keyword the
// relevance of the words, from 0 to 1.
type Hit = driver.Hit

// RecordFilter selects records. All of its conditions apply; the zero value selects every
// record. ID, Namespace, UserID, SessionID, Type, Strategy (a Record's ExtractionStrategy),
// Topics and Entities are of type *TextCondition; CreatedAt, UpdatedAt, LastAccessed and
// EventDate of type *TimeCondition; Pinned is a *bool.
type RecordFilter = driver.RecordFilter

// TextCondition is a condition on a text of a record, or on a list of texts. All fields that
// are set apply: Eq (a *string) is among the texts and Ne is not, at least one of Any (a
// []string) is among them, each of All, none of None, and one of them begins with
// StartsWith (a *string).
type TextCondition = driver.TextCondition

// TimeCondition is a condition on a time of a record. All fields that are set apply: Eq, Ne,
// Gt, Lt, Gte and Lte are of type *time.Time; Between (a *[2]time.Time) is an inclusive range.
type TimeCondition = driver.TimeCondition

// SearchMode determines how a search finds and ranks records.
type SearchMode = driver.SearchMode

// The modes of a search.
const (
	// ModeList lists the records that pass the filter, in an Order.
	ModeList = driver.ModeList
	// ModeKeyword finds records that share a word with the question, the best match first.
	ModeKeyword = driver.ModeKeyword
	// ModeSemantic finds the records whose vectors are nearest to the question's.
	ModeSemantic = driver.ModeSemantic
	// ModeHybrid combines ModeKeyword and ModeSemantic.
	ModeHybrid = driver.ModeHybrid
)

// Order is the order of a ModeList.
type Order = driver.Order

// The orders of a ModeList.
const (
	// OrderNewest is by CreatedAt, latest first.
	OrderNewest = driver.OrderNewest
	// OrderLeastRecentlyUsed is by the last use, earliest first.
	OrderLeastRecentlyUsed = driver.OrderLeastRecentlyUsed
	// OrderKey is by namespace, user and id, ascending.
	OrderKey = driver.OrderKey
)

// Recency weighs how fresh a record is against how well it matches. The zero value is
// refused; start from DefaultRecency. Match and Fresh are the weights of match and freshness.
// Access and Age are the weights of the two parts of freshness: the time since the last use,
// with half-life HalfAccess, and the time since the record was made, with half-life HalfAge.
type Recency = driver.Recency

// MaxPage is the largest number of records that a search returns at once.
const MaxPage = driver.MaxPage
