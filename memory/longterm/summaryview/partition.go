package summaryview

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-workingmemory/workingmemory/memory/longterm/internal/record"
)

// Partition is the summary of the memories of a view that have the same values in its GroupBy.
type Partition struct {
	ViewID string
	// Group has the values, by field.
	Group map[string]string
	// Summary is empty if there are no memories, or only blank ones.
	Summary string
	// Memories is the number of memories.
	Memories int
	// ComputedAt is when the memories were last read.
	ComputedAt time.Time
}

// partitionDocument is a Partition as it is stored.
type partitionDocument struct {
	Partition
	// Run is that of the task which wrote the partition, or empty.
	Run string
	// Digest identifies the memories and their contents.
	Digest string
}

// checkGroup returns an error unless the group has a valid value for each field of the view.
func (d *Definition) checkGroup(group map[string]string) error {
	fields, want := slices.Sorted(maps.Keys(group)), slices.Sorted(slices.Values(d.GroupBy))
	if !slices.Equal(fields, want) {
		return &GroupError{Fields: fields, GroupBy: want}
	}
	for _, value := range group {
		if len(value) > MaxNameBytes || !utf8.ValidString(value) {
			return invalid("a value of a group is not UTF-8 or has more than %d bytes", MaxNameBytes)
		}
	}
	return nil
}

func partitionPrefix(viewID string) string { return "partition/" + viewID + "/" }

// partitionKey returns the key of the partition of a group.
func (d *Definition) partitionKey(group map[string]string) string {
	values := make([]string, len(d.GroupBy))
	for i, field := range d.GroupBy {
		values[i] = group[field]
	}
	return partitionPrefix(d.ID) + record.Digest(values...)
}

// sortPartitions orders partitions by the values of the view's fields.
func (d *Definition) sortPartitions(all []Partition) {
	slices.SortFunc(all, func(a, b Partition) int {
		for _, field := range d.GroupBy {
			if by := strings.Compare(a.Group[field], b.Group[field]); by != 0 {
				return by
			}
		}
		return 0
	})
}
