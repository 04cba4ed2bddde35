// Package finding collects what is found in one result: each entity once, records
// before references before candidates, within limits, and without secrets.
package finding
