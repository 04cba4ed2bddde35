package longterm

import "github.com/go-workingmemory/workingmemory/memory/longterm/driver"

// Record is what long-term memory keeps: a fact, an event, or a message.
type Record = driver.Record

// RecordKey identifies a record: ids are unique among those of a namespace and user.
type RecordKey = driver.RecordKey

// Hit is a record that a search found.
type Hit = driver.Hit

// RecordFilter describes which records a call may find or remove. All of its conditions
// apply; the zero value lets every record pass.
type RecordFilter = driver.RecordFilter

// TextCondition is a condition on a text of a record, or on a list of texts.
type TextCondition = driver.TextCondition

// TimeCondition is a condition on a time of a record.
type TimeCondition = driver.TimeCondition

// Mode is how a search ranks.
type Mode = driver.Mode

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
// refused: begin with DefaultRecency.
type Recency = driver.Recency

// MaxPage is the largest number of records that a search returns at once.
const MaxPage = driver.MaxPage
