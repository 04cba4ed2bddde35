// Package pydata reads JSON and YAML into the values that Python's json.loads
// and PyYAML's safe_load make of them, and writes scalars as Python's str does.
//
//	text ──> Parse ──┬─ JSON (json.loads) ──┐
//	                 ├─ YAML 1.1 (PyYAML) ──┼──> *Value: scalar, list or dict
//	                 └─ else the text itself┘
//
// The reference-survival evaluation has a definition in Python; its figures
// can only be the same everywhere if 1e5 reads "100000.0", if yes is a boolean
// and 2024-05-20 a date, as they are there. Nothing outside that evaluation
// needs this package.
package pydata
