package draft

import (
	"encoding/json"

	"github.com/go-workingmemory/workingmemory/memory/longterm/driver"
)

// The limits of what is written in one step. Of a record three entries may change: its
// own, the same one, and one that is near.
const (
	batchRecords = driver.MaxChanges / 4
	batchBytes   = 4 << 20
)

// batchSize is how many records are put in one step.
func batchSize(records []driver.Record) int {
	n, size := 0, 0
	for n < min(len(records), batchRecords) {
		if size += sizeOf(&records[n]); size > batchBytes && n > 0 {
			break
		}
		n++
	}
	return n
}

// sizeOf is about how large a record is, in bytes.
func sizeOf(r *driver.Record) int {
	size := len(r.Text)
	for _, texts := range [][]string{r.Topics, r.Entities, r.ExtractedFrom} {
		for _, text := range texts {
			size += len(text)
		}
	}
	if len(r.Metadata) > 0 {
		data, _ := json.Marshal(r.Metadata) // Check did so
		size += len(data)
	}
	return size
}
