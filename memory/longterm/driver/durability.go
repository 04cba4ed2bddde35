package driver

import "github.com/go-workingmemory/workingmemory/memory/session/driver"

// DurabilityReporter is an optional ability of an Index, with the levels of a store of sessions.
type (
	DurabilityReporter = driver.DurabilityReporter
	Durability         = driver.Durability
)

// DurabilityNone is the level of an Index in memory.
const DurabilityNone = driver.DurabilityNone
