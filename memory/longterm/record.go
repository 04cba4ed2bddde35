package longterm

import "github.com/go-workingmemory/workingmemory/memory/longterm/driver"

// Record is what long-term memory keeps: a fact, an event, or a message. It is the
// session.Record that sessions hold. ID and Text are needed, all else is optional: Type
// (by default session.RecordSemantic), Topics, Entities, SessionID, EventDate, Pinned,
// Metadata, ExtractedFrom and ExtractionStrategy. Namespace and UserID are its owner's. A
// Memory sets CreatedAt and UpdatedAt where they are zero, Hash, PersistedAt,
// LastAccessed and AccessCount.
type Record = driver.Record

// RecordKey identifies a record, by the strings Namespace, UserID and ID: ids are unique
// among those of a namespace and user.
type RecordKey = driver.RecordKey

// Hit is a Record that a search found, with its Version. Score is what it was ranked by,
// Similarity the cosine of the vectors, from -1 to 1, if Compared is true, and Keyword the
// relevance of the words, from 0 to 1.
type Hit = driver.Hit

// RecordFilter describes which records a call may find or remove. All of its conditions
// apply; the zero value lets every record pass. ID, Namespace, UserID, SessionID, Type,
// Strategy (a Record's ExtractionStrategy), Topics and Entities are each a *TextCondition;
// CreatedAt, UpdatedAt, LastAccessed and EventDate each a *TimeCondition; Pinned is a
// *bool.
type RecordFilter = driver.RecordFilter

// TextCondition is a condition on a text of a record, or on a list of texts. All that is
// set applies: Eq (a *string) is among the texts and Ne is not, at least one of Any (a
// []string) is among them, each of All, none of None, and one of them begins with
// StartsWith (a *string).
type TextCondition = driver.TextCondition

// TimeCondition is a condition on a time of a record. All that is set applies: Eq, Ne, Gt,
// Lt, Gte and Lte are each a *time.Time, Between (a *[2]time.Time) is a first and a last
// time, both of which pass.
type TimeCondition = driver.TimeCondition

// SearchMode is how a search ranks.
type SearchMode = driver.SearchMode

// The modes of a search.
const (
	// ModeList finds all records that pass the filter, in an Order.
	ModeList = driver.ModeList
	// ModeKeyword finds records that have a word of the question, the best first.
	ModeKeyword = driver.ModeKeyword
	// ModeSemantic finds the records whose vectors are nearest to the question's.
	ModeSemantic = driver.ModeSemantic
	// ModeHybrid finds what either finds.
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
// refused: begin with DefaultRecency. Match and Fresh are the weights of the match and of
// the freshness, Access and Age those of its two parts: the time since the last use, and
// since the record was made, which halve in HalfAccess and HalfAge.
type Recency = driver.Recency

// MaxPage is the largest number of records that a search returns at once.
const MaxPage = driver.MaxPage
